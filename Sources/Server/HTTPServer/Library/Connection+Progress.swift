import Glibc

/// Whether the client takes what it is sent.
extension Connection {
    /// For how long the client has taken nothing of a large answer, in milliseconds; nil when it is sent none, or waits
    /// itself. Called at each tick.
    func answerIdleTime() -> Int64? {
        guard phase == .responding, bodyStream != nil || wholeBytes > 0 else { return nil }
        let acknowledged = acknowledgedBytes()
        if acknowledged != lastAcknowledged || awaitedBodyStream != nil || heldBytes == 0 {
            lastAcknowledged = acknowledged
            lastProgress = loop.now
        }
        return loop.now - lastProgress
    }

    /// Of the answer: what is in memory for it.
    var heldBytes: Int { bodyStream.map { $0.heldBytes } ?? wholeBytes }

    /// What the client's system has acknowledged since the connection was opened.
    private func acknowledgedBytes() -> UInt64 {
        // The place of `tcpi_bytes_acked` in the kernel's `tcp_info`, which the C library's older form lacks.
        let place = 120
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
            var size = socklen_t(buffer.count)
            guard getsockopt(fd, Int32(IPPROTO_TCP), TCP_INFO, buffer.baseAddress, &size) == 0,
                Int(size) >= place + 8
            else { return 0 }
            return buffer.load(fromByteOffset: place, as: UInt64.self)
        }
    }

    /// Ends the connection at once, with what the kernel still holds for a reader that does not read.
    func cutStuckAnswer() {
        var abort = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
        loop.counters.stuckAnswerCounter.move(by: 1)
        cut()
    }
}
