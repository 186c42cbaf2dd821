import CMicrohttpd
import Glibc
import Synchronization

/// What other threads want from a loop. Any number of posts between two looks cost one wake-up.
final class LoopInbox: Sendable {
    enum Message: Sendable {
        /// The answer to a suspended request.
        case answer(request: UInt64, connection: UInt64, Responder.Answer)
        /// Events wait in a stream's queue, or its owner has closed it.
        case stream(request: UInt64, connection: UInt64)
        /// Finish what is under way by then, in monotonic milliseconds, and end.
        case stop(deadline: Int64)
    }

    private let messages = Mutex<[Message]>([])
    /// An eventfd, readable while messages wait.
    let wakeFD: Int32

    init() throws(ServerError) {
        wakeFD = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeFD >= 0 else { throw .system(call: "eventfd", errno: errno) }
    }

    deinit { close(wakeFD) }

    func post(_ message: Message) {
        let wasEmpty = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        guard wasEmpty else { return }
        var one: UInt64 = 1
        // Fails only when the counter is full, and then the loop is awake anyway.
        _ = write(wakeFD, &one, 8)
    }

    /// Takes all messages in the order posted. Call after the eventfd became readable or before sleeping.
    func takeAll() -> [Message] {
        messages.withLock { messages in
            guard !messages.isEmpty else { return [] }
            defer { messages = [] }
            return messages
        }
    }

    /// Makes the eventfd unreadable; messages posted from now on make it readable again.
    func acknowledge() {
        var count: UInt64 = 0
        _ = read(wakeFD, &count, 8)
    }
}
