import ObjectModel
import StoreContract
import Synchronization

/// One observer of an instance, with a state of its own: observers may be at different versions, where one skipped a
/// commit or is in the middle of a call. Used on the instance's scheduler.
final class InstanceObserver {
    enum Stage {
        /// Has not been called yet.
        case new(SubjectPreparation)
        case joined(any MaintainedView)
        /// An error is to be reported to it.
        case failing(any Error)
    }

    let registration: LiveRegistration
    var stage: Stage
    /// The version that it last saw, or is at before its first call; nil when that is the instance's common one.
    var baseline: (any Snapshot)?
    private let flag: InstanceToken.Flag
    /// Takes the event that the view sent, and returns the call of the block.
    private let takeCall: () -> (() -> Void)?
    /// Changes an object's event that was sent and not taken.
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

    /// Advances a joined observer to a later version, and returns the call of the block if its view changed.
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

    /// Advances without a call, except to report a failure.
    func advanceQuietly(_ subject: any MaintainedView, by step: VersionDelta, to snapshot: any Snapshot) {
        do {
            try subject.advance(step, snapshot)
            _ = takeCall()
        } catch {
            stage = .failing(error)
        }
    }

    /// Returns the call of the block with the state, or with the error.
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
        except foreign: ChangeSet, _ subject: MaintainedViewID, _ changes: ChangeSet
    ) -> LiveObjectEvent {
        guard case .change(let change) = self, case .object(let object) = subject else { return self }
        func modified(_ changes: ChangeSet) -> PropertySet {
            changes.classes[object.classID]?.modifications[object.key] ?? PropertySet()
        }
        let (all, others) = (modified(changes), modified(foreign))
        let properties = change.properties.map { property in
            // A property that was not assigned is reported because of an object that it leads to.
            let isOwn = all.contains(property.id) ? !others.contains(property.id) : foreign.classes.isEmpty
            return isOwn ? LivePropertyChange(id: property.id, oldValue: nil, newValue: property.newValue) : property
        }
        return .change(LiveObjectChange(snapshot: change.snapshot, before: change.before, properties: properties))
    }
}
