import ObjectModel

extension Lexer {
    /// A number, with a sign directly before it, or nil if none begins here.
    mutating func number() throws(LexicalError) -> ParsedConstant? {
        let start = position
        let isNegative = peek() == 0x2D
        let first = isNegative || peek() == 0x2B ? start + 1 : start
        if first > start, let special = specialNumber(at: first) {
            position = special.end
            // No comparison can see the sign of a NaN; without it, equal queries are equal.
            return .value(.double(isNegative && !special.value.isNaN ? -special.value : special.value))
        }
        guard isDigit(first) || (first < bytes.count && bytes[first] == 0x2E && isDigit(first + 1)) else { return nil }
        if let hexadecimal = try hexadecimalNumber(at: first, isNegative: isNegative) { return hexadecimal }
        let (end, isFraction) = endOfDecimal(from: first)
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        position = end
        let double = isFraction ? Double(padded(text)) ?? .infinity : .infinity
        // A number that no type can hold would become 0, and find other objects.
        if double == 0, Decimal128(text)?.isZero != false,
            text.prefix(while: { $0 != "e" && $0 != "E" }).contains(where: { "1"..."9" ~= $0 })
        {
            throw LexicalError(
                message: "The number is too close to zero: the smallest that a value can have is 1e-6176.",
                range: SourceRange(start: start, end: end))
        }
        if end < bytes.count, bytes[end] | 0x20 == 0x66, !(end + 1 < bytes.count && Self.continuesName(bytes[end + 1]))
        {
            position += 1
            let value = Float(padded(text)) ?? .infinity
            // Infinity cannot be written as a number, so the excess digits are not needed.
            return value.isInfinite ? .value(.double(Double(value))) : .floating(.float(value), text: text)
        }
        if !isFraction, let value = Int64(text) { return .value(.int(value)) }
        return .floating(.double(isFraction ? double : Double(text) ?? .infinity), text: text)
    }

    /// The end of the digits, the point and the exponent, and whether there is a point or an exponent.
    private func endOfDecimal(from first: Int) -> (end: Int, isFraction: Bool) {
        var end = first
        var isFraction = false
        while isDigit(end) { end += 1 }
        if end < bytes.count, bytes[end] == 0x2E {
            isFraction = true
            end += 1
            while isDigit(end) { end += 1 }
        }
        if end < bytes.count, bytes[end] | 0x20 == 0x65 {
            var exponent = end + 1
            if exponent < bytes.count, bytes[exponent] == 0x2B || bytes[exponent] == 0x2D { exponent += 1 }
            if isDigit(exponent) {
                isFraction = true
                while isDigit(exponent) { exponent += 1 }
                end = exponent
            }
        }
        return (end, isFraction)
    }

    private mutating func hexadecimalNumber(
        at first: Int, isNegative: Bool
    ) throws(LexicalError) -> ParsedConstant? {
        guard first + 2 < bytes.count, bytes[first] == 0x30, bytes[first + 1] | 0x20 == 0x78,
            Self.isHexadecimal(bytes[first + 2])
        else { return nil }
        let start = position
        position = first + 2
        while let byte = peek(), Self.isHexadecimal(byte) { position += 1 }
        let digits = String(decoding: bytes[first + 2..<position], as: UTF8.self)
        guard let value = Int64((isNegative ? "-" : "") + digits, radix: 16) else {
            throw LexicalError(
                message: "This number does not fit 64 bits.", range: SourceRange(start: start, end: position))
        }
        return .value(.int(value))
    }

    /// Swift parses neither `.5` nor `10.`; both are numbers in a query.
    private func padded(_ text: String) -> String {
        guard let point = text.utf8.firstIndex(of: 0x2E) else { return text }
        let before = text[..<point]
        let after = text[text.index(after: point)...]
        let isLeadingMissing = before.utf8.last.map { !(0x30...0x39).contains($0) } ?? true
        let isTrailingMissing = after.utf8.first.map { !(0x30...0x39).contains($0) } ?? true
        return before + (isLeadingMissing ? "0." : ".") + (isTrailingMissing ? "0" : "") + after
    }

    private func specialNumber(at start: Int) -> (value: Double, end: Int)? {
        for (word, value) in [("infinity", Double.infinity), ("inf", .infinity), ("nan", .nan)] {
            let end = start + word.utf8.count
            guard end <= bytes.count, bytes[start..<end].elementsEqual(word.utf8, by: { $0 | 0x20 == $1 }),
                end == bytes.count || !(Self.continuesName(bytes[end]) || bytes[end] == 0x5C)
            else { continue }
            return (value, end)
        }
        return nil
    }

    /// `T5:-3`, `2017-12-31@23:59:59` and `2017-12-31T23:59:59:123`, or nil if no date begins here.
    mutating func date() throws(LexicalError) -> Timestamp? {
        let start = position
        var scanner = DateScanner(bytes: bytes, position: position)
        guard let parts = scanner.scan() else { return nil }
        position = scanner.position
        let range = SourceRange(start: start, end: position)
        switch parts {
        case .incomplete(let hint):
            throw LexicalError(
                message: "A date needs a time, and is written 2017-12-31@23:59:59 or T<seconds>:<nanoseconds>.",
                range: range, hint: hint)
        case .outOfRange:
            throw LexicalError(message: "Invalid timestamp format: this date is out of range.", range: range)
        case .seconds(let seconds, let nanoseconds): return try date(seconds, nanoseconds, range)
        case .calendar(let fields, let nanoseconds):
            guard fields[0] >= 1900 else {
                throw LexicalError(message: "Conversion of dates before 1900 is not supported.", range: range)
            }
            guard
                let whole = Timestamp(
                    year: fields[0], month: fields[1], day: fields[2], hour: fields[3], minute: fields[4],
                    second: fields[5])
            else { throw LexicalError(message: "This date is not in the calendar.", range: range) }
            // Realm counts the nanoseconds away from zero, on either side of 1970.
            return try date(whole.seconds, whole.seconds < 0 ? -nanoseconds : nanoseconds, range)
        }
    }

    private func date(
        _ seconds: Int64, _ nanoseconds: Int32, _ range: SourceRange
    ) throws(LexicalError) -> Timestamp {
        guard (-999_999_999...999_999_999).contains(nanoseconds) else {
            throw LexicalError(
                message: "Invalid timestamp format: there are at most 999999999 nanoseconds in a second.", range: range)
        }
        guard let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else {
            throw LexicalError(message: "Invalid timestamp format: both parts have the same sign.", range: range)
        }
        return date
    }
}
