package import ObjectModel

/// A query as written: names are not looked up yet, arguments not filled in.
package struct ParsedQuery: Hashable, Sendable {
    package var predicate: ParsedPredicate
    package var steps: [ParsedStep]
    /// The text that it was read from, for errors; equality of queries does not look at it.
    let source: Unequal<SourceText>

    init(predicate: ParsedPredicate, steps: [ParsedStep], source: SourceText) {
        self.predicate = predicate
        self.steps = steps
        self.source = Unequal(source)
    }
}

package indirect enum ParsedPredicate: Hashable, Sendable {
    case constant(Bool)
    case comparison(ParsedComparison)
    case not(ParsedPredicate)
    case and([ParsedPredicate])
    case or([ParsedPredicate])
}

package enum ParsedOperator: Hashable, Sendable {
    case comparison(ComparisonOperator)
    case isIn
    case between
    case text
    case geoWithin

    var name: String {
        switch self {
        case .comparison(let comparison): comparison.rawValue
        case .isIn: "IN"
        case .between: "BETWEEN"
        case .text: "TEXT"
        case .geoWithin: "GEOWITHIN"
        }
    }
}

package struct ParsedComparison: Hashable, Sendable {
    package var left: ParsedOperand
    package var `operator`: ParsedOperator
    package var right: ParsedOperand
    package var ignoresCase: Bool
    package var ignoresDiacritics = false
    let operatorRange: Unequal<SourceRange>
}

package struct ParsedOperand: Hashable, Sendable {
    package indirect enum Kind: Hashable, Sendable {
        case constant(ParsedConstant)
        case list([ParsedConstant])
        /// Also `nums.@sum`, `dogs.@avg.age`.
        case path(ParsedPath)
        case subquery(ParsedSubquery)
        case arithmetic(ParsedOperand, BoundArithmetic.Operation, ParsedOperand)
        case shape(ParsedShape)
    }

    package var kind: Kind
    package var quantifier: Quantifier?
    let range: Unequal<SourceRange>
    /// One per element of a list.
    let elementRanges: Unequal<[SourceRange]>
}

/// `SUBQUERY(path, $variable, predicate).@count`
package struct ParsedSubquery: Hashable, Sendable {
    package var path: ParsedPath
    /// With its sign. Paths of the predicate may begin with it.
    package var variable: String
    package var predicate: ParsedPredicate
    let variableRange: Unequal<SourceRange>
}

/// `geoCircle([1.0, 2.0], 0.1)` and its like, not checked yet. Coordinates are numbers or arguments.
package struct ParsedShape: Hashable, Sendable {
    package struct Position: Hashable, Sendable {
        package var longitude: ParsedConstant
        package var latitude: ParsedConstant
    }

    package enum Kind: Hashable, Sendable {
        case circle(Position, radius: ParsedConstant)
        case box(Position, Position)
        case polygon([[Position]])
    }

    package var kind: Kind
}

package enum ParsedConstant: Hashable, Sendable {
    case value(Value)
    /// A number with a fraction or an exponent, and the text that it was read from: against a Decimal128 it is
    /// read again, with all its digits.
    case floating(Value, text: String)
    /// `$0`, or the number that `%@` got by its place.
    case argument(Int)
    /// `obj('Dog', 'rex')`
    case object(className: String, primaryKey: Value)
}

package struct ParsedPath: Hashable, Sendable {
    package enum Component: Hashable, Sendable {
        case name(String)
        /// `@links`, `@count`, …, without the sign.
        case atName(String)
        /// `[0]`, `[LAST]`, `['ash']`, `[$0]`, … behind the name before it.
        case index(Index)
        /// `$K0`, or the number that `%K` got: the argument holds the whole path.
        case argument(Int)
    }

    package enum Index: Hashable, Sendable {
        case position(Int)
        case first
        case last
        /// `[*]`
        case all
        /// `[SIZE]`
        case size
        case key(String)
        /// An Int or a String.
        case argument(Int)
    }

    package var components: [Component]
    let ranges: Unequal<[SourceRange]>
}

package enum ParsedStep: Hashable, Sendable {
    case sort([ParsedSortKey])
    case distinct([ParsedPath])
    case limit(Int)
}

package struct ParsedSortKey: Hashable, Sendable {
    package var path: ParsedPath
    package var isAscending: Bool
}

/// Something that goes along with a value without taking part in its equality: where it stood in the text.
struct Unequal<Value: Sendable>: Hashable, Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }

    static func == (a: Unequal, b: Unequal) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
