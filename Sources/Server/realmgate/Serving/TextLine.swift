import HTTPMessages
import HTTPServer
import Logging
import ObjectModel

/// Builds a log line as text, byte by byte: time, level, label and message, then `name=value`.
///
/// Owns its memory, which nothing else has a pointer to. A busy server writes little but lines, so parts are copied to it
/// without an array's accounting for each.
struct TextLine: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity = 384
    private var count = 0

    init(_ level: Logger.Level, _ label: String, _ message: String) {
        base = .allocate(capacity: capacity)
        let now = Timestamp.now()
        // The capacity of an empty line is more than this.
        count = now.write(rfc3339: UnsafeMutableBufferPointer(start: base, count: capacity))
        if count == 0 { put(now.rfc3339) }
        put(" ")
        put(level.rawValue)
        put(" ")
        put(label)
        put(": ")
        plain(message, isQuoted: false)
    }

    deinit { base.deallocate() }

    /// Appends a value, in quotes unless it is a single word.
    mutating func field(_ name: String, _ value: String) {
        begin(name)
        var value = value
        let isWord = value.withUTF8 { text in
            !text.isEmpty && text.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x3d }
        }
        if isWord { return put(value) }
        put("\"")
        plain(value, isQuoted: true)
        put("\"")
    }

    /// Appends an address, which is a single word.
    mutating func field(_ name: String, _ address: RemoteAddress) {
        begin(name)
        guard case .v4(let host, let port) = address else { return put(address.description) }
        for shift: UInt32 in [24, 16, 8, 0] {
            digits(Int(host >> shift & 0xff))
            put(shift == 0 ? ":" : ".")
        }
        digits(Int(port))
    }

    /// Appends a non-negative integer.
    mutating func field(_ name: String, _ number: Int) {
        begin(name)
        digits(number)
    }

    /// Appends a non-negative number of thousandths as a decimal with at least one digit after the point.
    mutating func field(_ name: String, thousandths: Int) {
        begin(name)
        digits(thousandths / 1000)
        var (rest, unit) = (thousandths % 1000, 100)
        put(".")
        repeat {
            digits(rest / unit)
            (rest, unit) = (rest % unit, unit / 10)
        } while rest > 0
    }

    /// Returns the line with its line break.
    consuming func ended() -> [UInt8] {
        put("\n")
        return Array(UnsafeBufferPointer(start: base, count: count))
    }

    private mutating func begin(_ name: String) {
        put(" ")
        put(name)
        put("=")
    }

    @inline(__always)
    private mutating func reserve(_ extra: Int) { if capacity - count < extra { grow(extra) } }

    @inline(never)
    private mutating func grow(_ extra: Int) {
        capacity = max(capacity * 2, count + extra)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
    }

    private mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { text in
            guard let start = text.baseAddress else { return }
            reserve(text.count)
            (base + count).initialize(from: start, count: text.count)
            count += text.count
        }
    }

    private mutating func put(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    private mutating func digits(_ number: Int) {
        if number >= 10 { digits(number / 10) }
        put(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// Escapes line breaks and other control characters, so that text from a client cannot look like another line.
    private mutating func plain(_ text: String, isQuoted: Bool) {
        for byte in text.utf8 {
            if isQuoted, byte == UInt8(ascii: "\"") { put(UInt8(ascii: "\\")) }
            put(byte < 0x20 || byte == 0x7f ? UInt8(ascii: " ") : byte)
        }
    }
}
