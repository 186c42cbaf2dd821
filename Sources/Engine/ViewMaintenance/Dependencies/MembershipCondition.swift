import QueryOperators
import QuerySyntax
package import ObjectModel
package import QueryLanguage

/// A condition on an object that every object of a result satisfies. It may hold for others, too.
///
/// An index over the conditions of many queries finds those that a changed object can matter to, without asking each.
package enum MembershipCondition: Hashable, Sendable {
    /// The distinct form of the value is one of these.
    case oneOf(ConditionPath, Set<Value>)
    /// The number or date, rounded to a double, is in this interval.
    case within(ConditionPath, ClosedRange<Double>)
    /// The text or data begins with these bytes.
    case beginning(ConditionPath, with: [UInt8])
    /// The property links to this object.
    case linking(PropertyID, to: ObjectReference)
    /// The object is an element of this property of another object.
    case element(of: ObjectReference, PropertyID)

    /// An index has an entry for each value, so a longer list of them is tested query by query.
    private static let maximumEntries = 64
    /// Further bytes would tell few queries apart.
    private static let maximumBytes = 32

    /// Conditions one of which every object satisfies for which the predicate holds: those that the fewest objects are
    /// likely to satisfy. Nil when the predicate implies none of this form. Equal predicates have equal conditions.
    package static func all(of predicate: BoundPredicate) -> [MembershipCondition]? {
        switch predicate {
        case .comparison(let comparison): return MembershipCondition(comparison).map { [$0] }
        case .and:
            var alternatives: [[MembershipCondition]] = []
            for part in predicate.conjuncts {
                guard let conditions = all(of: part) else { continue }
                // Both bounds of an interval say more than one of them.
                if conditions.count == 1, let at = alternatives.firstIndex(where: { $0.isRange(over: conditions[0]) }),
                    case .within(let path, let known) = alternatives[at][0], case .within(_, let range) = conditions[0]
                {
                    // One of two intervals that exclude each other is as good as both.
                    alternatives[at] = [.within(path, known.overlaps(range) ? known.clamped(to: range) : range)]
                } else {
                    alternatives.append(conditions)
                }
            }
            return alternatives.min { $0.breadth < $1.breadth }
        case .or(let parts):
            var conditions: [MembershipCondition] = []
            for part in parts {
                guard let alternatives = all(of: part) else { return nil }
                for condition in alternatives where !conditions.merge(condition) { conditions.append(condition) }
            }
            return conditions.isEmpty || conditions.entries > maximumEntries ? nil : conditions
        case .constant, .between, .fullText, .geoWithin, .not: return nil
        }
    }

    private init?(_ comparison: BoundComparison) {
        guard !comparison.isElementwise, case .path(let operand) = comparison.left,
            let path = ConditionPath(operand)
        else { return nil }
        if let values = comparison.wantedValues {
            // A path through links has no value, which counts as null, where one of the links is null.
            guard values.count <= Self.maximumEntries, path.links.isEmpty || !values.contains(.null) else { return nil }
            self = .oneOf(path, values)
        } else if let range = comparison.wantedRange {
            self = .within(path, range)
        } else if let bytes = comparison.wantedBytes, !bytes.isEmpty {
            self = .beginning(path, with: Array(bytes.prefix(Self.maximumBytes)))
        } else {
            return nil
        }
    }

    /// The number of entries in an index.
    fileprivate var entries: Int { if case .oneOf(_, let values) = self { values.count } else { 1 } }

    /// A guess how many objects satisfy it, in comparison with others.
    fileprivate var breadth: Int {
        switch self {
        case .linking, .element: 1
        case .oneOf(_, let values): values.count
        case .beginning: 100
        case .within(_, let range): range.isBounded ? 1_000 : 10_000
        }
    }
}

/// A path from an object along to-one links to a single value that is neither a link nor mixed.
package struct ConditionPath: Hashable, Sendable {
    package struct Link: Hashable, Sendable {
        let property: PropertyID
        let target: ClassID
    }

    let links: [Link]
    let property: PropertyID

    /// The path to a property of the object itself.
    package init(_ property: PropertyID) {
        links = []
        self.property = property
    }

    fileprivate init?(_ path: BoundPath) {
        var links: [Link] = []
        for link in path.links {
            guard case .forward(let property, let target) = link else { return nil }
            links.append(Link(property: property, target: target))
        }
        guard let property = BoundPath(end: path.end, steps: path.steps).ownValue else { return nil }
        self.links = links
        self.property = property
    }
}

extension [MembershipCondition] {
    fileprivate var entries: Int { reduce(0) { $0 + $1.entries } }
    fileprivate var breadth: Int { reduce(0) { $0 + $1.breadth } }

    /// Widens an interval of the same values so that it contains that of another condition, since an index has one
    /// interval for each path of a view. Returns whether there is one.
    fileprivate mutating func merge(_ other: MembershipCondition) -> Bool {
        guard case .within(let path, let range) = other else { return false }
        for (index, condition) in enumerated() {
            guard case .within(path, let known) = condition else { continue }
            let low = Swift.min(known.lowerBound, range.lowerBound)
            self[index] = .within(path, low...Swift.max(known.upperBound, range.upperBound))
            return true
        }
        return false
    }

    /// Whether it is one interval of the values that another condition has an interval of.
    fileprivate func isRange(over other: MembershipCondition) -> Bool {
        guard count == 1, case .within(let path, _) = self[0], case .within(let otherPath, _) = other else {
            return false
        }
        return path == otherPath
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

    /// The bytes with which the texts or data on the left begin.
    fileprivate var wantedBytes: [UInt8]? {
        guard self.operator == .beginsWith, !ignoresCase, !ignoresDiacritics, case .constant(let value) = right else {
            return nil
        }
        return value.bytes
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

    /// The bytes of a text or of data; nil for other values.
    var bytes: [UInt8]? {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let data): Array(data)
        default: nil
        }
    }
}
