import Dispatch
import HTTPServer
import Synchronization

/// A few threads for what would hold up a loop for too long: reads of large classes, large bodies. Work is
/// spread evenly and runs in order on each thread.
final class WorkerPool: Sendable {
    private let queues: [DispatchQueue]
    private let next = Atomic<UInt>(0)
    private let waiting = Atomic<Int>(0)
    private let limit: Int

    init(count: Int, limit: Int) {
        queues = (0..<max(count, 1)).map { DispatchQueue(label: "realmgate.reader.\($0)") }
        self.limit = limit
    }

    /// Requests that run or wait.
    var length: Int { waiting.load(ordering: .relaxed) }

    /// Answers later as `work` does on one of the threads, or at once with 503 when too much is waiting already.
    func reply(_ work: @escaping @Sendable () -> Reply) -> Reply {
        guard waiting.add(1, ordering: .relaxed).newValue <= limit else {
            waiting.subtract(1, ordering: .relaxed)
            var problem = Problem(503, "gateway.busy", "Too many long requests are waiting. Try again in a moment.")
            problem.retryAfter = 1
            return .now(problem.httpResponse)
        }
        return .later { [self] responder in
            nextQueue.async { [self] in
                defer { waiting.subtract(1, ordering: .relaxed) }
                work().answer(responder)
            }
        }
    }

    /// Does work that nobody waits for an answer of.
    func run(_ work: @escaping @Sendable () -> Void) { nextQueue.async(execute: work) }

    private var nextQueue: DispatchQueue {
        let turn = next.wrappingAdd(1, ordering: .relaxed).newValue
        return queues[Int(turn % UInt(queues.count))]
    }
}
