import HTTPMessages
import CMicrohttpd
import Glibc
import Promises
import Synchronization

/// Messages from other threads to a loop. Any number of posts between two reads cost one wake-up.
final class LoopInbox: Sleeper {
    enum Message: Sendable {
        /// The answer to a suspended request.
        case outcome(request: UInt64, connection: UInt64, Responder.Outcome)
        /// The next piece of a body is ready, for a connection that is suspended until then.
        case piece(request: UInt64, connection: UInt64)
        /// A liveness check: the loop calls the closure.
        case roll(@Sendable () -> Void)
        /// Take no more connections, finish running requests by the deadline, in monotonic milliseconds, and stop. Calls
        /// `refusing` when new connections are refused.
        case stop(deadline: Int64, refusing: @Sendable () -> Void)
        /// End the event streams; the closing event is the last one of each. Comes after `stop`.
        case endStreams(closingEvent: SharedBytes?)
    }

    private struct State {
        var messages: [Message] = []
        var streams: [UInt64] = []
        var isEmpty: Bool { messages.isEmpty && streams.isEmpty }
    }

    private let state = Mutex(State())
    /// An eventfd, readable while messages are waiting.
    let wakeFD: Int32

    init() throws(ServerError) {
        wakeFD = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeFD >= 0 else { throw .system(call: "eventfd", errno: errno) }
    }

    deinit { close(wakeFD) }

    func post(_ message: Message) {
        add { $0.messages.append(message) }
    }

    /// Posts that a stream has queued events, or must end.
    func post(stream id: UInt64) {
        add { $0.streams.append(id) }
    }

    /// Posts the same for several streams, at least one.
    func post(streams ids: [UInt64]) {
        add { $0.streams.append(contentsOf: ids) }
    }

    private func add(_ change: (inout State) -> Void) {
        let wasEmpty = state.withLock { state in
            defer { change(&state) }
            return state.isEmpty
        }
        if wasEmpty { WakeUps.wake(self) }
    }

    /// Makes the eventfd readable, unless the loop has taken everything by itself meanwhile.
    func wake() {
        guard state.withLock({ !$0.isEmpty }) else { return }
        var one: UInt64 = 1
        // Fails only if the counter is full, and then the loop is awake anyway.
        _ = write(wakeFD, &one, 8)
    }

    /// Returns all messages and all posted streams, each in the order posted. Call it after the eventfd became readable
    /// or before sleeping.
    func takeAll() -> (messages: [Message], streams: [UInt64]) {
        state.withLock { state in
            guard !state.isEmpty else { return ([], []) }
            defer { state = State() }
            return (state.messages, state.streams)
        }
    }

    /// Makes the eventfd unreadable; later posts make it readable again.
    func acknowledge() {
        var count: UInt64 = 0
        _ = read(wakeFD, &count, 8)
    }
}
