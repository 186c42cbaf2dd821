import Basics
package import ObjectModel

/// The minimum or maximum of values that come and go.
///
/// It keeps the best values, each with its number, and counts the others, which are all worse. When so many of the best
/// have left that none is kept, the values must be read again.
package struct ExtremeTally: Sendable {
    private struct Entry {
        let value: Value
        var count: Int
        /// Whether values that are equal in the order, but not the same, such as 0 and -0, were among them: which one a
        /// scan reports depends on the scan.
        var isMixed = false
    }

    /// How many different values are kept. Refilling costs a scan, which is done once for so many values that leave.
    private static let most = 64

    private let isMinimum: Bool
    /// The best first.
    private var entries: [Entry] = []
    private var otherCount = 0

    package init(isMinimum: Bool) { self.isMinimum = isMinimum }

    /// The worst of the values that are kept, if all that can be kept are: worse ones need not be added one by one. Nil
    /// after values were removed.
    package var worst: Value? { entries.count == Self.most ? entries.last?.value : nil }

    /// Adds that many values that are worse than `worst`.
    package mutating func add(worse count: Int) { otherCount += count }

    /// Adds a value. Nulls and NaN are skipped.
    package mutating func add(_ value: Value) {
        if value.isNull || value.isNaN { return }
        if entries.count == Self.most, let last = entries.last, order(last.value, value) < 0 {
            otherCount += 1
            return
        }
        let (index, isKnown) = index(of: value)
        if isKnown {
            entries[index].count += 1
            if entries[index].value != value { entries[index].isMixed = true }
        } else if otherCount == 0 || index < entries.count {
            entries.insert(Entry(value: value, count: 1), at: index)
            if entries.count > Self.most { otherCount += entries.removeLast().count }
        } else {
            otherCount += 1
        }
    }

    /// Adds the values of another tally of the same kind; none of either may have been removed.
    package mutating func merge(_ other: ExtremeTally) {
        var merged: [Entry] = []
        var (left, right) = (entries[...], other.entries[...])
        while let first = left.first ?? right.first {
            let comparison = left.isEmpty ? 1 : right.first.map { order(first.value, $0.value) } ?? -1
            guard var entry = comparison > 0 ? right.popFirst() : left.popFirst() else { break }
            if comparison == 0, let same = right.popFirst() {
                entry.count += same.count
                if same.isMixed || same.value != entry.value { entry.isMixed = true }
            }
            merged.append(entry)
        }
        // The best of all are among the best of each, so their numbers are known.
        otherCount += other.otherCount
        while merged.count > Self.most { otherCount += merged.removeLast().count }
        entries = merged
    }

    /// Removes a value that was added.
    package mutating func remove(_ value: Value) {
        if value.isNull || value.isNaN { return }
        let (index, isKnown) = index(of: value)
        guard isKnown else {
            otherCount -= 1
            return
        }
        entries[index].count -= 1
        if entries[index].count == 0 { entries.remove(at: index) }
    }

    package enum Result {
        case value(Value)
        /// A scan decides.
        case ambiguous
        /// The values must be read again.
        case unknown
    }

    package var result: Result {
        guard let best = entries.first else { return otherCount == 0 ? .value(.null) : .unknown }
        return best.isMixed ? .ambiguous : .value(best.value)
    }

    /// Below 0 if `a` is the better one.
    private func order(_ a: Value, _ b: Value) -> Int {
        let order = Value.order(a, b)
        return isMinimum ? order : -order
    }

    private func index(of value: Value) -> (index: Int, isKnown: Bool) {
        let index = entries.partitioningIndex { order($0.value, value) >= 0 }
        return (index, index < entries.count && order(entries[index].value, value) == 0)
    }
}
