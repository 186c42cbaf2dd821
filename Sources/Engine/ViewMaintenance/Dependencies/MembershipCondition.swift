import QueryOperators
import QuerySyntax
package import ObjectModel
package import QueryLanguage

/// A condition on one property of an object itself that every object of a result satisfies. It may hold for others, too.
///
/// An index over the conditions of many queries finds those that a changed object can matter to, without asking each.
package enum MembershipCondition: Hashable, Sendable {
    /// The distinct form of the value is one of these.
    case oneOf(PropertyID, Set<Value>)
    /// The number or date, rounded to a double, is in this interval.
    case within(PropertyID, ClosedRange<Double>)

    /// An index has an entry for each value, so a longer list of them is tested query by query.
    private static let maximumValues = 64

    /// The condition that the fewest objects are likely to satisfy; nil when the predicate implies none of this form.
    package init?(_ predicate: BoundPredicate) {
        var fewest: (property: PropertyID, values: Set<Value>)?
        var ranges: [PropertyID: ClosedRange<Double>] = [:]
        for part in predicate.conjuncts {
            guard case .comparison(let comparison) = part, !comparison.isElementwise,
                case .path(let path) = comparison.left, let property = path.ownValue
            else { continue }
            if let values = comparison.wantedValues {
                if values.count < fewest?.values.count ?? Self.maximumValues + 1 { fewest = (property, values) }
            } else if let range = comparison.wantedRange {
                let known = ranges[property] ?? -.infinity ... .infinity
                // One of two intervals that exclude each other is as good as both.
                ranges[property] = known.overlaps(range) ? known.clamped(to: range) : range
            }
        }
        if let fewest {
            self = .oneOf(fewest.property, fewest.values)
            return
        }
        // By number, so that equal predicates always get equal conditions.
        let sorted = ranges.sorted { $0.key < $1.key }
        guard let range = sorted.first(where: { $0.value.isBounded }) ?? sorted.first else { return nil }
        self = .within(range.key, range.value)
    }
}

extension BoundPredicate {
    /// Predicates that all hold where this one does.
    fileprivate var conjuncts: [BoundPredicate] {
        if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }
}

extension BoundComparison {
    /// The distinct forms of the values on the left that are equal to one on the right; nil for other comparisons.
    fileprivate var wantedValues: Set<Value>? {
        guard self.operator == .equal, !ignoresCase, !ignoresDiacritics else { return nil }
        switch right {
        case .constant(let value): return Self.forms([value])
        case .list(let values) where rightQuantifier == .any: return Self.forms(values)
        default: return nil
        }
    }

    /// Nothing is equal to a NaN.
    private static func forms(_ values: [Value]) -> Set<Value> {
        Set(values.lazy.filter { !$0.isNaN }.map(\.distinctForm))
    }

    /// The interval of the numbers or dates on the left that compare so with the one on the right.
    fileprivate var wantedRange: ClosedRange<Double>? {
        guard case .constant(let value) = right, let bound = value.roundedDouble else { return nil }
        return switch self.operator {
        case .less, .lessOrEqual: -.infinity...bound
        case .greater, .greaterOrEqual: bound ... .infinity
        default: nil
        }
    }
}

extension ClosedRange<Double> {
    fileprivate var isBounded: Bool { lowerBound > -.infinity && upperBound < .infinity }
}

extension Value {
    /// The number, or the seconds of the date, rounded in a way that keeps their order; nil for other values and a NaN.
    var roundedDouble: Double? {
        switch self {
        case .int(let number): Double(number)
        case .float(let number): number.isNaN ? nil : Double(number)
        case .double(let number): number.isNaN ? nil : number
        case .date(let date): Double(date.seconds)
        default: nil
        }
    }
}
