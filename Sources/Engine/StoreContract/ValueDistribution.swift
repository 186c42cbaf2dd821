import Basics
package import ObjectModel

/// How many values of a result are in each of some intervals.
package struct ValueDistribution: Hashable, Sendable {
    /// Ascending; one more than there are intervals, or none if no value has a position on the scale. An interval
    /// contains its lower bound and not its upper one.
    package let bounds: [Double]
    /// By interval.
    package private(set) var counts: [Int]
    /// The distinct values without a position on the scale: null, NaN, infinities. Null stands also for a null link on
    /// the path.
    package private(set) var others: Set<Value> = []
    /// The number of objects with one of the `others`.
    package private(set) var otherCount = 0

    /// - Parameter bounds: ascending.
    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: max(bounds.count - 1, 0))
    }

    /// Counts a value with a position on the scale. Cost: logarithmic in the number of intervals.
    package mutating func add(_ position: Double, count: Int = 1) {
        // The bounds decide, not a division, so that a predicate with a bound selects exactly what was counted.
        let index = counts.indices.partitioningIndex { bounds[$0 + 1] > position }
        guard index < counts.count else { return }
        counts[index] += count
    }

    /// Counts a value without a position on the scale.
    ///
    /// - Parameter value: in the form that is the same for equal values.
    package mutating func add(other value: Value, count: Int = 1) {
        others.insert(value)
        otherCount += count
    }

    /// Adds the counts of other objects in the same intervals.
    package mutating func merge(_ other: ValueDistribution) {
        for (index, count) in other.counts.enumerated() where index < counts.count { counts[index] += count }
        others.formUnion(other.others)
        otherCount += other.otherCount
    }
}

extension Value {
    /// The position of a number or date on a finite scale, dates in seconds since 1970; nil for null, NaN, infinity,
    /// text, and for decimals beyond the range of a double.
    package var scalePosition: Double? {
        let position: Double? =
            switch self {
            case .int(let number): number.scalePosition
            case .float(let number): Double(number)
            case .double(let number): number
            case .decimal(let number): number.double
            case .date(let date): date.scalePosition
            default: nil
            }
        guard let position, position.isFinite else { return nil }
        return position
    }
}

extension Int64 {
    /// The nearest double that is not above the number, so that a bound at or below it is none of a larger number.
    package var scalePosition: Double {
        let nearest = Double(self)
        guard nearest.magnitude >= 0x1p53, nearest >= 0x1p63 || Int64(nearest) > self else { return nearest }
        return nearest.nextDown
    }
}

extension Timestamp {
    /// Whole seconds since 1970, rounded down. No interval is shorter, and with its nanoseconds the last moment of a
    /// second would round to the next one.
    package var scalePosition: Double { Double(seconds) - (nanoseconds < 0 ? 1 : 0) }
}
