import Glibc

/// Measures whether the client reads its response.
extension Connection {
    /// Returns for how many milliseconds the client has read nothing of a large response; nil if none is being sent, or
    /// if the client is waiting for the server. Called at each tick.
    func responseIdleTime() -> Int64? {
        guard phase == .responding, bodyStream != nil || wholeBytes > 0 else { return nil }
        let acknowledged = acknowledgedBytes()
        if acknowledged != lastAcknowledged || awaitedBodyStream != nil || bufferedBytes == 0 {
            lastAcknowledged = acknowledged
            lastProgress = loop.now
        }
        return loop.now - lastProgress
    }

    /// The memory of the response body, in bytes.
    var bufferedBytes: Int { bodyStream.map { $0.bufferedBytes } ?? wholeBytes }

    /// Returns the number of bytes that the client's system has acknowledged since the connection was opened.
    private func acknowledgedBytes() -> UInt64 {
        // The offset of `tcpi_bytes_acked` in the kernel's `tcp_info`; the C library's older struct does not have it.
        let offset = 120
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
            var size = socklen_t(buffer.count)
            guard getsockopt(fd, Int32(IPPROTO_TCP), TCP_INFO, buffer.baseAddress, &size) == 0,
                Int(size) >= offset + 8
            else { return 0 }
            return buffer.load(fromByteOffset: offset, as: UInt64.self)
        }
    }

    /// Closes the connection at once and discards the data in the kernel's buffer.
    func closeStalledResponse() {
        var abort = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
        loop.counters.stalledResponseCounter.move(by: 1)
        cut()
    }
}

extension Connection {
    /// Whether the client has ended the connection without the library's noticing, so that no request can come any
    /// more. Called at each tick.
    ///
    /// If a client sends its last bytes and ends at once, epoll reports it once. The library reads the bytes, gets less
    /// than its buffer holds, and waits for another report, which never comes. So the loop has epoll report the end
    /// alone, too (`EventLoop.watch`), and this looks only at a connection whose end was reported, or cannot be.
    func hasHungUpUnseen() -> Bool {
        guard looksForEnd, phase == .awaiting || phase == .receiving else { return false }
        // The first time, the library may still have bytes to process that complete the request.
        let (wasAtEnd, isAtEnd) = (wasAtEnd, isAtEnd)
        self.wasAtEnd = isAtEnd
        return wasAtEnd && isAtEnd
    }

    /// Whether the client will send nothing more, and the library has read everything.
    private var isAtEnd: Bool {
        var byte: UInt8 = 0
        return recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Whether bytes have arrived that the library has not read.
    var hasUnreadBytes: Bool {
        var byte: UInt8 = 0
        return recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
}
