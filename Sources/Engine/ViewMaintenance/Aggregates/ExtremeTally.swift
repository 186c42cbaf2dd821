import Basics
import ObjectModel

/// The minimum or maximum of values that come and go.
///
/// It keeps the best values, each with its number, and counts the others, which are all worse. When so many of the best
/// have left that none is kept, the values must be read again.
struct ExtremeTally: Sendable {
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

    init(isMinimum: Bool) { self.isMinimum = isMinimum }

    /// Adds a value. Nulls and NaN are skipped.
    mutating func add(_ value: Value) {
        if value.isNull || value.isNaN { return }
        let (place, isKnown) = place(of: value)
        if isKnown {
            entries[place].count += 1
            if entries[place].value != value { entries[place].isMixed = true }
        } else if otherCount == 0 || place < entries.count {
            entries.insert(Entry(value: value, count: 1), at: place)
            if entries.count > Self.most { otherCount += entries.removeLast().count }
        } else {
            otherCount += 1
        }
    }

    /// Removes a value that was added.
    mutating func remove(_ value: Value) {
        if value.isNull || value.isNaN { return }
        let (place, isKnown) = place(of: value)
        guard isKnown else {
            otherCount -= 1
            return
        }
        entries[place].count -= 1
        if entries[place].count == 0 { entries.remove(at: place) }
    }

    enum Result {
        case value(Value)
        /// A scan decides.
        case ambiguous
        /// The values must be read again.
        case unknown
    }

    var result: Result {
        guard let best = entries.first else { return otherCount == 0 ? .value(.null) : .unknown }
        return best.isMixed ? .ambiguous : .value(best.value)
    }

    private func place(of value: Value) -> (place: Int, isKnown: Bool) {
        func order(_ entry: Entry) -> Int {
            let order = Value.order(entry.value, value)
            return isMinimum ? order : -order
        }
        let place = entries.partitioningIndex { order($0) >= 0 }
        return (place, place < entries.count && order(entries[place]) == 0)
    }
}
