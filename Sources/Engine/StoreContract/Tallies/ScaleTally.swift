package import ObjectModel

/// The ends of values that come and go and have a position on a scale, and the numbers of the others.
package struct ScaleTally: Sendable {
    package enum Range {
        case empty
        case known(ClosedRange<Double>)
        /// The values must be read again.
        case unknown
    }

    private var low = ExtremeTally(isMinimum: true)
    private var high = ExtremeTally(isMinimum: false)
    /// Beyond these, positions are not ends worth keeping.
    private var (lowest, highest) = (Double.infinity, -Double.infinity)
    /// In the form that equal values have in common.
    package private(set) var others: [Value: Int] = [:]

    package init() {}

    /// Adds a value at a position; with `sign` -1 it removes one that was added.
    package mutating func add(_ position: Double, sign: Int = 1) {
        guard sign > 0 else {
            // 0 and -0 are one position.
            low.remove(.double(position + 0))
            high.remove(.double(position + 0))
            (lowest, highest) = (.infinity, -.infinity)
            return
        }
        if position > lowest {
            low.add(worse: 1)
        } else {
            low.add(.double(position + 0))
            if case .double(let worst)? = low.worst { lowest = worst }
        }
        if position < highest {
            high.add(worse: 1)
        } else {
            high.add(.double(position + 0))
            if case .double(let worst)? = high.worst { highest = worst }
        }
    }

    /// Adds a value without a position; with `sign` -1 it removes one that was added.
    ///
    /// - Parameter form: the one that equal values have in common.
    package mutating func add(other form: Value, sign: Int = 1) {
        let count = (others[form] ?? 0) + sign
        others[form] = count == 0 ? nil : count
    }

    /// Adds the values of another tally; none of either may have been removed.
    package mutating func merge(_ other: ScaleTally) {
        low.merge(other.low)
        high.merge(other.high)
        (lowest, highest) = (.infinity, -.infinity)
        for (form, count) in other.others { others[form, default: 0] += count }
    }

    package var range: Range {
        switch (low.result, high.result) {
        case (.value(.double(let low)), .value(.double(let high))) where low <= high: .known(low...high)
        case (.value(.null), .value(.null)): .empty
        default: .unknown
        }
    }
}
