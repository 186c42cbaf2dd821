import Dispatch
import Synchronization

/// A value that is set once, and those who wait for it: threads, tasks and calls, any number of each.
///
/// Any thread may set it. The first one decides; to set it again does nothing. What a thread did before it set the value
/// is visible to everybody who got the value from here. Nobody is called or woken under the lock.
///
/// Cost: a value that is there takes a lock. A thread that has to wait has a semaphore of its own, so that setting the value
/// is one signal for each thread that sleeps, and none where nobody does.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([@Sendable (Value) -> Void])
        case set(Value)
    }

    private let state = Mutex(State.waiting([]))

    package init() {}

    /// Nil before it is set.
    package var value: Value? {
        state.withLock { state in
            if case .set(let value) = state { value } else { nil }
        }
    }

    /// Sets the value, and wakes and calls all who wait, in the order in which they came. False, with nothing done, when it
    /// was set before.
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

    /// Calls with the value: at once if it is there, else on the thread that sets it, which waits for the call.
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

    /// Blocks the thread until the value is there. Not for tasks, and not on a thread that is needed to set it.
    package func wait() -> Value {
        while true {
            if let value { return value }
            sleep { $0.wait() }
        }
    }

    /// `wait` for so many seconds at the most; nil when the time was over before.
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

    /// Suspends the task until the value is there. To be cancelled, set it to a failure.
    package func get(isolation: isolated (any Actor)? = #isolation) async -> Value {
        await withCheckedContinuation { continuation in
            whenSet { continuation.resume(returning: $0) }
        }
    }
}
