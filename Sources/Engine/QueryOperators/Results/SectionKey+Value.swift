package import ObjectModel
package import QueryLanguage

extension SectionKey {
    /// The key of the section of an object whose value at the path is `value`. Null for a value that the function does
    /// not apply to, such as the year of a string among mixed values.
    package func value(of value: Value) -> Value { function?.value(of: value) ?? value }
}

extension SectionKey.Order {
    /// Whether the section with the first key is before the other; nil where keys do not decide.
    package func isBefore(_ a: Value, _ b: Value) -> Bool? {
        switch self {
        case .firstElements: nil
        case .ascending: Value.order(a, b) < 0
        case .descending: Value.order(a, b) > 0
        }
    }

    /// The order of sections that are in the order of their first elements: their indices. Keys that are equal in the
    /// order of values are one section, so no two are alike.
    package func arranged(_ keys: [Value]) -> [Int] {
        guard self != .firstElements else { return Array(keys.indices) }
        return keys.indices.sorted { isBefore(keys[$0], keys[$1]) == true }
    }
}

extension SectionKey.Function {
    /// Null stays null, except for `isNull`.
    package func value(of value: Value) -> Value {
        switch (self, value) {
        case (.isNull, _):
            return .bool(value.isNull)
        case (.first, .string(let text)):
            return .string(text.first.map { String($0).uppercased() } ?? "")
        case (.year, .date(let date)):
            return .int(CivilDate(date).year)
        case (.month, .date(let date)):
            let civil = CivilDate(date)
            return .string("\(Self.padded(civil.year, 4))-\(Self.padded(Int64(civil.month), 2))")
        case (.day, .date(let date)):
            let civil = CivilDate(date)
            let month = "\(Self.padded(civil.year, 4))-\(Self.padded(Int64(civil.month), 2))"
            return .string("\(month)-\(Self.padded(Int64(civil.day), 2))")
        case (.hour, .date(let date)):
            return .int(Int64(CivilDate(date).hour))
        case (.weekday, .date(let date)):
            return .int(Int64(CivilDate(date).weekday))
        default:
            return .null
        }
    }

    /// Decimal text with at least `width` digits, after the sign.
    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A point in time by the calendar and the clock: UTC, in the proleptic Gregorian calendar, where the year 0 precedes
/// the year 1.
struct CivilDate {
    let year: Int64
    /// 1...12
    let month: Int
    /// 1...31
    let day: Int
    /// 0...23
    let hour: Int
    /// 1...7 from Monday
    let weekday: Int

    init(_ date: Timestamp) {
        let (days, second) = Self.divided(date.floored.seconds, by: 86_400)
        hour = Int(second / 3600)
        // 1970-01-01 was a Thursday.
        weekday = Int(Self.divided(days + 3, by: 7).rest) + 1
        // Years that begin in March end with the leap day, so that all months before it have fixed offsets: after H.
        // Hinnant, "chrono-compatible low-level date algorithms". Day 0 is then 0000-03-01, and an era has 400 years.
        let (era, dayOfEra) = Self.divided(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5) + 1
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Rounded down, so that the rest is never negative.
    private static func divided(_ number: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}
