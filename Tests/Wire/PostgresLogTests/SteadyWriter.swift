import Dispatch
import ObjectModel
import StoreContract
import StoreTesting
import Synchronization
import TestBasics

/// Appends one entry after the other to a new log, until it is stopped.
final class SteadyWriter: Sendable {
    private let isDone = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)
    private let state = Mutex<(acknowledged: [[UInt8]], failure: (any Error)?)>(([], nil))

    init(_ log: any CommitLog) {
        DispatchQueue(label: "writer").async { [self] in
            do {
                try write(log)
            } catch {
                state.withLock { $0.failure = error }
            }
            ended.signal()
        }
    }

    private func write(_ log: any CommitLog) throws {
        var position = LogPosition.start
        while !isDone.load(ordering: .acquiring) {
            let tag = HistoryTag.another()
            let body = Array("\(position.version)".utf8)
            guard try log.append([body], after: position, tag: tag) == .appended else {
                throw ConformanceFailure("the append after \(position.version) was superseded")
            }
            state.withLock { $0.acknowledged.append(body) }
            position = LogPosition(position.version.next, tag)
        }
    }

    /// Waits until it has appended so many more. When an append failed, `stop` throws what it threw.
    func waitForMore(_ count: Int) {
        let enough = self.count + count
        _ = eventually { self.count >= enough || state.withLock { $0.failure != nil } }
    }

    var count: Int { state.withLock { $0.acknowledged.count } }

    /// Ends, and returns what was acknowledged. Throws what an append threw.
    func stop() throws -> [[UInt8]] {
        isDone.store(true, ordering: .releasing)
        ended.wait()
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.acknowledged
        }
    }
}
