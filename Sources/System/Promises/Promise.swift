import Dispatch
import Synchronization

/// A value that is set once, and any number of threads, tasks and closures that wait for it.
///
/// Any thread may set it. The first value counts; later calls do nothing. Everything that a thread did before it set
/// the value is visible to all that receive the value from here. No closure is called and no thread woken under the
/// lock.
///
/// Cost: reading a value that is set takes a lock. Each waiting thread has its own semaphore, so setting the value
/// signals once per waiting thread.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([@Sendable (Value) -> Void])
        case set(Value)
    }

    private let state = Mutex(State.waiting([]))

    package init() {}

    /// The value; nil before it is set.
    package var value: Value? {
        state.withLock { state in
            if case .set(let value) = state { value } else { nil }
        }
    }

    /// Sets the value, and wakes or calls all that wait, in the order in which they began to. Returns false and does
    /// nothing if the value was already set.
    @discardableResult
    package func set(_ value: Value) -> Bool {
        let waiting = state.withLock { state -> [@Sendable (Value) -> Void]? in
            guard case .waiting(let waiting) = state else { return nil }
            state = .set(value)
            return waiting
        }
        guard let waiting else { return false }
        for call in waiting { call(value) }
        return true
    }

    /// Calls `call` with the value: immediately if it is set, else on the thread that sets it, which waits for the
    /// call.
    package func whenSet(_ call: @escaping @Sendable (Value) -> Void) {
        let known = state.withLock { state -> Value? in
            switch state {
            case .set(let value): return value
            case .waiting(var waiting):
                waiting.append(call)
                state = .waiting(waiting)
                return nil
            }
        }
        if let known { call(known) }
    }

    /// Blocks the thread until the value is set. Do not call it in a task, or on a thread that is needed to set the
    /// value.
    package func wait() -> Value {
        while true {
            if let value { return value }
            sleep { $0.wait() }
        }
    }

    /// As `wait`, for at most that many seconds; nil if the value was not set in time.
    package func wait(seconds: Double) -> Value? {
        if let value { return value }
        sleep { _ = $0.wait(timeout: .now() + seconds) }
        return value
    }

    private func sleep(_ wait: (DispatchSemaphore) -> Void) {
        let semaphore = DispatchSemaphore(value: 0)
        whenSet { _ in semaphore.signal() }
        wait(semaphore)
    }

    /// Suspends the task until the value is set. To cancel the wait, set the promise to a failure.
    package func get(isolation: isolated (any Actor)? = #isolation) async -> Value {
        await withCheckedContinuation { continuation in
            whenSet { continuation.resume(returning: $0) }
        }
    }
}
