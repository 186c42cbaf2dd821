import ObjectModel
import StoreContract
import Synchronization

/// One observer of an instance, with a state of its own: observers may have been told of different versions, where
/// one was spared a commit or is in the middle of a call. Used on the instance's scheduler.
final class InstanceObserver {
    enum Stage {
        /// Has not been called yet.
        case new(SubjectPreparation)
        case joined(any MaintainedView)
        /// Is to be told that it has failed.
        case failing(any Error)
    }

    let registration: LiveRegistration
    var stage: Stage
    /// What it knows of, or is at before its first call; nil when that is what the instance says that all know of.
    var baseline: (any Snapshot)?
    private let flag: InstanceToken.Flag
    /// Takes what the subject sent, and gives what tells the block.
    private let takeCall: () -> (() -> Void)?
    /// Changes an event of an object that was sent and not taken.
    private let rewrite: ((LiveObjectEvent) -> LiveObjectEvent) -> Void

    init<Event: Sendable>(
        _ registration: LiveRegistration, _ stage: Stage, at baseline: any Snapshot, _ flag: InstanceToken.Flag,
        _ slot: EventSlot<Event>, _ block: @escaping (Event) -> Void
    ) {
        self.registration = registration
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

    /// Brings a joined observer to a later version, and gives what tells the block if something became different.
    func advance(
        _ subject: any MaintainedView, by step: VersionDelta, to snapshot: any Snapshot, foreign: ChangeSet?
    ) -> (() -> Void)? {
        do {
            try subject.advance(step, snapshot)
        } catch {
            subject.fail(error)
        }
        if let foreign { rewrite { $0.withoutOldValues(except: foreign, registration.subject, step.changes) } }
        return takeCall()
    }

    /// The same without telling, except of a failure.
    func advanceQuietly(_ subject: any MaintainedView, by step: VersionDelta, to snapshot: any Snapshot) {
        do {
            try subject.advance(step, snapshot)
            _ = takeCall()
        } catch {
            stage = .failing(error)
        }
    }

    /// Gives what tells the block of the state, or that it cannot be told.
    func join(_ subject: any MaintainedView, at snapshot: any Snapshot, _ past: VersionHistory) -> (() -> Void)? {
        do {
            try subject.add(registration, snapshot, past)
            stage = .joined(subject)
            baseline = snapshot
            return takeCall()
        } catch {
            return fail(error)
        }
    }

    func fail(_ error: any Error) -> (() -> Void)? {
        registration.subscriber.fail(error)
        return takeCall()
    }
}

/// Keeps the event that a subject sent until the observer's block is called with it. Sendable as subscribers ask
/// of what they call.
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
    /// An instance that made a change itself is not told what was before.
    ///
    /// - Parameter foreign: what others changed, of all `changes`.
    fileprivate func withoutOldValues(
        except foreign: ChangeSet, _ subject: MaintainedViewID, _ changes: ChangeSet
    ) -> LiveObjectEvent {
        guard case .change(let change) = self, case .object(let object) = subject else { return self }
        func modified(_ changes: ChangeSet) -> PropertySet {
            changes.classes[object.classID]?.modifications[object.key] ?? PropertySet()
        }
        let (all, others) = (modified(changes), modified(foreign))
        let properties = change.properties.map { property in
            // One that was not assigned is told because of something that it leads to.
            let isOwn = all.contains(property.id) ? !others.contains(property.id) : foreign.classes.isEmpty
            return isOwn ? LivePropertyChange(id: property.id, oldValue: nil, newValue: property.newValue) : property
        }
        return .change(LiveObjectChange(snapshot: change.snapshot, before: change.before, properties: properties))
    }
}
