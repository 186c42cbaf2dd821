import Dispatch
import Foundation
import LiveTesting
import Promises
import RealmInstances
import TestBasics

/// The kinds of schedulers that an instance can be confined to.
enum SchedulerKind: CaseIterable, Sendable {
    case queue, actor, runLoop

    private actor Home {}

    func scheduler() throws -> any LiveScheduler {
        switch self {
        case .queue: try QueueScheduler(DispatchQueue(label: "scheduler"))
        case .actor: ActorScheduler(Home())
        case .runLoop: Self.runningLoop()
        }
    }

    /// Returns the scheduler of a new thread that runs its loop forever.
    static func runningLoop() -> RunLoopScheduler {
        let found = Promise<RunLoopScheduler>()
        Thread.detachNewThread {
            // A loop without sources ends at once.
            RunLoop.current.add(Timer(timeInterval: 1e6, repeats: true) { _ in }, forMode: .default)
            found.set(.current)
            while true { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        return found.wait()
    }
}

extension LiveScheduler {
    /// Runs the body there and waits for it, without blocking a thread that an actor might need.
    func perform<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            run { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Evaluates the condition there until it is true. Returns false when `TestRun.patience` has run out.
    func eventually(_ condition: @escaping @Sendable () throws -> Bool) async throws -> Bool {
        try await TestBasics.eventually { try await perform(condition) }
    }
}

/// A value that is used in jobs of one scheduler only, which the test passes from one to the next.
final class Resident<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
