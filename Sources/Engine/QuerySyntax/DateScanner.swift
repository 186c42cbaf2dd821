/// Scans the date constants of a query text, which look like numbers and names at their start.
struct DateScanner {
    enum Parts {
        case seconds(Int64, nanoseconds: Int32)
        /// Year, month, day, hour, minute, second.
        case calendar([Int], nanoseconds: Int32)
        /// A date by its form, with a number in it that no integer holds.
        case outOfRange
        /// The beginning of an incomplete date, with a suggestion.
        case incomplete(hint: String?)
    }

    private let bytes: [UInt8]
    private(set) var position: Int

    init(bytes: [UInt8], position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The date at the position, or nil if none starts there; the position is then past it.
    mutating func scan() -> Parts? {
        if consume(0x54) { return scanSeconds() }
        let start = position
        guard let year = digits(signed: false), consume(0x2D), let month = digits(signed: false), consume(0x2D),
            let day = digits(signed: false)
        else { return nil }
        // Only a date begins with three numbers and a minus between each: a time must follow.
        let date = String(decoding: bytes[start..<position], as: UTF8.self)
        guard consume(0x40) || consume(0x54) else { return .incomplete(hint: date + "@0:0:0") }
        guard let hour = digits(signed: false), consume(0x3A), let minute = digits(signed: false), consume(0x3A),
            let second = digits(signed: false)
        else { return .incomplete(hint: date + "@0:0:0") }
        var nanoseconds = "0"
        if consume(0x3A) {
            guard let text = digits(signed: false) else { return .incomplete(hint: nil) }
            nanoseconds = text
        }
        let fields = [year, month, day, hour, minute, second].compactMap { Int($0) }
        guard fields.count == 6, let nanoseconds = Int32(nanoseconds) else { return .outOfRange }
        return .calendar(fields, nanoseconds: nanoseconds)
    }

    /// `5:-3`, after the `T`.
    private mutating func scanSeconds() -> Parts? {
        guard let seconds = digits(signed: true), consume(0x3A) else { return nil }
        guard let nanoseconds = digits(signed: true) else { return .incomplete(hint: "T\(seconds):0") }
        guard let wholeSeconds = Int64(seconds), let rest = Int32(nanoseconds) else { return .outOfRange }
        return .seconds(wholeSeconds, nanoseconds: rest)
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func digits(signed: Bool) -> String? {
        let start = position
        if signed { if !consume(0x2D) { _ = consume(0x2B) } }
        let first = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        return position > first ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }
}
