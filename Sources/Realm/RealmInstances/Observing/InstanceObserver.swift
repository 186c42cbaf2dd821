import LiveQueries
import ObjectModel
import StoreContract
import Synchronization

/// One observer of an instance, with a state of its own: observers may be at different versions, where one skipped a
/// commit or is in the middle of a call. Used on the instance's scheduler.
final class InstanceObserver {
    /// The number of the view.
    let view: Int
    /// Whether it was added to the view, with its first call.
    private(set) var isJoined = false
    private let flag: InstanceToken.Flag
    private let subscriber: any LiveSubscriber
    private let keyPaths: [LiveKeyPath]
    private let slot: any PendingEvent
    /// Takes what was sent, and gives what calls the block with it, at a version if there is one.
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

    /// False once it was sent its last event.
    var isActive: Bool { subscriber.isActive }

    /// Whether something was sent that the block was not called with.
    var isDue: Bool { !slot.isEmpty }

    /// Adds it to the view, which is at the snapshot.
    func join(_ view: LiveView, at snapshot: any Snapshot) throws {
        try view.add(subscriber, keyPaths: keyPaths, at: snapshot)
        isJoined = true
    }

    /// What calls the block with what was sent, at the instance's version.
    func call(at snapshot: any Snapshot) -> (() -> Void)? { takeCall(snapshot) }

    /// Leaves out what was sent, except a failure.
    func skip() { slot.dropUnlessFailed() }

    /// What calls the block with the failure.
    func fail(_ error: any Error) -> (() -> Void)? {
        subscriber.fail(error)
        return takeCall(nil)
    }

    /// It is not sent anything any more.
    func leave() { subscriber.cancel() }

    /// An instance that made a change itself is not told what was before.
    ///
    /// - Parameter foreign: what others changed, of all `changes`.
    func leaveOutOldValues(of object: ObjectReference, except foreign: ChangeSet, _ changes: ChangeSet) {
        rewrite { $0.withoutOldValues(of: object, except: foreign, changes) }
    }
}

/// What was sent to an observer, of whatever kind.
private protocol PendingEvent: AnyObject {
    var isEmpty: Bool { get }
    func dropUnlessFailed()
}

/// Keeps what a view sent until the observer's block is called with it: of several events the sum. Sendable as
/// subscribers ask of what they call.
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
