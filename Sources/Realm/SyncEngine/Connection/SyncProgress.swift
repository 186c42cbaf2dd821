import Dispatch
import Foundation
import Synchronization

/// Counts what a file's synchronisation transfers, and reports it. Counts nothing before the first observer.
///
/// A number of bytes is that of the JSON which is sent or received. How much a subscription will send is not known
/// before its first result has arrived, so it is estimated: as much as the average of those that have arrived.
package final class SyncProgress: Sendable {
    package enum Direction: Sendable {
        case upload
        case download
    }

    package struct Amount: Sendable, Equatable {
        package var transferred: Int
        package var transferable: Int
    }

    private struct Observer: Sendable {
        let direction: Direction
        /// What had been transferred when the observer came; 0 unless it observes the outstanding work alone.
        var base = 0
        /// The outstanding work, whose end ends the observation; nil if it is unknown, or if the observer wants all.
        var total: Int?
        var last: Amount?
        let report: @Sendable (Amount) -> Void
        let ended: @Sendable () -> Void
    }

    private struct State: Sendable {
        var isCounting = false
        var sent = 0
        /// The sizes of what waits to be sent, by the orders of uploads: the parts of one that was split share one.
        var queued: [Int: Int] = [:]
        var received = 0
        var pendingSubscriptions = 0
        var completeSubscriptions = 0
        var observers: [Int: Observer] = [:]
        /// The observers that were not removed, among them those whose observation has not begun.
        var wanted: Set<Int> = []
        var next = 0

        func amount(_ direction: Direction) -> Amount {
            switch direction {
            case .upload: return Amount(transferred: sent, transferable: sent + queued.values.reduce(0, +))
            case .download:
                let average = max(received / max(completeSubscriptions, 1), 1)
                return Amount(transferred: received, transferable: received + pendingSubscriptions * average)
            }
        }
    }

    private let state = Mutex(State())
    /// Calls the observers, in order.
    private let queue = DispatchQueue(label: "realmgate.sync.progress")

    /// Takes the state after a commit.
    func take(_ view: SyncView) {
        guard state.withLock({ $0.isCounting }) else { return }
        queue.async { [self] in count(view) }
    }

    private func count(_ view: SyncView) {
        let known = state.withLock { $0.queued }
        var queued: [Int: Int] = [:]
        for upload in view.uploads {
            queued[upload.order] = known[upload.order] ?? queued[upload.order, default: 0] + upload.body.count
        }
        state.withLock { [queued] state in
            for (order, size) in known where queued[order] == nil { state.sent += size }
            state.queued = queued
            state.pendingSubscriptions = view.queries.count { $0.state == .pending }
            state.completeSubscriptions = view.queries.count { $0.state == .complete }
        }
        report()
    }

    func received(_ bytes: Int) {
        let isCounting = state.withLock { state in
            if state.isCounting { state.received += bytes }
            return state.isCounting
        }
        if isCounting { queue.async { [self] in report() } }
    }

    private func report() {
        let (calls, ends) = state.withLock { state in
            var calls: [(Observer, Amount)] = []
            var ends: [Observer] = []
            for (id, observer) in state.observers {
                var amount = state.amount(observer.direction)
                amount.transferred -= observer.base
                amount.transferable = observer.total ?? (amount.transferable - observer.base)
                amount.transferred = min(amount.transferred, amount.transferable)
                guard amount != observer.last else { continue }
                state.observers[id]?.last = amount
                calls.append((observer, amount))
                if let total = observer.total, amount.transferred >= total {
                    state.observers[id] = nil
                    state.wanted.remove(id)
                    ends.append(observer)
                }
            }
            return (calls, ends)
        }
        for (observer, amount) in calls { observer.report(amount) }
        for observer in ends { observer.ended() }
    }

    /// Returns the id of an observer that `observe` is called with.
    func add() -> Int {
        state.withLock { state in
            state.isCounting = true
            state.next += 1
            state.wanted.insert(state.next)
            return state.next
        }
    }

    /// Begins an observation, and reports at once.
    ///
    /// - Parameters:
    ///   - isOutstanding: whether it ends with the work that is outstanding now.
    ///   - view: the present state.
    func observe(
        _ id: Int, _ direction: Direction, isOutstanding: Bool, _ view: SyncView,
        report: @escaping @Sendable (Amount) -> Void, ended: @escaping @Sendable () -> Void
    ) {
        queue.async { [self] in
            count(view)
            state.withLock { state in
                guard state.wanted.contains(id) else { return }
                var observer = Observer(direction: direction, report: report, ended: ended)
                if isOutstanding {
                    let amount = state.amount(direction)
                    observer.base = amount.transferred
                    if direction == .upload { observer.total = amount.transferable - amount.transferred }
                }
                state.observers[id] = observer
            }
            self.report()
        }
    }

    /// Ends the observation of a download that is over.
    func finish(_ id: Int) {
        queue.async { [self] in
            state.withLock { state in
                guard let observer = state.observers[id] else { return }
                state.observers[id]?.total = state.received - observer.base
                // The last report says that it is over.
                state.observers[id]?.last = nil
            }
            report()
        }
    }

    /// Ends an observation. A report that has begun may still be running.
    package func remove(_ id: Int) {
        state.withLock { state in
            state.observers[id] = nil
            state.wanted.remove(id)
        }
    }
}
