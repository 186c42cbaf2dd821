/// One aggregate over a single-valued numeric or date path. Nulls are skipped, and NaN. With nothing left:
/// minimum, maximum and average are null and the sum is 0. The sum of Int is Int and wraps; of Float and Double
/// is Double; the average is Double. Minimum and maximum keep the property's type.
package struct AggregateRequest: Hashable, Sendable {
    package enum Function: String, Hashable, Sendable, CaseIterable {
        case minimum = "min"
        case maximum = "max"
        case sum
        case average
    }

    package var function: Function
    package var path: BoundPath

    package init(_ function: Function, _ path: BoundPath) {
        self.function = function
        self.path = path
    }
}
