import ObjectModel
package import QueryLanguage
package import StoreContract

extension ReferenceEvaluator {
    /// The query's result in sections; see `SectionedKeys`. The first of several keys that are equal in the order but
    /// not the same is the section's key.
    package func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        var found: [(key: Value, members: [ObjectKey])] = []
        for object in try select(query) {
            let value = try sectionKey(key, of: object, in: query.classID)
            if let index = found.firstIndex(where: { Value.order($0.key, value) == 0 }) {
                found[index].members.append(object)
            } else {
                found.append((value, [object]))
            }
        }
        switch key.order {
        case .firstElements: break
        case .ascending: found.sort { Value.order($0.key, $1.key) < 0 }
        case .descending: found.sort { Value.order($0.key, $1.key) > 0 }
        }
        var result = SectionedKeys(sections: [], keys: [])
        for section in found {
            let start = result.keys.count
            result.keys += section.members
            result.sections.append(SectionedKeys.Section(key: section.key, range: start..<result.keys.count))
        }
        return result
    }

    /// Whether a store's sections are right.
    package func agree(_ answer: SectionedKeys, to query: BoundQuery, by key: SectionKey) throws -> Bool {
        let expected = try sections(query, by: key)
        return answer.keys == expected.keys
            && answer.sections.map(\.range) == expected.sections.map(\.range)
            && Self.areAlike(answer.sections.map(\.key), expected.sections.map(\.key))
    }

    private func sectionKey(_ key: SectionKey, of object: ObjectKey, in classID: ClassID) throws -> Value {
        let value = try singleValue(of: key.path, from: object, in: classID) ?? .null
        guard let function = key.function else { return value }
        switch (function, value) {
        case (.isNull, _): return .bool(value.isNull)
        case (.first, .string(let text)): return .string(text.first.map { String($0).uppercased() } ?? "")
        case (_, .date(let date)): return ReferenceCalendar(date).key(function)
        default: return .null
        }
    }
}

/// A point in time in UTC, found by counting days from 1970, in years of 365 or 366 days.
struct ReferenceCalendar {
    private let year: Int64
    private let month: Int64
    private let day: Int64
    private let hour: Int64
    private let weekday: Int64

    init(_ date: Timestamp) {
        let seconds = Int128(date.seconds) - (date.nanoseconds < 0 ? 1 : 0)
        var days = seconds / 86_400
        if seconds % 86_400 < 0 { days -= 1 }
        hour = Int64((seconds - days * 86_400) / 3600)
        // The first of January 1970 was a Thursday.
        weekday = Int64(((days + 3) % 7 + 7) % 7) + 1
        // 400 years always have 146,097 days.
        var era = days / 146_097
        if days % 146_097 < 0 { era -= 1 }
        var left = days - era * 146_097
        var year = 1970 + era * 400
        while left >= Self.length(ofYear: year) {
            left -= Self.length(ofYear: year)
            year += 1
        }
        var month = 1
        while left >= Self.length(ofMonth: month, year) {
            left -= Self.length(ofMonth: month, year)
            month += 1
        }
        self.year = Int64(year)
        self.month = Int64(month)
        day = Int64(left) + 1
    }

    func key(_ function: SectionKey.Function) -> Value {
        switch function {
        case .year: .int(year)
        case .month: .string("\(Self.padded(year, 4))-\(Self.padded(month, 2))")
        case .day: .string("\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))")
        case .hour: .int(hour)
        case .weekday: .int(weekday)
        case .first, .isNull: .null
        }
    }

    private static func isLeap(_ year: Int128) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func length(ofYear year: Int128) -> Int128 { isLeap(year) ? 366 : 365 }

    private static func length(ofMonth month: Int, _ year: Int128) -> Int128 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
