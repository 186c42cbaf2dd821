import Glibc
import ObjectModel

/// The bounds of intervals of equal, round width that cover some numbers, or of calendar intervals that cover some
/// dates: the bars of a histogram. Each interval contains its lower bound and not its upper one.
struct ValueBins: Equatable {
    /// Ascending; one more than there are intervals.
    let bounds: [Double]

    /// Covers the range with at most `most` intervals; those at the ends are never empty.
    ///
    /// - Parameter type: what the numbers are: whole numbers get whole bounds, dates get bounds of the calendar.
    init(from low: Double, to high: Double, atMost most: Int, of type: BaseType) {
        let most = max(most, 1)
        // Which of 0 and -0 a scan finds first must not matter.
        let (low, high) = (low + 0, high + 0)
        bounds = type == .date ? Self.calendar(low, high, most) : Self.round(low, high, most, isWhole: type == .int)
    }

    /// The bounds for values in a range.
    static func bounds(_ range: ClosedRange<Double>, atMost most: Int, of type: BaseType) -> [Double] {
        ValueBins(from: range.lowerBound, to: range.upperBound, atMost: most, of: type).bounds
    }

    // MARK: Numbers

    private static func round(_ low: Double, _ high: Double, _ most: Int, isWhole: Bool) -> [Double] {
        // Zero is a multiple of every width, so one interval does not reach over it: it gets the ends of two.
        if most == 1, low < 0, high >= 0 {
            let two = round(low, high, 2, isWhole: isWhole)
            return [two[0], two[two.count - 1]]
        }
        // Neighbouring bounds must differ, also far from zero.
        let least = max((low.ulp > high.ulp ? low.ulp : high.ulp) * 2, isWhole ? 1 : .leastNormalMagnitude)
        // Dividing first keeps the difference of the largest numbers finite.
        let single = isWhole || low != high ? 0 : low == 0 ? 1 : abs(low) / 10
        let wanted = max(high / Double(most) - low / Double(most), single, least)
        var exponent = Int(floor(log10(wanted)))
        if isWhole { exponent = max(exponent, 0) }
        while true {
            for digit in [1.0, 2, 5] {
                guard digit * pow(10, Double(exponent)) >= least,
                    let bounds = bounds(low, high, most, digit, exponent)
                else { continue }
                return bounds
            }
            exponent += 1
            // Beyond the largest number there is one interval of everything.
            guard exponent < 308 else { return [low, .infinity] }
        }
    }

    /// Returns the multiples of `digit` · 10^`exponent` around the range; nil if they are too many.
    private static func bounds(
        _ low: Double, _ high: Double, _ most: Int, _ digit: Double, _ exponent: Int
    ) -> [Double]? {
        // The nearest double of a decimal such as 0.3 is 3 / 10, not 3 · 0.1.
        let scale = pow(10, Double(abs(exponent)))
        guard scale.isFinite else { return nil }
        func multiple(_ number: Double) -> Double {
            exponent < 0 ? number * digit / scale : number * digit * scale
        }
        var first = floor(exponent < 0 ? low / digit * scale : low / digit / scale)
        guard first.isFinite else { return nil }
        while multiple(first) > low { first -= 1 }
        while multiple(first + 1) <= low { first += 1 }
        guard multiple(first).isFinite else { return nil }
        var bounds = [multiple(first)]
        while let last = bounds.last, last <= high {
            guard bounds.count <= most else { return nil }
            let next = multiple(first + Double(bounds.count))
            guard next > last, next.isFinite else { return nil }
            bounds.append(next)
        }
        return bounds
    }

    // MARK: Dates

    private static let seconds: [Double] = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
    ]

    private static func calendar(_ low: Double, _ high: Double, _ most: Int) -> [Double] {
        for step in seconds where (high - low) / step <= Double(most) {
            // Weeks begin on a Monday; 5 January 1970 was one.
            let shift = step == 604_800 ? 345_600.0 : 0
            var bounds = [floor((low - shift) / step) * step + shift]
            while let last = bounds.last, last <= high { bounds.append(last + step) }
            if bounds.count <= most + 1 { return bounds }
        }
        var months = 1
        while true {
            if let bounds = byMonths(low, high, most, months) { return bounds }
            months = [1: 3, 3: 6, 6: 12][months] ?? (months == 12 ? 24 : months == 24 ? 60 : months * 2)
            // No date of the calendar is further away than this.
            guard months < 1 << 40 else { return [low, high + 1] }
        }
    }

    private static func byMonths(_ low: Double, _ high: Double, _ most: Int, _ months: Int) -> [Double]? {
        guard (high - low) / (Double(months) * 28 * 86_400) <= Double(most) + 1 else { return nil }
        let first = Int((Double(monthNumber(of: low)) / Double(months)).rounded(.down)) * months
        var bounds = [start(ofMonth: first)]
        while let last = bounds.last, last <= high {
            guard bounds.count <= most else { return nil }
            bounds.append(start(ofMonth: first + bounds.count * months))
        }
        return bounds
    }

    /// The number of months from January of the year 0 to the month of a time.
    private static func monthNumber(of seconds: Double) -> Int {
        // Years of 365.2425 days give a month that is at most one off.
        var month = Int((floor(seconds / 86_400) / 365.2425 * 12).rounded(.down)) + 1970 * 12
        while start(ofMonth: month) > seconds { month -= 1 }
        while start(ofMonth: month + 1) <= seconds { month += 1 }
        return month
    }

    /// The time at which a month begins, in the proleptic Gregorian calendar.
    private static func start(ofMonth number: Int) -> Double {
        // Counting years from March puts the leap day at the end of a year.
        let march = number - 2
        let year = Int((Double(march) / 12).rounded(.down))
        let month = march - year * 12
        let era = Int((Double(year) / 400).rounded(.down))
        let yearOfEra = year - era * 400
        let day = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * month + 2) / 5
        return (Double(era) * 146_097 + Double(day) - 719_468) * 86_400
    }
}
