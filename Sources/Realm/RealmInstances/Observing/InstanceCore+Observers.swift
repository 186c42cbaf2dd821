import LiveQueries
import ObjectModel
import StoreContract

extension InstanceCore {
    /// Registers an observer from the present version on. An object's observer is only called when the object changes;
    /// others are first called when their result has been prepared. Throws `notFound` for a deleted object.
    func add<Event: LiveEventKind>(
        _ id: LiveViewID, _ keyPaths: [LiveKeyPath], _ flag: InstanceToken.Flag, _ block: @escaping (Event) -> Void,
        prepare: (SubjectPreparation) -> Void
    ) throws -> Int {
        guard write == nil else { throw InstanceError.observedInWrite }
        let snapshot = try snapshot()
        if let object = id.object {
            guard try snapshot.exists(object.classID, object.key) else { throw InstanceError.objectIsGone }
        }
        let preparation = SubjectPreparation(of: id, at: snapshot)
        let observer = InstanceObserver(of: id, keyPaths, .new(preparation), at: snapshot, flag, block)
        var view: LiveView?
        if case .object = id {
            // There is no first call.
            let own = try LiveView(of: id, at: snapshot)
            try observer.joinQuietly(own, at: snapshot)
            view = own
        } else {
            prepare(preparation)
        }
        let order = takeOrder()
        observers[order] = observer
        if let view { keep(view, order) }
        return order
    }

    /// Notes the view of an observer, until all know of the same version again.
    private func keep(_ view: LiveView, _ order: Int) {
        unsettled.insert(order)
        joined.insert(order)
        dependencyIndex.note(view, as: order)
    }

    func remove(_ order: Int) {
        bells[order] = nil
        unsettled.remove(order)
        observers[order] = nil
        joined.remove(order)
        dependencyIndex.forget(order)
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
            case .joined(let view):
                guard let baseline = observer.baseline, baseline.version < target.version else { continue }
                callNext(observer, order, view, from: baseline)
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
            guard let view = try preparation.take() else { return }
            if let step = step(from: observer.baseline, to: snapshot), view.isTouched(by: step.changes),
                let error = view.advance(by: step, to: snapshot)
            {
                throw error
            }
            guard let call = observer.join(view, at: snapshot) else { return }
            guard case .joined = observer.stage else { return callLast(order, call) }
            keep(view, order)
            self.call(call)
        } catch {
            callLast(order, observer.fail(error))
        }
    }

    private func callNext(
        _ observer: InstanceObserver, _ order: Int, _ view: LiveView, from baseline: any Snapshot
    ) {
        guard let snapshot = current, let step = step(from: baseline, to: snapshot) else { return }
        observer.baseline = snapshot
        guard view.isTouched(by: step.changes) else { return }
        let block = observer.advance(
            view, by: step, to: snapshot,
            foreign: history.foreignChanges(from: baseline.version, to: snapshot.version))
        guard view.isObserved else { return callLast(order, block) }
        if step.changes.schemaChanged { dependencyIndex.note(view, as: order) }
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
            guard let observer = observers[order], case .joined(let view) = observer.stage,
                let step = step(from: observer.baseline ?? known, to: snapshot)
            else { continue }
            observer.baseline = snapshot
            unsettled.insert(order)
            guard view.isTouched(by: step.changes) else { continue }
            observer.advanceQuietly(view, by: step, to: snapshot)
            if case .joined = observer.stage, !view.isObserved { remove(order) }
        }
    }

    /// Returns nil when nothing lies in between.
    private func step(from baseline: (any Snapshot)?, to snapshot: any Snapshot) -> VersionDelta? {
        guard let baseline, baseline.version < snapshot.version else { return nil }
        let changes = history.changes(from: baseline.version, to: snapshot.version)
        return VersionDelta(completing: changes, from: baseline, to: snapshot)
    }

    /// Reports a final error to all observers, if it is final.
    func failAll(_ error: any Error) {
        guard let error = error as? StoreError, error.code == .closed else { return }
        for order in observers.keys.sorted() {
            if let observer = observers[order], observer.isWanted { callLast(order, observer.fail(error)) }
        }
    }
}

extension LiveViewID {
    /// The object that must exist for it.
    fileprivate var object: ObjectReference? {
        switch self {
        case .query, .sections: nil
        case .collection(let object, _), .object(let object): object
        }
    }
}
