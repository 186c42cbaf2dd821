import CMicrohttpd
import Glibc

/// The socket side of one event stream. Lives on its loop's thread alone.
///
/// While nothing is in the way the connection is parked: suspended in the library, its socket watched by the
/// loop for a client that leaves, and events go to the socket directly. When the socket takes no more, the
/// connection is resumed and the library feeds the rest from `read` as the socket drains; once all is out it
/// parks again. Both write plain bytes in the same order, because the body has no framing.
final class Subscriber {
    let stream: EventStream
    unowned let connection: Connection
    /// Why the stream ends, when it is not the client's doing.
    var closeReason: EventStream.CloseReason?

    private var outgoing: [SharedBytes] = []
    private var first = 0
    /// Bytes of the first outgoing event that are out already.
    private var offset = 0
    private var finishing = false
    private var isParked = false
    private var lastProgress: Int64
    private var lastEvent: Int64

    init(stream: EventStream, connection: Connection) {
        self.stream = stream
        self.connection = connection
        lastProgress = connection.loop.now
        lastEvent = connection.loop.now
        prepareSocket()
        // The first bytes make the library send the head at once instead of waiting for a body to go with it.
        stream.send(.comment())
    }

    private var loop: EventLoop { connection.loop }
    private var hasOutgoing: Bool { first < outgoing.count }

    static func headers(adding headers: HeaderFields) -> HeaderFields {
        var all: HeaderFields = [
            "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
        ]
        for field in headers { all.add(field.name, field.value) }
        return all
    }

    /// The response that the library drives; it does not keep the subscriber alive, the connection does.
    func makeResponse(_ head: Response) -> OpaquePointer? {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let made = MHD_create_response_from_callback(
            .max, 8 * 1024,
            { context, _, buffer, size in
                guard let context, let buffer else { return -2 }
                let subscriber = Unmanaged<Subscriber>.fromOpaque(context).takeUnretainedValue()
                return subscriber.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
            }, context, nil)
        guard let made else { return nil }
        rg_mhd_set_identity_body(made)
        loop.addHeaders(head.headers, to: made)
        return made
    }

    /// The library's buffer is empty: fill it, or park, or end the body.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        lastProgress = loop.now
        if closeReason == .stuck || closeReason == .clientLeft { return end(in: buffer) }
        takeQueued()
        var filled = 0
        while hasOutgoing, filled < buffer.count {
            let event = outgoing[first]
            let count = min(event.count - offset, buffer.count - filled)
            event.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
            }
            filled += count
            advance(by: count)
        }
        if filled > 0 {
            stream.didSend(filled)
            return filled
        }
        if finishing { return end(in: buffer) }
        park()
        return 0
    }

    /// Ends the body by ending the connection.
    ///
    /// The library's own ways, the two negative results, close the connection and then forget about it: its
    /// socket stays open for as long as an older connection idles. A write that fails is cleaned up after at
    /// once, so the socket is shut, which sends what the kernel has and then the end, and the library gets a
    /// byte that it cannot write.
    private func end(in buffer: UnsafeMutableRawBufferPointer) -> Int {
        if closeReason == nil { closeReason = .finished }
        connection.cut()
        buffer[0] = UInt8(ascii: "\n")
        return 1
    }

    /// The stream has news: events, or its end.
    func pump() {
        takeQueued()
        guard isParked else { return }
        sendDirectly()
        if hasOutgoing || finishing { unpark() }
    }

    /// Ends the stream: after what is queued when the reason allows, at once when the client is the cause.
    func finish(_ reason: EventStream.CloseReason) {
        if closeReason == nil { closeReason = reason }
        takeQueued()
        finishing = true
        unpark()
    }

    /// Called about once a second.
    func tick(_ now: Int64) {
        if hasOutgoing || !isParked {
            guard now - lastProgress >= Int64(loop.configuration.streamStuckTimeout), closeReason == nil else { return }
            loop.counters.stuckStreamCounter.move(by: 1)
            finish(.stuck)
            connection.cut()
        } else if now - lastEvent >= Int64(loop.configuration.streamHeartbeat) {
            stream.send(loop.heartbeat)
        }
    }

    private func prepareSocket() {
        let fd = connection.fd
        setFlag(fd, Int32(IPPROTO_TCP), TCP_NODELAY)
        // A client that does not keep up should be known soon, not when megabytes wait in the kernel.
        setFlag(fd, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, 64 * 1024)
        // Ends connections whose peer vanished without a word and leaves data unacknowledged.
        setFlag(fd, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: loop.configuration.streamStuckTimeout))
    }

    private func takeQueued() {
        let (events, finishing) = stream.takeQueued()
        if finishing { self.finishing = true }
        guard !events.isEmpty else { return }
        lastEvent = loop.now
        if hasOutgoing {
            outgoing.append(contentsOf: events)
        } else {
            outgoing = events
            first = 0
            // Time without progress counts from when there is something to send.
            lastProgress = loop.now
        }
    }

    private func advance(by count: Int) {
        offset += count
        while hasOutgoing, offset >= outgoing[first].count {
            offset -= outgoing[first].count
            first += 1
        }
        if !hasOutgoing {
            outgoing.removeAll()
            first = 0
        } else if first >= 64 {
            outgoing.removeFirst(first)
            first = 0
        }
    }

    private func sendDirectly() {
        while hasOutgoing {
            let batch = outgoing[first..<min(first + 16, outgoing.count)]
            let sent = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 16) { vectors in
                var skip = offset
                var count = 0
                for event in batch {
                    vectors.initializeElement(
                        at: count,
                        to: iovec(iov_base: event.pointer.baseAddress.map { $0 + skip }, iov_len: event.count - skip))
                    skip = 0
                    count += 1
                }
                var message = msghdr()
                message.msg_iov = vectors.baseAddress
                message.msg_iovlen = count
                return sendmsg(connection.fd, &message, sendFlags)
            }
            guard sent >= 0 else {
                if errno == EINTR { continue }
                if errno != EAGAIN { finish(.clientLeft) }
                return
            }
            lastProgress = loop.now
            advance(by: sent)
            stream.didSend(sent)
        }
    }

    private func park() {
        guard !isParked else { return }
        isParked = true
        loop.watch(connection)
        MHD_suspend_connection(connection.handle)
    }

    private func unpark() {
        guard isParked else { return }
        isParked = false
        loop.unwatch(connection)
        loop.resume(connection)
    }
}
