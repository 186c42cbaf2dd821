package import ObjectModel
package import StoreContract

extension ValueDistribution {
    /// The slow reference: counts groups of equal values.
    ///
    /// - Parameters:
    ///   - groups: with one value each as key.
    ///   - form: returns the form in which equal values are the same.
    package init(
        of groups: [AggregateGroup], bounds: (ClosedRange<Double>) -> [Double], form: (Value) -> Value = { $0 }
    ) {
        let placed = groups.compactMap { group in group.key.first?.scalePosition.map { ($0, group.count) } }
        let positions = placed.map(\.0)
        if let low = positions.min(), let high = positions.max() {
            self.init(bounds: bounds(low...high))
        } else {
            self.init(bounds: [])
        }
        for (position, count) in placed { add(position, count: count) }
        for group in groups {
            guard let value = group.key.first, value.scalePosition == nil else { continue }
            add(other: form(value), count: group.count)
        }
    }
}
