/// Finds the date constants of a query text, which look like numbers and names at their start.
struct DateScanner {
    enum Parts {
        case seconds(Int64, nanoseconds: Int32)
        /// Year, month, day, hour, minute, second.
        case calendar([Int], nanoseconds: Int32)
        /// A date by its form, with a number in it that no integer holds.
        case outOfRange
    }

    private let bytes: [UInt8]
    private(set) var position: Int

    init(bytes: [UInt8], position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The date at the position, or nil if none starts there; the position is then past it.
    mutating func scan() -> Parts? {
        if take(0x54) {
            guard let seconds = digits(signed: true), take(0x3A), let nanoseconds = digits(signed: true) else {
                return nil
            }
            guard let wholeSeconds = Int64(seconds), let rest = Int32(nanoseconds) else { return .outOfRange }
            return .seconds(wholeSeconds, nanoseconds: rest)
        }
        var fields: [Int] = []
        let separators: [UInt8?] = [0x2D, 0x2D, nil, 0x3A, 0x3A]
        for index in 0..<6 {
            guard let text = digits(signed: false) else { return nil }
            fields.append(Int(text) ?? .max)
            guard index < 5 else { break }
            if let separator = separators[index] {
                guard take(separator) else { return nil }
            } else {
                guard take(0x40) || take(0x54) else { return nil }
            }
        }
        guard take(0x3A) else { return .calendar(fields, nanoseconds: 0) }
        guard let text = digits(signed: false) else { return nil }
        guard let nanoseconds = Int32(text) else { return .outOfRange }
        return .calendar(fields, nanoseconds: nanoseconds)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func digits(signed: Bool) -> String? {
        let start = position
        if signed { _ = take(0x2D) }
        let first = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        return position > first ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }
}
