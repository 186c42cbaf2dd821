import HTTPMessages
import HTTPServer
import Logging
import ObjectModel

/// Builds a log line as text, byte by byte: time, level, label and message, then `name=value`.
struct TextLine {
    private var bytes: [UInt8] = []

    init(_ level: Logger.Level, _ label: String, _ message: String) {
        bytes.reserveCapacity(320)
        bytes += Timestamp.now().rfc3339.utf8
        bytes.append(UInt8(ascii: " "))
        bytes += level.rawValue.utf8
        bytes.append(UInt8(ascii: " "))
        bytes += label.utf8
        bytes += ": ".utf8
        plain(message, isQuoted: false)
    }

    /// Appends a value, in quotes unless it is a single word.
    mutating func field(_ name: String, _ value: String) {
        begin(name)
        var value = value
        let isWord = value.withUTF8 { text in
            !text.isEmpty && text.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x3d }
        }
        if isWord { return bytes += value.utf8 }
        bytes.append(UInt8(ascii: "\""))
        plain(value, isQuoted: true)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends an address, which is a single word.
    mutating func field(_ name: String, _ address: RemoteAddress) {
        begin(name)
        address.append(to: &bytes)
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
        bytes.append(UInt8(ascii: "."))
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest / unit))
            (rest, unit) = (rest % unit, unit / 10)
        } while rest > 0
    }

    /// Returns the line with its line break.
    mutating func ended() -> [UInt8] {
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private mutating func begin(_ name: String) {
        bytes.append(UInt8(ascii: " "))
        bytes += name.utf8
        bytes.append(UInt8(ascii: "="))
    }

    private mutating func digits(_ number: Int) {
        if number >= 10 { digits(number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// Escapes line breaks and other control characters, so that text from a client cannot look like another line.
    private mutating func plain(_ text: String, isQuoted: Bool) {
        for byte in text.utf8 {
            if isQuoted, byte == UInt8(ascii: "\"") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte < 0x20 || byte == 0x7f ? UInt8(ascii: " ") : byte)
        }
    }
}
