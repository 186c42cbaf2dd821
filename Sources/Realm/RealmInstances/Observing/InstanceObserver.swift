import ViewMaintenance
import LiveQueries
import ObjectModel
import StoreContract
import Synchronization

/// One observer of an instance, with a state of its own: observers may be at different versions, where one skipped a
/// commit or is in the middle of a call. Used on the instance's scheduler.
final class InstanceObserver {
    /// The number of its view.
    let view: Int
    /// Whether it has joined the view, which happens at its first call.
    private(set) var isJoined = false
    private let flag: InstanceToken.Flag
    private let subscriber: any LiveSubscriber
    private let keyPaths: [LiveKeyPath]
    private let slot: any PendingEvent
    /// Takes the waiting event, and returns a closure that calls the block with it, moved to a version if one is
    /// given.
    private let takeCall: ((any Snapshot)?) -> (() -> Void)?
    /// Changes an object's event that was sent and not taken.
    private let rewrite: ((LiveObjectEvent) -> LiveObjectEvent) -> Void

    init<Event: LiveEventKind>(
        of view: Int, _ keyPaths: [LiveKeyPath], _ flag: InstanceToken.Flag, _ block: @escaping (Event) -> Void
    ) {
        let slot = EventSlot<Event>()
        self.view = view
        self.keyPaths = keyPaths
        self.flag = flag
        self.slot = slot
        subscriber = Subscriber<Event> { slot.put($0) }
        takeCall = { snapshot in
            slot.take().map { event in { block(snapshot.map { event.moved(to: $0) } ?? event) } }
        }
        let objectSlot = slot as? EventSlot<LiveObjectEvent>
        rewrite = { change in
            guard let objectSlot, let event = objectSlot.take() else { return }
            objectSlot.put(change(event))
        }
    }

    /// False once its token was invalidated.
    var isWanted: Bool { flag.isSet }

    /// False after its last event.
    var isActive: Bool { subscriber.isActive }

    /// Whether an event waits for which the block has not been called.
    var isDue: Bool { !slot.isEmpty }

    /// Adds the observer to the view, which is at the snapshot's version.
    func join(_ view: LiveView, at snapshot: any Snapshot) throws {
        try view.add(subscriber, keyPaths: keyPaths, at: snapshot)
        isJoined = true
    }

    /// Returns a closure that calls the block with the waiting event, at the instance's version; nil if no event
    /// waits.
    func call(at snapshot: any Snapshot) -> (() -> Void)? { takeCall(snapshot) }

    /// Drops the waiting event, unless it is a failure.
    func skip() { slot.dropUnlessFailed() }

    /// Returns a closure that calls the block with the failure.
    func fail(_ error: any Error) -> (() -> Void)? {
        subscriber.fail(error)
        return takeCall(nil)
    }

    /// Stops further events.
    func leave() { subscriber.cancel() }

    /// Removes the old values of changes that the instance made itself.
    ///
    /// - Parameter foreign: the part of `changes` that others committed.
    func leaveOutOldValues(of object: ObjectReference, except foreign: ChangeSet, _ changes: ChangeSet) {
        rewrite { $0.withoutOldValues(of: object, except: foreign, changes) }
    }
}

/// The waiting event of an observer of any kind.
private protocol PendingEvent: AnyObject {
    var isEmpty: Bool { get }
    func dropUnlessFailed()
}

/// Keeps the events of a view until the observer's block is called: several events are merged into one. It is Sendable
/// because a subscriber's closure must be.
private final class EventSlot<Event: LiveEventKind>: PendingEvent, Sendable {
    private let event = Mutex<Event?>(nil)

    func put(_ next: Event) {
        event.withLock { event in
            if let earlier = event { event = earlier.followed(by: next) } else { event = next }
        }
    }

    func take() -> Event? {
        event.withLock { event in
            defer { event = nil }
            return event
        }
    }

    var isEmpty: Bool { event.withLock { $0 == nil } }

    func dropUnlessFailed() {
        event.withLock { if $0?.isFailure == false { $0 = nil } }
    }
}

extension LiveObjectEvent {
    /// Removes the old values of changes that the instance made itself.
    ///
    /// - Parameter foreign: the part of `changes` that others committed.
    fileprivate func withoutOldValues(
        of object: ObjectReference, except foreign: ChangeSet, _ changes: ChangeSet
    ) -> LiveObjectEvent {
        guard case .update(let change) = self else { return self }
        func modified(_ changes: ChangeSet) -> PropertySet {
            changes.classes[object.classID]?.modifications[object.key] ?? PropertySet()
        }
        let (all, others) = (modified(changes), modified(foreign))
        return .update(
            change.withoutOldValues { property in
                // A property that was not assigned is reported because of an object that it leads to.
                all.contains(property) ? !others.contains(property) : foreign.classes.isEmpty
            })
    }
}
