import LiveQueries
import ObjectModel
import StoreContract
import Synchronization

/// One observer of an instance, with a state of its own: observers may be at different versions, where one skipped a
/// commit or is in the middle of a call. Used on the instance's scheduler.
final class InstanceObserver {
    enum Stage {
        /// Has not been called yet.
        case new(SubjectPreparation)
        case joined(LiveView)
        /// An error is to be reported to it.
        case failing(any Error)
    }

    let id: LiveViewID
    private let subscriber: any LiveSubscriber
    private let keyPaths: [LiveKeyPath]
    var stage: Stage
    /// The version that it last saw, or is at before its first call; nil when that is the instance's common one.
    var baseline: (any Snapshot)?
    private let flag: InstanceToken.Flag
    /// Takes the event that the view sent, and returns the call of the block.
    private let takeCall: () -> (() -> Void)?
    /// Changes an object's event that was sent and not taken.
    private let rewrite: ((LiveObjectEvent) -> LiveObjectEvent) -> Void

    init<Event: LiveEventKind>(
        of id: LiveViewID, _ keyPaths: [LiveKeyPath], _ stage: Stage, at baseline: any Snapshot,
        _ flag: InstanceToken.Flag, _ block: @escaping (Event) -> Void
    ) {
        let slot = EventSlot<Event>()
        self.id = id
        self.keyPaths = keyPaths
        subscriber = Subscriber<Event> { slot.put($0) }
        self.stage = stage
        self.baseline = baseline
        self.flag = flag
        takeCall = { slot.take().map { event in { block(event) } } }
        let objectSlot = slot as? EventSlot<LiveObjectEvent>
        rewrite = { change in
            guard let objectSlot, let event = objectSlot.take() else { return }
            objectSlot.put(change(event))
        }
    }

    /// False once its token was invalidated.
    var isWanted: Bool { flag.isSet }

    /// Advances a joined observer to a later version, and returns the call of the block if its view changed.
    func advance(
        _ view: LiveView, by step: VersionDelta, to snapshot: any Snapshot, foreign: ChangeSet?
    ) -> (() -> Void)? {
        view.advance(by: step, to: snapshot)
        if let foreign { rewrite { $0.withoutOldValues(except: foreign, id, step.changes) } }
        return takeCall()
    }

    /// Advances without a call, except to report a failure.
    func advanceQuietly(_ view: LiveView, by step: VersionDelta, to snapshot: any Snapshot) {
        if let error = view.advance(by: step, to: snapshot) {
            stage = .failing(error)
        } else {
            _ = takeCall()
        }
    }

    /// Returns the call of the block with the state, or with the error.
    func join(_ view: LiveView, at snapshot: any Snapshot) -> (() -> Void)? {
        do {
            try begin(view, at: snapshot)
            baseline = snapshot
            return takeCall()
        } catch {
            return fail(error)
        }
    }

    /// The same for one that is not called first.
    func joinQuietly(_ view: LiveView, at snapshot: any Snapshot) throws {
        try begin(view, at: snapshot)
        _ = takeCall()
    }

    private func begin(_ view: LiveView, at snapshot: any Snapshot) throws {
        try view.add(subscriber, keyPaths: keyPaths, at: snapshot)
        stage = .joined(view)
    }

    func fail(_ error: any Error) -> (() -> Void)? {
        subscriber.fail(error)
        return takeCall()
    }
}

/// Stores the event that a view sent until the observer's block is called with it. Sendable because subscribers require
/// that of their closures.
final class EventSlot<Event: Sendable>: Sendable {
    private let event = Mutex<Event?>(nil)

    func put(_ event: Event) { self.event.withLock { $0 = event } }

    func take() -> Event? {
        event.withLock { event in
            defer { event = nil }
            return event
        }
    }
}

extension LiveObjectEvent {
    /// Removes the old values of changes that the instance made itself.
    ///
    /// - Parameter foreign: the part of `changes` that others committed.
    fileprivate func withoutOldValues(
        except foreign: ChangeSet, _ id: LiveViewID, _ changes: ChangeSet
    ) -> LiveObjectEvent {
        guard case .update(let change) = self, case .object(let object) = id else { return self }
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
