package import ObjectModel

/// A query whose names and types have been resolved against a schema: what a store executes.
///
/// Two equal bound queries give the same result at the same version, so they can share one live result.
package struct BoundQuery: Hashable, Sendable {
    package var classID: ClassID
    package var predicate: BoundPredicate
    /// Applied left to right to the matching objects in creation order.
    package var steps: [ResultStep]

    package init(classID: ClassID, predicate: BoundPredicate = .constant(true), steps: [ResultStep] = []) {
        self.classID = classID
        self.predicate = predicate
        self.steps = steps
    }
}

/// One stage after the predicate.
package enum ResultStep: Hashable, Sendable {
    /// Stable: ties keep the order that they had.
    case sort([SortKey])
    /// Keeps the first object of each combination of values; objects with a null link on a path are dropped.
    case distinct([BoundPath])
    /// Keeps the first n.
    case limit(Int)
}

/// A path to sort by; it passes through to-one links only and ends in a value.
package struct SortKey: Hashable, Sendable {
    package var path: BoundPath
    package var isAscending: Bool

    package init(_ path: BoundPath, ascending: Bool = true) {
        self.path = path
        isAscending = ascending
    }
}

package indirect enum BoundPredicate: Hashable, Sendable {
    case constant(Bool)
    case comparison(BoundComparison)
    case not(BoundPredicate)
    /// True when empty.
    case and([BoundPredicate])
    /// False when empty.
    case or([BoundPredicate])
}

package enum ComparisonOperator: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    case like = "LIKE"

    package var isStringOperator: Bool {
        switch self {
        case .beginsWith, .endsWith, .contains, .like: true
        default: false
        }
    }
}

/// How many of an operand's values must satisfy a comparison.
package enum Quantifier: String, Hashable, Sendable {
    case any = "ANY"
    case all = "ALL"
    case none = "NONE"
}

/// `left operator right`, with the meaning of query-language.md §5: `Q_left l: (Q_right r: l operator r)`. An
/// operand with a single value ignores its quantifier. `IN` is bound as `==`, `BETWEEN` as two comparisons.
package struct BoundComparison: Hashable, Sendable {
    package var left: BoundOperand
    package var `operator`: ComparisonOperator
    package var right: BoundOperand
    /// `[c]`: folds ASCII and Latin-1 letters.
    package var ignoresCase: Bool
    package var leftQuantifier: Quantifier
    package var rightQuantifier: Quantifier

    package init(
        _ left: BoundOperand, _ operator: ComparisonOperator, _ right: BoundOperand, ignoresCase: Bool = false,
        leftQuantifier: Quantifier = .any, rightQuantifier: Quantifier = .any
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.ignoresCase = ignoresCase
        self.leftQuantifier = leftQuantifier
        self.rightQuantifier = rightQuantifier
    }
}

/// One side of a comparison. The binder puts a lone constant on the right.
package enum BoundOperand: Hashable, Sendable {
    /// Already adapted to the other side's type where that loses nothing; a fractional number against an
    /// integer property stays a double.
    case constant(Value)
    case list([Value])
    case path(BoundPath)
}

/// From an object of the query's class along links to a value.
package struct BoundPath: Hashable, Sendable {
    package var links: [LinkStep]
    package var end: PathEnd

    package init(links: [LinkStep] = [], end: PathEnd) {
        self.links = links
        self.end = end
    }

    /// Whether the path can give several values for one object.
    package var isToMany: Bool {
        if case .count = end { return false }
        return links.contains {
            if case .backward = $0 { return true }
            return false
        }
    }
}

package enum LinkStep: Hashable, Sendable {
    /// Along a to-one link of the current class to an object of `target`.
    case forward(PropertyID, target: ClassID)
    /// To every object of `origin` whose `property` links to the current object, ascending by key.
    case backward(origin: ClassID, property: PropertyID)
}

package enum PathEnd: Hashable, Sendable {
    /// A stored value of the class that the links lead to. Never a link.
    case property(PropertyID, PropertyType)
    /// The object itself that the links lead to: what a path ending in a link means. Its values are `.link` or null.
    case object(ClassID)
    /// The number of objects that the links lead to, as an Int: `.@count`.
    case count
}
