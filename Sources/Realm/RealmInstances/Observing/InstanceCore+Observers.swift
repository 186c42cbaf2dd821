import ViewMaintenance
import LiveQueries
import ObjectModel
import StoreContract

/// The observers of an instance by the order of their registration, and their views by number.
struct InstanceObservers {
    fileprivate(set) var all: [Int: InstanceObserver] = [:]
    fileprivate(set) var views: [Int: InstanceView] = [:]
    /// The numbers of views that observers with the same subject share.
    private var shared: [LiveViewID: Int] = [:]
    fileprivate var dependencyIndex = DependencyIndex()
    /// Views with a baseline of their own that can be advanced.
    fileprivate var unsettled: Set<Int> = []
    /// Observers with an event for which their blocks have not been called.
    fileprivate var due: Set<Int> = []

    var isEmpty: Bool { all.isEmpty }
    /// Whether any view can be advanced.
    var hasViews: Bool { views.values.contains(where: \.isReady) }
    /// The oldest version of any view.
    var oldestBaseline: Version? { views.values.compactMap { $0.baseline?.version }.min() }

    fileprivate subscript(sharing id: LiveViewID) -> Int? { shared[id] }

    fileprivate mutating func add(_ view: InstanceView, as number: Int) {
        views[number] = view
        if view.id.isShared { shared[view.id] = number }
    }

    fileprivate mutating func add(_ observer: InstanceObserver, as order: Int) {
        all[order] = observer
        views[observer.view]?.observers.insert(order)
    }

    /// Removes an observer. A view is removed with its last observer.
    fileprivate mutating func remove(_ order: Int) {
        guard let observer = all.removeValue(forKey: order) else { return }
        due.remove(order)
        observer.leave()
        let number = observer.view
        guard let view = views[number] else { return }
        view.observers.remove(order)
        if view.observers.isEmpty {
            endSharing(view, number)
            views[number] = nil
            unsettled.remove(number)
            dependencyIndex.forget(number)
        } else if case .ready(let live) = view.stage {
            live.prune()
            dependencyIndex.record(live, as: number)
        }
    }

    /// Prevents further observers from joining the view.
    fileprivate mutating func endSharing(_ view: InstanceView, _ number: Int) {
        if shared[view.id] == number { shared[view.id] = nil }
    }
}

extension InstanceCore {
    /// Registers an observer from the present version on. An object's observer is only called when the object changes;
    /// others are first called when their result has been prepared. Throws `notFound` for a deleted object.
    func add<Event: LiveEventKind>(
        _ id: LiveViewID, _ keyPaths: [LiveKeyPath], _ flag: InstanceToken.Flag, _ block: @escaping (Event) -> Void,
        prepare: (ViewPreparation) -> Void
    ) throws -> Int {
        guard write == nil else { throw InstanceError.observedInWrite }
        let snapshot = try snapshot()
        if let object = id.object {
            guard try snapshot.exists(object.classID, object.key) else { throw InstanceError.objectIsDeleted }
        }
        let order = takeOrder()
        let number = observers[sharing: id] ?? order
        let observer = InstanceObserver(of: number, keyPaths, flag, block)
        if case .object = id {
            let live = try LiveView(of: id, at: snapshot)
            try observer.join(live, at: snapshot)
            // There is no first call.
            observer.skip()
            observers.add(InstanceView(id, .ready(live), at: snapshot), as: number)
            keep(live, number)
        } else if number == order {
            let preparation = ViewPreparation(of: id, at: snapshot)
            observers.add(InstanceView(id, .preparing(preparation), at: snapshot), as: number)
            prepare(preparation)
        } else {
            // Its first call is made in a turn as well.
            inbox.wake()
        }
        observers.add(observer, as: order)
        return order
    }

    /// Records a view with a version of its own, until all views have the same version again.
    private func keep(_ live: LiveView, _ number: Int) {
        observers.unsettled.insert(number)
        observers.dependencyIndex.record(live, as: number)
    }

    func remove(_ order: Int) {
        subscribers[order] = nil
        observers.remove(order)
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
        var waiting = observers.due
        for number in observers.unsettled {
            guard let view = observers.views[number], isBehind(view, target) else { continue }
            waiting.formUnion(view.observers.filter { observers.all[$0]?.isJoined == true })
        }
        if let limit { waiting.formUnion(ready(before: limit)) }
        for order in waiting.sorted() {
            // A block may have removed any of them, or advanced them by beginning a write.
            guard let observer = observers.all[order], observer.isWanted, let view = observers.views[observer.view]
            else { continue }
            if !observer.isJoined {
                callFirst(observer, order, view)
            } else if observers.due.contains(order) || isBehind(view, target) {
                callNext(observer, order, view)
            }
        }
        settle()
    }

    private func isBehind(_ view: InstanceView, _ target: any Snapshot) -> Bool {
        guard view.isReady, let baseline = view.baseline else { return false }
        return baseline.version < target.version
    }

    /// The observers that can have their first call. One that is ready waits for those that were registered before it,
    /// so that they are called in that order.
    private func ready(before limit: Int) -> [Int] {
        let new = observers.all.compactMap { order, observer -> (order: Int, isReady: Bool)? in
            guard order < limit, observer.isWanted, !observer.isJoined else { return nil }
            return (order, observers.views[observer.view]?.canBegin == true)
        }
        return new.sorted { $0.order < $1.order }.prefix { $0.isReady }.map(\.order)
    }

    /// Gives the observers that the changes can affect a baseline of their own; all others are at the target at once.
    private func unsettle(for target: any Snapshot) {
        defer { known = target }
        guard let known, known.version < target.version, observers.hasViews else { return }
        guard let step = step(from: known, to: target) else { return }
        let affected =
            step.changes.schemaChanged
            ? Set(observers.views.keys.filter { observers.views[$0]?.isReady == true })
            : observers.dependencyIndex.affected(by: step)
        for number in affected where !observers.unsettled.contains(number) {
            observers.views[number]?.baseline = known
            observers.unsettled.insert(number)
        }
    }

    private func settle() {
        for number in observers.unsettled {
            guard let view = observers.views[number], !view.isReady || view.baseline?.version == known?.version else {
                continue
            }
            view.baseline = nil
            observers.unsettled.remove(number)
        }
    }

    /// Advances a view to the instance's version. Its events wait in the observers.
    private func advance(_ view: InstanceView, _ number: Int) {
        guard case .ready(let live) = view.stage, let snapshot = current, let baseline = view.baseline ?? known,
            let step = step(from: baseline, to: snapshot)
        else { return }
        view.baseline = snapshot
        observers.unsettled.insert(number)
        guard live.isTouched(by: step.changes) else { return }
        if let error = live.advance(by: step, to: snapshot) {
            view.stage = .failed(error)
            observers.endSharing(view, number)
        }
        if case .object(let object) = view.id,
            let foreign = history.foreignChanges(from: baseline.version, to: snapshot.version)
        {
            for order in view.observers {
                observers.all[order]?.leaveOutOldValues(of: object, except: foreign, step.changes)
            }
        }
        if step.changes.schemaChanged { observers.dependencyIndex.record(live, as: number) }
        for order in view.observers {
            guard let observer = observers.all[order], observer.isJoined else { continue }
            if observer.isDue {
                observers.due.insert(order)
            } else {
                // Two events may have cancelled each other out.
                observers.due.remove(order)
                if !observer.isActive { remove(order) }
            }
        }
    }

    private func callFirst(_ observer: InstanceObserver, _ order: Int, _ view: InstanceView) {
        do {
            if case .preparing(let preparation) = view.stage {
                guard let live = try preparation.take() else { return }
                view.stage = .ready(live)
                observers.unsettled.insert(observer.view)
            }
            advance(view, observer.view)
            guard let snapshot = current else { return }
            switch view.stage {
            case .preparing: return
            case .failed(let error): throw error
            case .ready(let live):
                try observer.join(live, at: snapshot)
                observers.dependencyIndex.record(live, as: observer.view)
                if let call = observer.call(at: snapshot) { self.call(call) }
            }
        } catch {
            if case .preparing = view.stage {
                view.stage = .failed(error)
                observers.endSharing(view, observer.view)
            }
            callLast(order, observer, error)
        }
    }

    private func callNext(_ observer: InstanceObserver, _ order: Int, _ view: InstanceView) {
        advance(view, observer.view)
        guard observers.due.remove(order) != nil, let snapshot = current, let block = observer.call(at: snapshot)
        else { return }
        if !observer.isActive { remove(order) }
        call(block)
    }

    /// Calls an observer for the last time.
    private func callLast(_ order: Int, _ observer: InstanceObserver, _ error: any Error) {
        let block = observer.fail(error)
        remove(order)
        if let block { call(block) }
    }

    /// Advances observers at the version before the present one without a call.
    func skip(_ orders: Set<Int>) {
        for order in orders.sorted() {
            guard let observer = observers.all[order], observer.isJoined, let view = observers.views[observer.view]
            else { continue }
            advance(view, observer.view)
            observer.skip()
            if observer.isDue { continue }
            observers.due.remove(order)
            if !observer.isActive { remove(order) }
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
        for order in observers.all.keys.sorted() {
            if let observer = observers.all[order], observer.isWanted { callLast(order, observer, error) }
        }
    }
}
