import StoreContract
import Synchronization

/// An observer of whatever kind.
package protocol LiveSubscriber: AnyObject, Sendable {
    /// False once it was cancelled, and once it was sent its last event.
    var isActive: Bool { get }

    /// Sends it nothing from now on.
    func cancel()

    /// Tells it that the observation cannot go on.
    func fail(_ error: any Error)
}

/// The receiving end of one observation.
package final class Subscriber<Event: Sendable>: Sendable {
    private let active = Atomic(true)
    /// Whether what it is told still means something, asked when the schema is replaced; nil for always.
    let holds: SchemaBinding?
    private let deliver: @Sendable (Event) -> Void

    /// - Parameter deliver: is called by whoever keeps the view current, on that thread.
    package convenience init(_ deliver: @escaping @Sendable (Event) -> Void) { self.init(asLongAs: nil, deliver) }

    init(asLongAs holds: SchemaBinding?, _ deliver: @escaping @Sendable (Event) -> Void) {
        self.holds = holds
        self.deliver = deliver
    }

    package var isActive: Bool { active.load(ordering: .acquiring) }

    package func cancel() { active.store(false, ordering: .releasing) }

    func send(_ event: Event) {
        if isActive { deliver(event) }
    }

    /// Sends a last event.
    func finish(_ event: Event) {
        if active.exchange(false, ordering: .acquiringAndReleasing) { deliver(event) }
    }
}

extension Subscriber: LiveSubscriber where Event: LiveEventKind {
    package func fail(_ error: any Error) { finish(.failed(error)) }
}
