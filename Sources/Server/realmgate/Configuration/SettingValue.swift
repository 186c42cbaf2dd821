enum SettingValue: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case flag(Bool)
    case list([String])
}

extension Setting {
    /// Parses a value. Throws a sentence that continues after the name of the value's origin.
    func value(of text: String) throws(SettingError) -> SettingValue {
        switch kind {
        case .text: return .text(text)
        case .integer(let range):
            guard let number = Int(text) else { throw SettingError("is '\(text)', which is not an integer") }
            return try check(number, range)
        case .size(let range):
            guard let number = Self.bytes(text) else {
                throw SettingError("is '\(text)', which is not a size such as 1048576 or 1MiB")
            }
            return try check(number, range)
        case .flag:
            switch text.lowercased() {
            case "1", "true", "yes", "on": return .flag(true)
            case "0", "false", "no", "off": return .flag(false)
            default: throw SettingError("is '\(text)'; it must be true or false")
            }
        case .choice(let names):
            guard names.contains(text.lowercased()) else {
                throw SettingError("is '\(text)'; it must be one of: \(names.joined(separator: ", "))")
            }
            return .text(text.lowercased())
        case .list:
            let parts = text.split(separator: ",").map { $0.drop { $0 == " " } }.map { part in
                String(part.reversed().drop { $0 == " " }.reversed())
            }
            return .list(parts.filter { !$0.isEmpty })
        }
    }

    func check(_ number: Int, _ range: ClosedRange<Int>) throws(SettingError) -> SettingValue {
        guard range.contains(number) else {
            throw SettingError("is \(number); it must be \(range.lowerBound) to \(range.upperBound)")
        }
        return .integer(number)
    }

    /// `1048576`, `1024 KiB`, `1MiB`, `2g`; units are powers of 1024.
    static func bytes(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        let shift: Int? =
            switch unit {
            case "", "b": 0
            case "k", "kb", "kib": 10
            case "m", "mb", "mib": 20
            case "g", "gb", "gib": 30
            case "t", "tb", "tib": 40
            default: nil
            }
        guard let number = Int(digits), let shift, number <= Int.max >> shift else { return nil }
        return number << shift
    }
}
