package import ObjectModel

/// How values without a JSON form of their own are written.
package enum TypeStyle: String, Hashable, Sendable, CaseIterable {
    /// As strings; the schema says what they are.
    case plain
    /// As `{"$date": …}`, `{"$oid": …}`, `{"$uuid": …}`.
    case typed
}

extension JSONWriter {
    /// RFC 3339 in UTC with as many digits of fraction as are needed.
    package func date(_ value: Timestamp, _ style: TypeStyle = .plain) {
        if style == .typed { wrap("$date") { date(value) } } else { date(value) }
    }

    package func objectId(_ value: ObjectId, _ style: TypeStyle = .plain) {
        if style == .typed { wrap("$oid") { plainString(value.hex) } } else { plainString(value.hex) }
    }

    package func uuid(_ value: UUIDValue, _ style: TypeStyle = .plain) {
        if style == .typed { wrap("$uuid") { plainString(value.text) } } else { plainString(value.text) }
    }

    /// Any value. A link is written as its object key: who knows the target's primary key writes that instead.
    package func value(_ value: Value, _ style: TypeStyle = .plain) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .float(let value): float(value)
        case .double(let value): double(value)
        case .string(let value): string(value)
        case .date(let value): date(value, style)
        case .objectId(let value): objectId(value, style)
        case .uuid(let value): uuid(value, style)
        case .link(let key): int(key.rawValue)
        case .data, .decimal, .reference, .list, .set, .dictionary, .embedded: null()
        }
    }

    /// `{"$link": {"class": "Dog", "key": 7}}`, with the object key.
    package func link(class className: String, key: ObjectKey) {
        wrap("$link") {
            beginObject()
            name("class")
            string(className)
            name("key")
            int(key.rawValue)
            endObject()
        }
    }

    private func wrap(_ name: String, _ content: () -> Void) {
        beginObject()
        self.name(name)
        content()
        endObject()
    }

    private func date(_ value: Timestamp) {
        let (seconds, fraction) = value.floored
        // Years 0...9999; the rest has forms that only the slow way knows.
        guard seconds >= -62_167_219_200, seconds < 253_402_300_800 else { return plainString(value.rfc3339) }
        let days = seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1
        let time = Int(seconds - days * 86_400)
        let (year, month, day) = Self.civil(days)
        comma()
        put(UInt8(ascii: "\""))
        digits(year, width: 4)
        put(UInt8(ascii: "-"))
        digits(month, width: 2)
        put(UInt8(ascii: "-"))
        digits(day, width: 2)
        put(UInt8(ascii: "T"))
        digits(time / 3600, width: 2)
        put(UInt8(ascii: ":"))
        digits(time / 60 % 60, width: 2)
        put(UInt8(ascii: ":"))
        digits(time % 60, width: 2)
        if fraction != 0 {
            put(UInt8(ascii: "."))
            if fraction % 1_000_000 == 0 {
                digits(Int(fraction) / 1_000_000, width: 3)
            } else if fraction % 1000 == 0 {
                digits(Int(fraction) / 1000, width: 6)
            } else {
                digits(Int(fraction), width: 9)
            }
        }
        put(UInt8(ascii: "Z"))
        put(UInt8(ascii: "\""))
        didWriteValue()
    }

    /// The proleptic Gregorian date of a number of days since 1970-01-01. Years are counted from March, so that the
    /// leap day is the last of its year, within eras of 400 years.
    private static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
