import ObjectModel

extension Timestamp {
    static let lowest = Timestamp(seconds: .min, nanoseconds: -999_999_999) ?? Timestamp(seconds: .min)
    static let highest = Timestamp(seconds: .max, nanoseconds: 999_999_999) ?? Timestamp(seconds: .max)

    /// The next nanosecond; nil after the last.
    var next: Timestamp? {
        if seconds >= 0 {
            if nanoseconds < 999_999_999 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1) }
            return seconds == .max ? nil : Timestamp(seconds: seconds + 1)
        }
        if nanoseconds < 0 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1) }
        return Timestamp(seconds: seconds + 1, nanoseconds: -999_999_999)
    }

    /// The nanosecond before; nil before the first.
    var previous: Timestamp? {
        if seconds <= 0 {
            if nanoseconds > -999_999_999 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds - 1) }
            return seconds == .min ? nil : Timestamp(seconds: seconds - 1)
        }
        if nanoseconds > 0 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds - 1) }
        return Timestamp(seconds: seconds - 1, nanoseconds: 999_999_999)
    }
}
