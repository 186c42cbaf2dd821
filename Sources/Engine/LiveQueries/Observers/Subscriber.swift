import StoreContract
import Synchronization

/// An observer of any kind of view.
package protocol LiveSubscriber: AnyObject, Sendable {
    /// False after it was cancelled, and after its last event.
    var isActive: Bool { get }

    /// Stops all further events.
    func cancel()

    /// Sends it a last event, which reports that the observation cannot continue.
    func fail(_ error: any Error)
}

/// The receiver of one observation's events.
package final class Subscriber<Event: Sendable>: Sendable {
    private let active = Atomic(true)
    /// Checked when the schema is replaced: whether the events still mean the same. Nil if they always do.
    let holds: SchemaBinding?
    private let deliver: @Sendable (Event) -> Void

    /// - Parameter deliver: called with each event, on the thread of the view's owner.
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

    /// Sends the last event.
    func finish(_ event: Event) {
        if active.exchange(false, ordering: .acquiringAndReleasing) { deliver(event) }
    }
}

extension Subscriber: LiveSubscriber where Event: LiveEventKind {
    package func fail(_ error: any Error) { finish(.failed(error)) }
}
