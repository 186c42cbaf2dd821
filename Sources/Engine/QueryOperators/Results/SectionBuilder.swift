import Columnar
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Divides ordered objects into sections. Used by one thread, for one pass.
package final class SectionBuilder {
    private let numbering: CombinationNumbering
    private let key: SectionKey
    /// The section of the objects with a value, by the value's number.
    private var sectionOfNumber: [Int32] = []
    private var sectionOfKey: [Value: Int] = [:]
    private var names: [Value] = []
    private var counts: [Int] = []

    package init(_ key: SectionKey, on classID: ClassID, in source: any ColumnSource) {
        numbering = CombinationNumbering([key.path], from: classID, in: source, keepsNullLinks: true)
        self.key = key
    }

    package func sections(of keys: [ObjectKey]) throws -> SectionedKeys {
        var sectionOfIndex: [Int32] = []
        sectionOfIndex.reserveCapacity(keys.count)
        for key in keys {
            let section = section(try numbering.number(of: key) ?? 0)
            counts[Int(section)] += 1
            sectionOfIndex.append(section)
        }
        return keys.withUnsafeBufferPointer { keys in sectionOfIndex.withUnsafeBufferPointer { collected(keys, $0) } }
    }

    /// The sections of a scan's matches, in creation order.
    package func sections(of scan: ClassScan) throws -> SectionedKeys {
        // No more than the class has can match.
        let limit = scan.source.clusterCount(of: scan.classID) * scan.source.clusterCapacity
        let keys = UnsafeMutableBufferPointer<ObjectKey>.allocate(capacity: limit)
        let sectionOfIndex = UnsafeMutableBufferPointer<Int32>.allocate(capacity: limit)
        let numbers = UnsafeMutablePointer<Int32>.allocate(capacity: scan.source.clusterCapacity)
        defer {
            keys.deallocate()
            sectionOfIndex.deallocate()
            numbers.deallocate()
        }
        var count = 0
        try scan.forEachCluster(handlesEach: true) { cluster, mask in
            try numbering.fill(numbers, cluster, mask)
            let first = Int64(cluster.firstKey)
            // Sections are in the order of their first object.
            while sectionOfNumber.count < numbering.count { sectionOfNumber.append(-1) }
            var next = count
            mask.forEach { slot in
                keys.initializeElement(at: next, to: ObjectKey(first + Int64(slot)))
                sectionOfIndex.initializeElement(at: next, to: numbers[slot])
                next += 1
            }
            sectionOfNumber.withUnsafeMutableBufferPointer { sections in
                for index in count..<next {
                    let number = Int(sectionOfIndex[index])
                    if sections[number] < 0 { sections[number] = Int32(truncatingIfNeeded: find(number)) }
                    sectionOfIndex[index] = sections[number]
                }
            }
            counts.withUnsafeMutableBufferPointer { counts in
                for index in count..<next { counts[Int(sectionOfIndex[index])] += 1 }
            }
            count = next
        }
        return collected(
            UnsafeBufferPointer(rebasing: keys[..<count]), UnsafeBufferPointer(rebasing: sectionOfIndex[..<count]))
    }

    private func section(_ number: Int) -> Int32 {
        while sectionOfNumber.count <= number { sectionOfNumber.append(-1) }
        if sectionOfNumber[number] < 0 { sectionOfNumber[number] = Int32(truncatingIfNeeded: find(number)) }
        return sectionOfNumber[number]
    }

    /// Several values may have the same section key.
    private func find(_ number: Int) -> Int {
        let name = key.value(of: numbering.values(of: number)[0])
        let form = name.distinctForm
        if let known = sectionOfKey[form] { return known }
        sectionOfKey[form] = names.count
        names.append(name)
        counts.append(0)
        return names.count - 1
    }

    /// Collects the objects of each section, in their order.
    private func collected(
        _ keys: UnsafeBufferPointer<ObjectKey>, _ sectionOfIndex: UnsafeBufferPointer<Int32>
    ) -> SectionedKeys {
        var starts = [Int](repeating: 0, count: names.count)
        var sections: [SectionedKeys.Section] = []
        sections.reserveCapacity(names.count)
        var start = 0
        for section in key.order.arranged(names) {
            starts[section] = start
            sections.append(SectionedKeys.Section(key: names[section], range: start..<start + counts[section]))
            start += counts[section]
        }
        let sorted = [ObjectKey](unsafeUninitializedCapacity: keys.count) { buffer, count in
            starts.withUnsafeMutableBufferPointer { starts in
                for (key, number) in zip(keys, sectionOfIndex) {
                    let section = Int(number)
                    buffer.initializeElement(at: starts[section], to: key)
                    starts[section] += 1
                }
            }
            count = keys.count
        }
        return SectionedKeys(sections: sections, keys: sorted)
    }
}

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
