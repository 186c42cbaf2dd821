import Dispatch
import Synchronization

/// Wakes one waiting task. If no task is waiting, the next wait returns at once.
final class AutoResetEvent: Sendable {
    private struct State {
        var isSignalled = false
        var waiting: (id: Int, continuation: CheckedContinuation<Void, Never>)?
        var last = 0
    }

    private let state = Mutex(State())

    func signal() {
        let continuation = state.withLock { state in
            state.isSignalled = state.waiting == nil
            return state.waiting.take()?.continuation
        }
        continuation?.resume()
    }

    /// Returns when the event is signalled, the time has elapsed, or the task is cancelled.
    func wait(seconds: Double? = nil) async {
        let id = state.withLock { state in
            state.last += 1
            return state.last
        }
        let timer = seconds.map { SyncTimer.call(after: $0) { self.end(id) } }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isSignalled || Task.isCancelled {
                        state.isSignalled = false
                        return true
                    }
                    state.waiting = (id, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            end(id)
        }
    }

    private func end(_ id: Int) {
        let continuation = state.withLock { state in
            state.waiting?.id == id ? state.waiting.take()?.continuation : nil
        }
        continuation?.resume()
    }
}
