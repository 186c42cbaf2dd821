import Glibc
import Synchronization

/// Threads whose end somebody waits for.
final class OwnThreads: Sendable {
    private struct State {
        var threads: [pthread_t] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread; does nothing after `end`, or when the system has no thread for it.
    func start(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            let context = Unmanaged.passRetained(Work(body))
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                    return nil
                }, context.toOpaque())
            guard status == 0 else { return context.release() }
            state.threads.append(thread)
        }
    }

    /// - Parameter waits: whether all threads are known to end soon, so that their ends are waited for.
    func end(waits: Bool) {
        let threads = state.withLock { state in
            defer { state.threads = [] }
            state.hasEnded = true
            return state.threads
        }
        for thread in threads {
            if waits { pthread_join(thread, nil) } else { pthread_detach(thread) }
        }
    }
}
