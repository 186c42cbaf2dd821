import HTTPMessages
import CMicrohttpd
import Cryptography
import Glibc

/// The sockets of one loop's event streams. Used only on that loop's thread.
///
/// The library has released these sockets. Events are sent with non-blocking writes of shared bytes, several events in
/// one; when the socket accepts no more, the rest waits until epoll reports space. The loop handles requests between
/// two bounded parts of this work, so that no number of streams delays a request.
///
/// To clients of HTTP/1.1 the events go in chunks, each of what waits when it begins (``StreamChunk``); to others up to the
/// end of the connection.
///
/// Sockets are registered once, edge-triggered: space is reported only after a write found none, input from the client
/// is discarded, and a client that closes, half-closes, or is killed is reported at once. The kernel detects one that
/// vanishes without closing: unacknowledged data ends the connection after the time that makes a stream stuck, and an
/// idle connection is probed.
final class StreamSockets {
    /// The amount of work for streams between two turns of the requests: about a millisecond.
    struct Budget {
        var writes = 64
        var bytes = 1 << 20
        var isSpent: Bool { writes <= 0 || bytes <= 0 }
    }

    struct Entry {
        /// `nil` for a free entry.
        var stream: EventStream?
        var fd: Int32 = -1
        /// Distinguishes a stream from earlier ones at the same index.
        var generation: UInt32 = 0
        /// Events taken from the stream but not yet accepted by the kernel.
        var outgoing = EventQueue()
        /// The number of bytes at the front that are the response head, which the stream does not count.
        var headBytes = 0
        /// The number of bytes of the oldest outgoing event that have been sent.
        var offset = 0
        /// When the kernel last accepted data, or there was nothing to send, in monotonic milliseconds.
        var lastProgress: Int64 = 0
        var heartbeatDue: Int64 = 0
        /// The chunk that is being sent. Declared after the other numbers, so that the flags fit into its padding.
        var chunk = StreamChunk()
        /// The socket accepts no more until epoll reports space.
        var isBlocked = false
        /// Whether the events are sent in chunks.
        var isChunked = false
        /// The stream uses a TLS session; see `secured`.
        var isSecure = false
        /// Whether it is in the backlog.
        var isListed = false
        /// The reason with which the stream ends once everything is sent.
        var ending: EventStream.CloseReason?
    }

    /// The additional state of a stream over TLS.
    struct SecureSide {
        let session: TLSSession
        let connection: Connection
        /// A record in the session waits for space in the socket.
        var hasWaitingRecord = false

        init(session: TLSSession, connection: Connection) {
            self.session = session
            self.connection = connection
        }
    }

    private let configuration: ServerConfiguration
    private let counters: ServerCounters
    private let inbox: LoopInbox
    private let epoll: Int32
    private let heartbeat = SharedBytes.comment()

    private var entries: [Entry] = []
    private var vacant: [Int] = []
    /// By index. A separate table, so that streams without TLS need no memory for it.
    private var secured: [Int: SecureSide] = [:]
    /// Streams with pending work, in the order of their turns.
    private var backlog: [UInt64] = []
    private var nextInBacklog = 0
    /// This loop's part of the counter.
    private var countedBytes = 0

    init(configuration: ServerConfiguration, counters: ServerCounters, inbox: LoopInbox, epoll: Int32) {
        self.configuration = configuration
        self.counters = counters
        self.inbox = inbox
        self.epoll = epoll
    }

    var isEmpty: Bool { entries.count == vacant.count }
    var hasBacklog: Bool { nextInBacklog < backlog.count }

    // MARK: - Coming and going

    /// Creates a stream for a socket, whose ownership it takes, and sends the response head before anything else.
    /// Returns `nil`, with the socket closed, if it cannot be registered. With TLS the connection keeps the socket, and
    /// is notified of the stream's end.
    func adopt(_ fd: Int32, _ head: StreamHead, now: Int64, secure: SecureSide? = nil) -> EventStream? {
        let slot = vacant.popLast() ?? entries.count
        if slot == entries.count { entries.append(Entry()) }
        let generation = entries[slot].generation &+ 1
        let id = UInt64(generation) << 32 | UInt64(slot)
        prepare(fd)
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        event.data.u64 = id
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 else {
            if secure == nil { close(fd) }
            vacant.append(slot)
            return nil
        }
        let stream = EventStream(limit: configuration.streamQueueLimit, inbox: inbox, id: id)
        entries[slot] = Entry(stream: stream, fd: fd, generation: generation, lastProgress: now)
        if let secure {
            entries[slot].isSecure = true
            secured[slot] = secure
        }
        entries[slot].outgoing.append(head.bytes)
        entries[slot].headBytes = head.bytes.count
        entries[slot].isChunked = head.isChunked
        entries[slot].heartbeatDue = now + configuration.heartbeatDelay(ofStream: slot)
        list(id)
        return stream
    }

    private func prepare(_ fd: Int32) {
        let seconds = max(configuration.streamStuckTimeout / 1000, 2)
        setFlag(fd, Int32(IPPROTO_TCP), TCP_NODELAY)
        // A client that does not keep up should be noticed soon, not when megabytes are in the kernel's buffer.
        setFlag(fd, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, 64 * 1024)
        setFlag(fd, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: configuration.streamStuckTimeout))
        setFlag(fd, SOL_SOCKET, SO_KEEPALIVE)
        setFlag(fd, Int32(IPPROTO_TCP), TCP_KEEPIDLE, Int32(clamping: seconds / 2))
        setFlag(fd, Int32(IPPROTO_TCP), TCP_KEEPINTVL, Int32(clamping: max(seconds / 6, 1)))
        setFlag(fd, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    }

    private func end(_ slot: Int, _ reason: EventStream.CloseReason) {
        guard let stream = entries[slot].stream else { return }
        let fd = entries[slot].fd
        if reason == .stuck {
            // The kernel's buffer would wait for a client that does not read.
            var abort = linger(l_onoff: 1, l_linger: 0)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
            counters.stuckStreamCounter.move(by: 1)
        } else if reason != .clientLeft {
            // Unread input would turn the close into a reset, and the client would lose the last events.
            discardInput(slot)
        }
        let secure = secured.removeValue(forKey: slot)
        entries[slot] = Entry(generation: entries[slot].generation)
        vacant.append(slot)
        // First the owner and the counter, then the client: who sees the end must not find the stream open elsewhere.
        stream.didClose(reason)
        counters.streamCounter.move(by: -1)
        if let secure {
            epoll_ctl(epoll, EPOLL_CTL_DEL, fd, nil)
            let abrupt = reason == .stuck || reason == .clientLeft || secure.hasWaitingRecord
            secure.connection.secureStreamEnded(abrupt: abrupt)
        } else {
            close(fd)
        }
        if isEmpty { countBytes(0) }
    }

    private func countBytes(_ count: Int) {
        counters.streamByteCounter.move(by: count - countedBytes)
        countedBytes = count
    }

    private func slot(of id: UInt64) -> Int? {
        let slot = Int(id & 0xffff_ffff)
        guard slot < entries.count, entries[slot].stream != nil, entries[slot].generation == UInt32(id >> 32) else {
            return nil
        }
        return slot
    }

    // MARK: - Notifications

    /// Adds a stream to the backlog.
    func list(_ id: UInt64) {
        guard let slot = slot(of: id), !entries[slot].isListed else { return }
        entries[slot].isListed = true
        backlog.append(id)
    }

    /// Handles epoll's events of a stream's socket.
    func handle(_ events: UInt32, of id: UInt64) {
        guard let slot = slot(of: id) else { return }
        if events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            end(slot, .clientLeft)
            return
        }
        if events & EPOLLIN.rawValue != 0, !discardInput(slot) {
            end(slot, .clientLeft)
            return
        }
        if events & EPOLLOUT.rawValue != 0, entries[slot].isBlocked {
            entries[slot].isBlocked = false
            list(id)
        }
    }

    /// Discards the received input. Returns false for a client that sends faster than that.
    @discardableResult
    private func discardInput(_ slot: Int) -> Bool {
        if entries[slot].isSecure { return secured[slot]?.session.discardInput() ?? false }
        let fd = entries[slot].fd
        // More than the kernel's receive buffer, so that only a client that sends continuously is disconnected.
        let most = 1 << 26
        for _ in 0..<16 {
            // TCP discards truncated bytes without copying them.
            if recv(fd, nil, most, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT)) < most { return true }
        }
        return false
    }

    // MARK: - Sending

    /// Gives each stream a turn until all had one or the budget is spent; `hasBacklog` tells which.
    func work(_ budget: Budget = Budget(), now: Int64) {
        var budget = budget
        while !budget.isSpent, nextInBacklog < backlog.count {
            let id = backlog[nextInBacklog]
            nextInBacklog += 1
            guard let slot = slot(of: id) else { continue }
            entries[slot].isListed = false
            advance(slot, &budget, now)
        }
        if nextInBacklog == backlog.count {
            backlog.removeAll(keepingCapacity: backlog.capacity <= 4_096)
            nextInBacklog = 0
        } else if nextInBacklog >= 4_096, nextInBacklog * 2 >= backlog.count {
            backlog.removeFirst(nextInBacklog)
            nextInBacklog = 0
        }
    }

    private func advance(_ slot: Int, _ budget: inout Budget, _ now: Int64) {
        guard let stream = entries[slot].stream else { return }
        let (queued, finishing) = stream.takeQueued()
        if finishing, entries[slot].ending == nil { entries[slot].ending = .finished }
        if !queued.isEmpty {
            // The time without progress begins when there is something to send.
            if !entries[slot].isSending { entries[slot].lastProgress = now }
            entries[slot].outgoing.append(queued)
            entries[slot].heartbeatDue = now + configuration.heartbeatDelay(ofStream: slot)
        }
        guard !entries[slot].isBlocked else { return }
        while entries[slot].prepare(Self.eventsPerWrite) {
            guard !budget.isSpent else {
                list(UInt64(entries[slot].generation) << 32 | UInt64(slot))
                return
            }
            let sent = entries[slot].isSecure ? writeSecurely(slot) : write(entries[slot])
            budget.writes -= 1
            guard sent >= 0 else {
                switch Int32(-sent) {
                case EINTR: continue
                case EAGAIN: entries[slot].isBlocked = true
                default: end(slot, .clientLeft)
                }
                return
            }
            budget.bytes -= sent
            entries[slot].lastProgress = now
            stream.didSend(entries[slot].drop(sent))
        }
        if let reason = entries[slot].ending { end(slot, reason) }
    }

    /// The number of events that are sent by one call at most, which is also that of a chunk.
    private static let eventsPerWrite = 32

    /// Writes as many waiting events as fit into one call. Returns the number of bytes sent, or the negated error
    /// number.
    private func write(_ entry: Entry) -> Int {
        // A head, the two ends of a chunk, and the events.
        let most = Self.eventsPerWrite + 3
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: most) { vectors in
            withUnsafeTemporaryAllocation(byteCount: StreamChunk.frameLimit, alignment: 1) { frame in
                var count = 0
                entry.forEachPart(framing: frame) { part in
                    vectors.initializeElement(
                        at: count,
                        to: iovec(iov_base: UnsafeMutableRawPointer(mutating: part.baseAddress), iov_len: part.count))
                    count += 1
                    return count < most
                }
                var message = msghdr()
                message.msg_iov = vectors.baseAddress
                message.msg_iovlen = count
                let sent = sendmsg(entry.fd, &message, sendFlags)
                return sent >= 0 ? sent : -Int(errno)
            }
        }
    }

    /// Sends one record with as many waiting events as fit, or the waiting record. Returns the same as `write`.
    private func writeSecurely(_ slot: Int) -> Int {
        guard let secure = secured[slot] else { return -Int(EPIPE) }
        let sent: Int
        if secure.hasWaitingRecord {
            sent = secure.session.flush()
        } else {
            let entry = entries[slot]
            sent = withUnsafeTemporaryAllocation(byteCount: TLSSession.recordLimit, alignment: 1) { record in
                withUnsafeTemporaryAllocation(byteCount: StreamChunk.frameLimit, alignment: 1) { frame in
                    var count = 0
                    entry.forEachPart(framing: frame) { part in
                        let part = part.prefix(record.count - count)
                        UnsafeMutableRawBufferPointer(rebasing: record[count...]).copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: part))
                        count += part.count
                        return count < record.count
                    }
                    return secure.session.send(UnsafeRawBufferPointer(rebasing: record[..<count]))
                }
            }
        }
        secured[slot]?.hasWaitingRecord = sent == -Int(EAGAIN) || (sent == -Int(EINTR))
        return sent
    }

    // MARK: - Time

    /// Called about once a second: closes stuck streams, and sends heartbeats that are due.
    func tick(_ now: Int64) {
        var waiting = 0
        defer { countBytes(waiting) }
        for slot in entries.indices {
            guard let stream = entries[slot].stream else { continue }
            waiting += stream.waitingBytes
            if entries[slot].isSending {
                let silence = now - entries[slot].lastProgress
                if entries[slot].isBlocked, silence >= Int64(configuration.streamStuckTimeout) { end(slot, .stuck) }
            } else if now >= entries[slot].heartbeatDue {
                stream.send(heartbeat, isEvent: false)
            }
        }
    }

    // MARK: - Stopping

    /// Ends all streams after the queued events and a closing event, which ignores the limit.
    func finishAll(_ closingEvent: SharedBytes?) {
        for slot in entries.indices {
            guard let stream = entries[slot].stream else { continue }
            stream.beginEnding()
            if entries[slot].ending == nil { entries[slot].ending = .serverStopping }
            if let closingEvent, !entries[slot].chunk.isLast {
                entries[slot].outgoing.append(stream.takeQueued().events)
                entries[slot].outgoing.append(closingEvent)
            }
            list(UInt64(entries[slot].generation) << 32 | UInt64(slot))
        }
    }

    /// Closes the streams that `finishAll` has not ended.
    func cutAll() {
        for slot in entries.indices { end(slot, .serverStopping) }
    }
}

/// The response head of a stream, and how the bytes after it are framed.
struct StreamHead {
    let bytes: SharedBytes
    let isChunked: Bool

    /// - Parameter isChunked: whether the client understands chunks; the end of the connection ends the stream
    ///   otherwise.
    init(_ response: Response, isChunked: Bool) {
        var response = response
        if isChunked { response.headers["Transfer-Encoding"] = "chunked" }
        bytes = SharedBytes(ResponseHead(response, contentLength: nil).bytes)
        self.isChunked = isChunked
    }
}

extension StreamSockets.Entry {
    /// Whether something waits for the socket.
    var isSending: Bool { !outgoing.isEmpty || chunk.isOpen }

    /// Begins the next chunk unless one is being sent. Returns whether there is something to send.
    ///
    /// - Parameter most: the number of events of a chunk at most.
    mutating func prepare(_ most: Int) -> Bool {
        guard isChunked, !chunk.isOpen else { return isSending }
        guard !chunk.wasLast else { return false }
        var count = 0
        for event in outgoing.dropFirst(headBytes > 0 ? 1 : 0).prefix(most) { count += event.count }
        if count > 0 {
            chunk.open(count)
        } else if ending != nil {
            chunk.open(0)
        }
        return isSending
    }

    /// Passes on the bytes to send next, in their order, until `take` returns false: a rest of the head, and a chunk or, if
    /// there are none, all events.
    ///
    /// - Parameter frame: memory for the two ends of a chunk, which are passed on, too.
    func forEachPart(framing frame: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) {
        var skip = offset
        var events = outgoing[...]
        if headBytes > 0, let head = events.popFirst() {
            guard take(head.bytes(from: skip)) else { return }
            skip = 0
        }
        var left = Int.max
        var end: UnsafeRawBufferPointer?
        if isChunked {
            guard chunk.isOpen else { return }
            let ends = chunk.ends(in: frame)
            if !ends.start.isEmpty, !take(ends.start) { return }
            left = chunk.bytesLeft
            end = ends.end
        }
        while left > 0, let event = events.popFirst() {
            let part = UnsafeRawBufferPointer(rebasing: event.bytes(from: skip).prefix(left))
            skip = 0
            left -= part.count
            guard take(part) else { return }
        }
        if let end { _ = take(end) }
    }

    /// Removes sent bytes from the queue, and returns how many of them were the stream's.
    mutating func drop(_ sent: Int) -> Int {
        let head = min(headBytes, sent)
        headBytes -= head
        let ofEvents = isChunked ? chunk.advance(sent - head) : sent - head
        offset += head + ofEvents
        while let oldest = outgoing.first, offset >= oldest.count {
            offset -= oldest.count
            outgoing.removeOldest()
        }
        return ofEvents
    }
}

extension SharedBytes {
    /// The bytes without the first ones.
    fileprivate func bytes(from start: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(pointer).dropFirst(start))
    }
}
