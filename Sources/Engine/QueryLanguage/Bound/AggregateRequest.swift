/// One aggregate over a single-valued path. Nulls and NaN are skipped. When no value is left, minimum, maximum and
/// average are null and the sum is 0. Minimum and maximum keep the property's type; those of mixed values compare
/// everything by the total order. The sum of Int is Int and wraps; of Float and Double it is Double; of Decimal128 and
/// of the numbers among mixed values it is Decimal128. The average is Double; of Decimal128 and mixed values it is
/// Decimal128.
package struct AggregateRequest: Hashable, Sendable {
    package enum Function: String, Hashable, Sendable, CaseIterable {
        case minimum = "min"
        case maximum = "max"
        case sum
        case average
    }

    package var function: Function
    package var path: BoundPath
    /// Whether an integer sum that overflows is an error; otherwise it wraps, as in Realm.
    package var isChecked: Bool

    package init(_ function: Function, _ path: BoundPath, isChecked: Bool = false) {
        self.function = function
        self.path = path
        self.isChecked = isChecked
    }
}
