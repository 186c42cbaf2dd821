import CDecimal

extension Decimal128: LosslessStringConvertible {
    /// Parses digits with an optional sign, point and exponent, or `NaN`, `inf` or `Infinity` in either case with an
    /// optional sign. Returns nil for anything else and for numbers beyond the range, which would become infinite.
    /// Digits beyond the 34th are rounded, half to even; a number too small for the range is rounded to zero. Trailing
    /// zeros are kept: 1.10 stays 1.10.
    package init?(_ text: String) {
        var scanner = DecimalScanner(rest: text.utf8[...])
        let isNegative = scanner.sign()
        if let word = scanner.word() {
            switch word {
            case "nan": self = isNegative ? -.nan : .nan
            case "inf", "infinity": self = isNegative ? -.infinity : .infinity
            default: return nil
            }
            return
        }
        guard let normalized = scanner.number(isNegative: isNegative) else { return nil }
        self.init(cdecimal_from_text(normalized))
        if isInfinite { return nil }
    }

    /// Plain notation where that has at most six zeros after the point, otherwise with an exponent; it has all digits,
    /// so that parsing the text gives the same encoding. NaN, Infinity and -Infinity.
    package var description: String {
        if isNaN { return "NaN" }
        let sign = isNegative ? "-" : ""
        if isInfinite { return sign + "Infinity" }
        let digits = String(digits)
        let exponent = exponent
        let leading = exponent + digits.utf8.count
        if exponent == 0 { return sign + digits }
        if exponent < 0, leading > 0 { return sign + digits.prefix(leading) + "." + digits.dropFirst(leading) }
        if exponent < 0, leading > -6 { return sign + "0." + String(repeating: "0", count: -leading) + digits }
        let fraction = digits.utf8.count > 1 ? "." + digits.dropFirst() : ""
        return sign + digits.prefix(1) + fraction + "E" + (leading > 0 ? "+" : "") + String(leading - 1)
    }
}

/// Scans the text of a decimal and rewrites it as a text that Intel's library parses exactly: the library reads only
/// the first digits of a long text, and parses any text that is not a number as NaN.
private struct DecimalScanner {
    var rest: Substring.UTF8View

    /// Whether there is a minus. A plus is skipped.
    mutating func sign() -> Bool {
        if skip("-") { return true }
        _ = skip("+")
        return false
    }

    /// The rest in lower case if it starts with a letter, truncated beyond the length of any valid word.
    func word() -> String? {
        guard let first = rest.first, isLetter(first) else { return nil }
        return String(decoding: rest.prefix(9).map { $0 | 0x20 }, as: UTF8.self)
    }

    mutating func number(isNegative: Bool) -> String? {
        // A sign, 34 digits, the next digit, and one digit for all the others, which only decides how that one is
        // rounded.
        var digits: [UInt8] = []
        var exponent = 0
        var hasDigits = false
        var hasTail = false
        var afterPoint = false
        while let byte = rest.first {
            if byte == UInt8(ascii: "."), !afterPoint {
                afterPoint = true
            } else if isDigit(byte) {
                hasDigits = true
                if digits.count <= Decimal128.precision {
                    if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
                    if afterPoint { exponent -= 1 }
                } else {
                    if byte != UInt8(ascii: "0") { hasTail = true }
                    if !afterPoint { exponent += 1 }
                }
            } else {
                break
            }
            rest.removeFirst()
        }
        guard hasDigits else { return nil }
        if skip("e") || skip("E") {
            guard let power = power() else { return nil }
            exponent += power
        }
        guard rest.isEmpty else { return nil }
        if hasTail {
            digits.append(UInt8(ascii: "1"))
            exponent -= 1
        }
        if digits.isEmpty { digits.append(UInt8(ascii: "0")) }
        return (isNegative ? "-" : "+") + String(decoding: digits, as: UTF8.self) + "E" + String(clamp(exponent))
    }

    /// A whole number with an optional sign, clamped to a value far beyond the range.
    private mutating func power() -> Int? {
        let isNegative = sign()
        guard let first = rest.first, isDigit(first) else { return nil }
        var value = 0
        while let byte = rest.first, isDigit(byte) {
            value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 1 << 40)
            rest.removeFirst()
        }
        return isNegative ? -value : value
    }

    private func clamp(_ exponent: Int) -> Int { max(-20_000, min(20_000, exponent)) }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
}
