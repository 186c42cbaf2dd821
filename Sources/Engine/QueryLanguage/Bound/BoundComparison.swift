package import ObjectModel
package import QuerySyntax

/// `left operator right`: `Q_left l: (Q_right r: l operator r)`, where each quantifier ranges over the values of its
/// side. ANY is some of them; ALL is every one, which holds when there is none; NONE is the negation of ANY. An operand
/// with a single value ignores its quantifier. `IN` is bound as `==`, `BETWEEN` of a single value as two comparisons.
package struct BoundComparison: Hashable, Sendable {
    package var left: BoundOperand
    package var `operator`: ComparisonOperator
    package var right: BoundOperand
    /// `[c]`: folds letters that differ by case alone, in all scripts.
    package var ignoresCase: Bool
    /// `[d]`: ignores combining marks.
    package var ignoresDiacritics: Bool
    package var leftQuantifier: Quantifier
    package var rightQuantifier: Quantifier
    /// Both sides are collections without a quantifier and are compared in order: they have the same number of elements
    /// and each pair satisfies the operator; `!=` is the negation of `==`. Quantifiers are ignored.
    package var isElementwise: Bool

    package init(
        _ left: BoundOperand, _ operator: ComparisonOperator, _ right: BoundOperand, ignoresCase: Bool = false,
        ignoresDiacritics: Bool = false, leftQuantifier: Quantifier = .any, rightQuantifier: Quantifier = .any,
        isElementwise: Bool = false
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.ignoresCase = ignoresCase
        self.ignoresDiacritics = ignoresDiacritics
        self.leftQuantifier = leftQuantifier
        self.rightQuantifier = rightQuantifier
        self.isElementwise = isElementwise
    }
}

/// `BETWEEN` over several values where both bounds must hold for the same one: `low <= value <= high`. With `any`
/// one value suffices.
package struct BoundBetween: Hashable, Sendable {
    package var operand: BoundOperand
    package var low: Value
    package var high: Value
    package var quantifier: Quantifier

    package init(_ operand: BoundOperand, _ low: Value, _ high: Value, quantifier: Quantifier = .any) {
        self.operand = operand
        self.low = low
        self.high = high
        self.quantifier = quantifier
    }
}

/// One side of a comparison. The binder puts constants on the right, except those before a string operator, and lists
/// whose quantifier comes first and differs from that of a path with several values.
package indirect enum BoundOperand: Hashable, Sendable {
    /// Already converted to the other side's type where that loses nothing; a fractional number against an integer
    /// property stays a double.
    case constant(Value)
    case list([Value])
    /// Constants that include objects by their primary keys. `BoundQuery.namingObjects` turns them into `constant` and
    /// `list` at one version of the store.
    case objects(ObjectConstants)
    case path(BoundPath)
    case aggregate(BoundAggregate)
    case subquery(BoundSubquery)
    case arithmetic(BoundArithmetic)

    /// Whether the operand can have any number of values for one object, so that its quantifier matters.
    package var isToMany: Bool {
        switch self {
        case .constant, .aggregate, .subquery: false
        case .list: true
        case .objects(let objects): objects.isList
        case .path(let path): path.isToMany
        case .arithmetic(let arithmetic): arithmetic.left.isToMany || arithmetic.right.isToMany
        }
    }
}

package struct ObjectConstants: Hashable, Sendable {
    package enum Element: Hashable, Sendable {
        case value(Value)
        /// `obj('Dog', 'rex')`. An object that does not exist equals nothing.
        case object(ClassID, primaryKey: Value)
    }

    package var elements: [Element]
    /// Otherwise there is one element, and it is a single constant.
    package var isList: Bool

    package init(_ elements: [Element], isList: Bool) {
        self.elements = elements
        self.isList = isList
    }
}

/// `nums.@sum`, `dogs.@avg.age`: one value from all values of a to-many path, with the rules of
/// `AggregateRequest`.
package struct BoundAggregate: Hashable, Sendable {
    package var function: AggregateRequest.Function
    /// A to-many path.
    package var path: BoundPath
    /// As in `AggregateRequest`.
    package var isChecked: Bool

    package init(_ function: AggregateRequest.Function, _ path: BoundPath, isChecked: Bool = false) {
        self.function = function
        self.path = path
        self.isChecked = isChecked
    }
}

/// `SUBQUERY(dogs, $d, …).@count`: the number of linked objects that satisfy the predicate; an object counts as often
/// as paths lead to it. The predicate's paths begin at such an object.
package struct BoundSubquery: Hashable, Sendable {
    package var links: [LinkStep]
    /// The class of the objects that the links lead to.
    package var classID: ClassID
    package var predicate: BoundPredicate

    package init(links: [LinkStep], classID: ClassID, predicate: BoundPredicate) {
        self.links = links
        self.classID = classID
        self.predicate = predicate
    }
}

/// The result of two Ints is an Int: division truncates, and division by zero gives the largest Int, for a negative
/// number the smallest. A result of more than 64 bits is a decimal128, with 34 digits. Otherwise it has the wider type
/// of int, float, double, decimal128. An operand that is null or not a number makes it null. With one to-many side there
/// are as many results.
package struct BoundArithmetic: Hashable, Sendable {
    package typealias Operation = ArithmeticOperator

    package var left: BoundOperand
    package var operation: Operation
    package var right: BoundOperand

    package init(_ left: BoundOperand, _ operation: Operation, _ right: BoundOperand) {
        self.left = left
        self.operation = operation
        self.right = right
    }
}
