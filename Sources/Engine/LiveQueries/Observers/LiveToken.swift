package import StoreContract

/// Keeps an observation alive: it ends when the token is cancelled or the last reference to it is dropped.
package final class LiveToken: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the observation. No event starts after this returns; one that is being delivered on the worker's thread at
    /// that moment may still finish. If it is called from within the observer's own `deliver`, no event follows at
    /// all.
    package func cancel() { end() }
}

/// Whether a binding to a schema is still valid under the schema of another version, seen through the visibility
/// filter. That version is the next one to be reported, whose schema may have been replaced in turn since.
package typealias SchemaBinding = @Sendable (any Snapshot) -> Bool
