import ObjectModel
import StoreContract

extension InstanceCore {
    /// Registers an observer from the present version on. An object's observer is only called when the object changes;
    /// others are first called when their result has been prepared. Throws `notFound` for a deleted object.
    func add<Event: Sendable>(
        _ registration: LiveRegistration, _ flag: InstanceToken.Flag, _ slot: EventSlot<Event>,
        _ block: @escaping (Event) -> Void, prepare: (SubjectPreparation) -> Void
    ) throws -> Int {
        guard write == nil else { throw InstanceError.observedInWrite }
        let snapshot = try snapshot()
        if let object = registration.subject.object {
            guard try snapshot.exists(object.classID, object.key) else { throw InstanceError.objectIsGone }
        }
        let stage: InstanceObserver.Stage
        if case .object = registration.subject {
            let subject = try registration.makeSubject(snapshot)
            try subject.add(registration, snapshot, VersionHistory(store, before: snapshot))
            // There is no first call.
            _ = slot.take()
            stage = .joined(subject)
        } else {
            let preparation = SubjectPreparation(registration, snapshot)
            prepare(preparation)
            stage = .new(preparation)
        }
        let order = takeOrder()
        let observer = InstanceObserver(registration, stage, at: snapshot, flag, slot, block)
        observers[order] = observer
        if case .joined = stage { keep(observer, order) }
        return order
    }

    /// Keeps an observer that has a view in `unsettled`, until all observers are at the same version again.
    private func keep(_ observer: InstanceObserver, _ order: Int) {
        unsettled.insert(order)
        joined.insert(order)
        watch(order)
    }

    func remove(_ order: Int) {
        bells[order] = nil
        unsettled.remove(order)
        observers[order] = nil
        joined.remove(order)
        dependencyIndex.set([], for: order)
    }

    private func watch(_ order: Int) {
        guard case .joined(let subject)? = observers[order]?.stage else { return }
        dependencyIndex.set(subject.watches, for: order)
    }

    // MARK: Calls

    /// Brings the observers to the instance's version, one by one in the order of their registration, and calls those
    /// whose view changed.
    ///
    /// - Parameter limit: observers that were not called yet are called if they are ready and were registered before
    ///   this; nil for none.
    func callObservers(newBefore limit: Int?) {
        guard let target = current else { return }
        unsettle(for: target)
        var waiting = unsettled
        if let limit { waiting.formUnion(ready(before: limit)) }
        for order in waiting.sorted() {
            // A block may have removed any of them, or advanced them by beginning a write.
            guard let observer = observers[order], observer.isWanted else { continue }
            switch observer.stage {
            case .new(let preparation): callFirst(observer, order, preparation)
            case .failing(let error): callLast(order, observer.fail(error))
            case .joined(let subject):
                guard let baseline = observer.baseline, baseline.version < target.version else { continue }
                callNext(observer, order, subject, from: baseline)
            }
        }
        settle()
    }

    /// The observers that can have their first call. One that is ready waits for those that were registered before it,
    /// so that they are called in that order.
    private func ready(before limit: Int) -> [Int] {
        let new = observers.compactMap { order, observer -> (order: Int, isReady: Bool)? in
            guard order < limit, observer.isWanted, case .new(let preparation) = observer.stage else { return nil }
            return (order, preparation.isReady)
        }
        return new.sorted { $0.order < $1.order }.prefix { $0.isReady }.map(\.order)
    }

    /// Gives the observers that the changes can affect a baseline of their own; all others are at the target at once.
    private func unsettle(for target: any Snapshot) {
        defer { known = target }
        guard let known, known.version < target.version, !joined.isEmpty else { return }
        guard let step = step(from: known, to: target) else { return }
        let affected = step.changes.schemaChanged ? joined : dependencyIndex.affected(by: step)
        for order in affected where !unsettled.contains(order) {
            observers[order]?.baseline = known
            unsettled.insert(order)
        }
    }

    private func settle() {
        for order in unsettled {
            guard let observer = observers[order], case .joined = observer.stage,
                observer.baseline?.version == known?.version
            else { continue }
            observer.baseline = nil
            unsettled.remove(order)
        }
    }

    private func callFirst(_ observer: InstanceObserver, _ order: Int, _ preparation: SubjectPreparation) {
        guard let snapshot = current else { return }
        do {
            guard let subject = try preparation.take() else { return }
            if let step = step(from: observer.baseline, to: snapshot), subject.isTouched(by: step.changes) {
                try subject.advance(step, snapshot)
            }
            guard let call = observer.join(subject, at: snapshot, VersionHistory(store, before: snapshot)) else {
                return
            }
            guard case .joined = observer.stage else { return callLast(order, call) }
            keep(observer, order)
            self.call(call)
        } catch {
            callLast(order, observer.fail(error))
        }
    }

    private func callNext(
        _ observer: InstanceObserver, _ order: Int, _ subject: any MaintainedView, from baseline: any Snapshot
    ) {
        guard let snapshot = current, let step = step(from: baseline, to: snapshot) else { return }
        observer.baseline = snapshot
        guard subject.isTouched(by: step.changes) else { return }
        let block = observer.advance(
            subject, by: step, to: snapshot,
            foreign: history.foreignChanges(from: baseline.version, to: snapshot.version))
        guard subject.isObserved else { return callLast(order, block) }
        if step.changes.schemaChanged { watch(order) }
        if let block { call(block) }
    }

    /// Calls an observer for the last time.
    private func callLast(_ order: Int, _ block: (() -> Void)?) {
        remove(order)
        if let block { call(block) }
    }

    /// Advances observers at the version before the present one without a call.
    func skip(_ orders: Set<Int>) {
        guard let snapshot = current else { return }
        for order in orders.sorted() {
            guard let observer = observers[order], case .joined(let subject) = observer.stage,
                let step = step(from: observer.baseline ?? known, to: snapshot)
            else { continue }
            observer.baseline = snapshot
            unsettled.insert(order)
            guard subject.isTouched(by: step.changes) else { continue }
            observer.advanceQuietly(subject, by: step, to: snapshot)
            if case .joined = observer.stage, !subject.isObserved { remove(order) }
        }
    }

    /// Returns nil when nothing lies in between.
    private func step(from baseline: (any Snapshot)?, to snapshot: any Snapshot) -> VersionDelta? {
        guard let baseline, baseline.version < snapshot.version else { return nil }
        let changes = history.changes(from: baseline.version, to: snapshot.version)
        return VersionDelta(changes.completed(from: baseline, to: snapshot), from: baseline, to: snapshot)
    }

    /// Reports a final error to all observers, if it is final.
    func failAll(_ error: any Error) {
        guard let error = error as? StoreError, error.code == .closed else { return }
        for order in observers.keys.sorted() {
            if let observer = observers[order], observer.isWanted { callLast(order, observer.fail(error)) }
        }
    }
}

extension MaintainedView {
    /// Whether changes can affect it.
    fileprivate func isTouched(by changes: ChangeSet) -> Bool {
        changes.schemaChanged || watches.contains { $0.isTouched(by: changes) }
    }
}

extension LiveWatch {
    fileprivate func isTouched(by changes: ChangeSet) -> Bool {
        switch self {
        case .objects(let classID): changes.classes[classID] != nil
        case .object(let object):
            changes.classes[object.classID].map {
                $0.modifications[object.key] != nil || $0.deletions.contains(object.key)
            } ?? false
        case .ways(let tree, _): tree.isTouched(by: changes)
        }
    }
}

extension MaintainedViewID {
    /// The object that must exist for it.
    fileprivate var object: ObjectReference? {
        switch self {
        case .query, .sections: nil
        case .collection(let object, _), .object(let object): object
        }
    }
}
