import ObjectModel
package import StoreContract
import ViewMaintenance

/// The subject of an observation, and its visibility filter.
struct LiveAddress: Hashable, Sendable {
    let visibility: AnyVisibilityFilter?
    let subject: LiveViewID
}

/// A request to observe something.
struct LiveRegistration: Sendable {
    let subject: LiveViewID
    /// A subscriber for events of the view's kind.
    let subscriber: any LiveSubscriber
    let keyPaths: [LiveKeyPath]
    /// The data of each object that it shows, if it gives no key paths.
    var shape: LiveShape?
    /// The version that the observer saw last, if it resumes.
    let since: Version?
    /// Its visibility filter; nil for an observer that sees everything.
    var visibility: AnyVisibilityFilter?
    let cost: LiveCost

    /// Makes the view at the snapshot. Throws when it does not fit the schema, and `notFound`.
    func makeView(_ snapshot: any Snapshot) throws -> LiveView {
        try LiveView(of: subject, at: snapshot, isResumed: since != nil)
    }
}

/// Keeps an observation alive: it ends when the token is cancelled or the last reference to it is dropped.
package final class LiveToken: Sendable {
    private let end: @Sendable () -> Void
    package let cost: LiveCost

    init(_ cost: LiveCost, end: @escaping @Sendable () -> Void) {
        self.cost = cost
        self.end = end
    }

    deinit { end() }

    /// Ends the observation. No event starts after this returns; one that is being delivered on the worker's thread at
    /// that moment may still finish. If it is called from within the observer's own `deliver`, no event follows at
    /// all.
    package func cancel() { end() }
}

/// Whether a binding to a schema is still valid under the schema of another version, seen through the visibility
/// filter. That version is the next one to be reported, whose schema may have been replaced in turn since.
package typealias SchemaBinding = @Sendable (any Snapshot) -> Bool
