import Glibc

/// A date as Realm stores it: whole seconds since 1970-01-01 UTC and nanoseconds of the same sign.
///
/// `nanoseconds` is in -999,999,999...999,999,999 and never of the opposite sign to `seconds`, so that comparing
/// (seconds, nanoseconds) compares points in time.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let seconds: Int64
    package let nanoseconds: Int32

    /// Returns nil when the parts break the rule above.
    package init?(seconds: Int64, nanoseconds: Int32) {
        guard nanoseconds > -1_000_000_000, nanoseconds < 1_000_000_000,
            (seconds >= 0 && nanoseconds >= 0) || (seconds <= 0 && nanoseconds <= 0)
        else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Makes a date of whole seconds.
    package init(seconds: Int64) {
        self.seconds = seconds
        nanoseconds = 0
    }

    package static let epoch = Timestamp(seconds: 0)

    /// The current time of the system clock.
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec)) ?? .epoch
    }

    package static func < (a: Timestamp, b: Timestamp) -> Bool {
        a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds
    }
}

extension Timestamp {
    /// Returns nil when the parts are not a date of the proleptic Gregorian calendar, or not a time of day. `fraction`
    /// is 0...999,999,999 nanoseconds after the second.
    package init?(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, fraction: Int32 = 0,
        offsetSeconds: Int = 0
    ) {
        guard Self.years.contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second), (0...999_999_999).contains(fraction)
        else { return nil }
        var parts = tm()
        parts.tm_year = Int32(year - 1900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = Int32(day)
        parts.tm_hour = Int32(hour)
        parts.tm_min = Int32(minute)
        parts.tm_sec = Int32(second)
        let seconds = Int64(timegm(&parts))
        // timegm rolls 31 February over into March; a date that is not in the calendar is rejected instead.
        guard parts.tm_mday == Int32(day), parts.tm_mon == Int32(month - 1) else { return nil }
        self.init(floorSeconds: seconds - Int64(offsetSeconds), fraction: fraction)
    }

    /// The years that the C library's calendar supports.
    private static let years = Int(Int32.min) + 1900...Int(Int32.max) + 1900

    /// Makes a date of seconds rounded down and a fraction of 0..<1,000,000,000 nanoseconds after them.
    package init(floorSeconds: Int64, fraction: Int32) {
        if floorSeconds < 0, fraction > 0 {
            seconds = floorSeconds + 1
            nanoseconds = fraction - 1_000_000_000
        } else {
            seconds = floorSeconds
            nanoseconds = fraction
        }
    }

    /// Seconds rounded down and the nanoseconds after them. The lowest second has none before it to round down to:
    /// there the nanoseconds are dropped.
    package var floored: (seconds: Int64, fraction: Int32) {
        guard nanoseconds < 0 else { return (seconds, nanoseconds) }
        return seconds == .min ? (seconds, 0) : (seconds - 1, nanoseconds + 1_000_000_000)
    }

    /// Parses RFC 3339: `2026-01-31T12:00:00.123456789Z`, with up to nine digits of fraction and `Z` or `±hh:mm`. A
    /// date alone is midnight UTC. Years may have more digits and a sign, as `rfc3339` and other programs write them,
    /// and a date beyond the calendar is `T<seconds>:<nanoseconds>`. Returns nil for anything else.
    package init?(rfc3339 text: some StringProtocol) {
        var reader = DigitReader(Array(text.utf8))
        if reader.skip("T") {
            guard let seconds = reader.integer(), reader.skip(":"), let nanoseconds = reader.integer(), reader.atEnd,
                let rest = Int32(exactly: nanoseconds)
            else { return nil }
            self.init(seconds: seconds, nanoseconds: rest)
            return
        }
        guard let year = reader.year(), reader.skip("-"), let month = reader.digits(2), reader.skip("-"),
            let day = reader.digits(2)
        else { return nil }
        if reader.atEnd {
            self.init(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
            return
        }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let hour = reader.digits(2), reader.skip(":"),
            let minute = reader.digits(2), reader.skip(":"), let second = reader.digits(2)
        else { return nil }
        var fraction: Int32 = 0
        if reader.skip(".") {
            guard let value = reader.fraction() else { return nil }
            fraction = value
        }
        var offset = 0
        if !(reader.skip("Z") || reader.skip("z")) {
            let negative = reader.skip("-")
            guard negative || reader.skip("+"), let hours = reader.digits(2), reader.skip(":"),
                let minutes = reader.digits(2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (negative ? -1 : 1)
        }
        guard reader.atEnd else { return nil }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, fraction: fraction,
            offsetSeconds: offset)
    }

    /// RFC 3339 in UTC, with as many digits of fraction as are needed (none, 3, 6 or 9).
    /// Years outside 0...9999 keep their sign and all their digits.
    package var rfc3339: String {
        let (seconds, fraction) = floored
        guard !Self.usualSeconds.contains(seconds) else {
            return String(unsafeUninitializedCapacity: Self.usualLength) { write(rfc3339: $0) }
        }
        var time = time_t(seconds)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return "T\(self.seconds):\(nanoseconds)" }
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value.magnitude)
            return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        var text = padded(Int(parts.tm_year) + 1900, 4) + "-" + padded(Int(parts.tm_mon) + 1, 2) + "-"
        text += padded(Int(parts.tm_mday), 2) + "T" + padded(Int(parts.tm_hour), 2) + ":"
        text += padded(Int(parts.tm_min), 2) + ":" + padded(Int(parts.tm_sec), 2)
        if fraction != 0 {
            if fraction % 1_000_000 == 0 {
                text += "." + padded(Int(fraction) / 1_000_000, 3)
            } else if fraction % 1000 == 0 {
                text += "." + padded(Int(fraction) / 1000, 6)
            } else {
                text += "." + padded(Int(fraction), 9)
            }
        }
        return text + "Z"
    }

    /// The text of `rfc3339` has at most so many bytes for the years 0...9999.
    package static let usualLength = 30

    /// The years 0...9999.
    private static let usualSeconds = Int64(-62_167_219_200)..<253_402_300_800

    /// Writes the text of `rfc3339` to a buffer of `usualLength` bytes at least. Cost: some hundred instructions, and
    /// no allocation, for lines of logs and for rows.
    ///
    /// - Returns: its length; 0 for years outside 0...9999, whose text may be longer.
    package func write(rfc3339 text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let (seconds, fraction) = floored
        guard Self.usualSeconds.contains(seconds), text.count >= Self.usualLength else { return 0 }
        let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let time = Int32(seconds - day * 86_400)
        let date = Self.civil(day)
        var count = 0
        func put(_ sign: Unicode.Scalar, _ number: Int32, _ width: Int) {
            if count > 0 {
                text.initializeElement(at: count, to: UInt8(ascii: sign))
                count += 1
            }
            var rest = number
            for index in stride(from: count + width - 1, through: count, by: -1) {
                text.initializeElement(at: index, to: UInt8(ascii: "0") + UInt8(rest % 10))
                rest /= 10
            }
            count += width
        }
        put("-", date.year, 4)
        put("-", date.month, 2)
        put("-", date.day, 2)
        put("T", time / 3600, 2)
        put(":", time / 60 % 60, 2)
        put(":", time % 60, 2)
        if fraction != 0 {
            let isMicroseconds = fraction % 1000 == 0
            let isMilliseconds = fraction % 1_000_000 == 0
            put(
                ".", isMilliseconds ? fraction / 1_000_000 : isMicroseconds ? fraction / 1000 : fraction,
                isMilliseconds ? 3 : isMicroseconds ? 6 : 9)
        }
        text.initializeElement(at: count, to: UInt8(ascii: "Z"))
        return count + 1
    }

    /// The proleptic Gregorian date of a number of days since 1970-01-01. Years are counted from March, so that the
    /// leap day is the last of its year, within eras of 400 years.
    private static func civil(_ days: Int64) -> (year: Int32, month: Int32, day: Int32) {
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int32(truncatingIfNeeded: year), Int32(month), Int32(day))
    }
}

/// Reads fixed-width decimal fields out of ASCII text.
private struct DigitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var atEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
        position += 1
        return true
    }

    mutating func digits(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + count] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += count
        return value
    }

    /// A year of four digits or more, with a sign or without further leading zeros; a minus needs a year other than 0.
    mutating func year() -> Int? {
        let isNegative = skip("-")
        let isSigned = isNegative || skip("+")
        let count = bytes[position...].prefix { (0x30...0x39).contains($0) }.count
        guard (4...10).contains(count), isSigned || count == 4 || bytes[position] != 0x30, let year = digits(count),
            !(isNegative && year == 0)
        else { return nil }
        return isNegative ? -year : year
    }

    mutating func integer() -> Int64? {
        let start = position
        _ = skip("-")
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        return Int64(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// One to nine digits after the point, as nanoseconds.
    mutating func fraction() -> Int32? {
        var value: Int32 = 0
        var count = 0
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
            guard count < 9 else { return nil }
            value = value * 10 + Int32(bytes[position] - 0x30)
            count += 1
            position += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<9 { value *= 10 }
        return value
    }
}
