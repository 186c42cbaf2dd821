/// One aggregate over a path that has one value. Nulls are skipped, and NaN. With nothing left: minimum, maximum
/// and average are null and the sum is 0. Minimum and maximum keep the property's type; of mixed values they
/// compare everything by the total order. The sum of Int is Int and wraps; of Float and Double it is Double, of
/// Decimal128 and of the numbers among mixed values Decimal128. The average is Double, of Decimal128 and mixed
/// values Decimal128.
package struct AggregateRequest: Hashable, Sendable {
    package enum Function: String, Hashable, Sendable, CaseIterable {
        case minimum = "min"
        case maximum = "max"
        case sum
        case average
    }

    package var function: Function
    package var path: BoundPath
    /// Whether a sum of integers beyond those that there are is an error; else it wraps, as in Realm.
    package var isChecked: Bool

    package init(_ function: Function, _ path: BoundPath, isChecked: Bool = false) {
        self.function = function
        self.path = path
        self.isChecked = isChecked
    }
}
