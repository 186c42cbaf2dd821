package import StoreContract
import Synchronization

/// Keeps an observation alive: it ends when the token is cancelled or the last reference to it is dropped.
package final class LiveToken: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the observation. No event starts after this returns; one that is being delivered on the worker's thread at
    /// that moment may still finish. Called from within the observer's own `deliver`, nothing follows at all.
    package func cancel() { end() }
}

/// Whether a binding to a schema is still valid under the schema of another version, seen through the lens. That
/// version is the next one to be reported, whose schema may have been replaced in turn since.
package typealias SchemaBinding = @Sendable (any Snapshot) -> Bool

/// The receiving end of one observation.
final class Subscriber<Event: Sendable>: Sendable {
    private let active = Atomic(true)
    /// Whether its events are still meaningful, called when the schema is replaced; nil for always.
    let holds: SchemaBinding?
    private let deliver: @Sendable (Event) -> Void

    init(asLongAs holds: SchemaBinding? = nil, _ deliver: @escaping @Sendable (Event) -> Void) {
        self.holds = holds
        self.deliver = deliver
    }

    var isActive: Bool { active.load(ordering: .acquiring) }

    func cancel() { active.store(false, ordering: .releasing) }

    func send(_ event: Event) {
        if isActive { deliver(event) }
    }

    /// Sends a last event.
    func finish(_ event: Event) {
        if active.exchange(false, ordering: .acquiringAndReleasing) { deliver(event) }
    }
}
