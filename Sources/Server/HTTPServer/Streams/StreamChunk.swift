/// The chunk of a stream's bytes that is being sent, in the coding of RFC 9112: its size as a line, its bytes, and a
/// line break.
///
/// Clients that read a stream by chunks, such as Python's, pass on the bytes of one as soon as they have it whole, and
/// wait for some hundred bytes where the end of the connection is the only end. So a chunk is what waits when it
/// begins. Its two ends are written again for each call of the kernel, so that a stream costs no allocation for them.
struct StreamChunk {
    /// The number of bytes between the two ends; 0 for the last chunk of a stream.
    private var count = 0
    /// The number of bytes that have been sent, with those of the ends.
    private var sent = 0
    private(set) var isOpen = false
    /// Whether the last chunk has been sent.
    private(set) var wasLast = false

    /// Whether no further bytes can follow this chunk.
    var isLast: Bool { wasLast || isOpen && count == 0 }

    /// Enough memory for both ends.
    static let frameLimit = 20
    private static let lineBreak = 2

    /// Begins a chunk; the last one without bytes. None is open.
    mutating func open(_ count: Int) {
        self.count = count
        sent = 0
        isOpen = true
    }

    /// The number of bytes between the ends that have not been sent.
    var bytesLeft: Int { count - bytes(in: sent) }

    private var digits: Int { max((Int.bitWidth - count.leadingZeroBitCount + 3) / 4, 1) }

    private var sizeLine: Int { digits + Self.lineBreak }

    /// Returns how many of the first `sent` bytes are between the ends.
    private func bytes(in sent: Int) -> Int { min(max(sent - sizeLine, 0), count) }

    /// Counts bytes as sent, and returns how many of them were between the ends.
    mutating func advance(_ more: Int) -> Int {
        let before = bytes(in: sent)
        sent += more
        if isOpen, sent >= sizeLine + count + Self.lineBreak {
            isOpen = false
            wasLast = count == 0
        }
        return bytes(in: sent) - before
    }

    /// Writes what is left of both ends into the memory, and returns it.
    func ends(
        in frame: UnsafeMutableRawBufferPointer
    ) -> (start: UnsafeRawBufferPointer, end: UnsafeRawBufferPointer) {
        let size = sizeLine
        for index in 0..<digits {
            let digit = UInt8(truncatingIfNeeded: count >> (4 * (digits - 1 - index)) & 0xf)
            frame[index] = digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
        }
        for end in [size - 2, size] {
            frame[end] = 0x0d
            frame[end + 1] = 0x0a
        }
        let sentOfEnd = max(sent - size - count, 0)
        return (
            UnsafeRawBufferPointer(rebasing: frame[min(sent, size)..<size]),
            UnsafeRawBufferPointer(rebasing: frame[(size + sentOfEnd)..<(size + Self.lineBreak)])
        )
    }
}
