package import ObjectModel

/// A query as written: names are not resolved yet, arguments not filled in.
package struct ParsedQuery: Hashable, Sendable {
    package var predicate: ParsedPredicate
    package var steps: [ParsedStep]
    /// The source text, for errors; equality of queries ignores it.
    package let source: Uncompared<SourceText>

    init(predicate: ParsedPredicate, steps: [ParsedStep], source: SourceText) {
        self.predicate = predicate
        self.steps = steps
        self.source = Uncompared(source)
    }

    /// A query that was not parsed from a text; errors about it have no position.
    package init(_ predicate: ParsedPredicate, _ steps: [ParsedStep] = []) {
        self.init(predicate: predicate, steps: steps, source: SourceText(""))
    }
}

package indirect enum ParsedPredicate: Hashable, Sendable {
    case constant(Bool)
    case comparison(ParsedComparison)
    case not(ParsedPredicate)
    /// At least two parts; a part that is itself an `and` was in parentheses.
    case and([ParsedPredicate])
    /// At least two parts; a part that is itself an `or` was in parentheses.
    case or([ParsedPredicate])
}

package enum ParsedOperator: Hashable, Sendable {
    case comparison(ComparisonOperator)
    case isIn
    /// By the grammar the right side is any operand; only a list, or an argument that is one, has a meaning.
    case between
    /// Full-text search.
    case text
    /// The left side is a path, the right one a shape or an argument.
    case geoWithin

    package var name: String {
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
    /// `[c]` or `[cd]`: only with `==`, `!=`, IN and the string operators.
    package var ignoresCase: Bool
    /// `[d]` or `[cd]`: as `[c]`; the binder rejects it for LIKE.
    package var ignoresDiacritics = false
    package let operatorRange: Uncompared<SourceRange>

    init(
        left: ParsedOperand, operator: ParsedOperator, right: ParsedOperand, ignoresCase: Bool,
        ignoresDiacritics: Bool = false, operatorRange: Uncompared<SourceRange>
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.ignoresCase = ignoresCase
        self.ignoresDiacritics = ignoresDiacritics
        self.operatorRange = operatorRange
    }

    package init(
        _ left: ParsedOperand, _ operator: ParsedOperator, _ right: ParsedOperand, ignoresCase: Bool = false,
        ignoresDiacritics: Bool = false
    ) {
        self.init(
            left: left, operator: `operator`, right: right, ignoresCase: ignoresCase,
            ignoresDiacritics: ignoresDiacritics, operatorRange: Uncompared(.nowhere))
    }
}

package struct ParsedOperand: Hashable, Sendable {
    package indirect enum Kind: Hashable, Sendable {
        case constant(ParsedConstant)
        case list([ParsedConstant])
        /// Also `nums.@sum`, `dogs.@avg.age`.
        case path(ParsedPath)
        case subquery(ParsedSubquery)
        case arithmetic(ParsedOperand, ArithmeticOperator, ParsedOperand)
        /// Only on the right of GEOWITHIN.
        case shape(ParsedShape)
    }

    package var kind: Kind
    /// Only on paths that are not aggregates, on lists and on arguments. Arithmetic has none of its own, but its
    /// operands may: `ALL nums * 2 > 10` is `(ALL nums) * 2 > 10`.
    package var quantifier: Quantifier?
    /// From the quantifier on; parentheses around the operand are not part of it.
    package let range: Uncompared<SourceRange>
    /// One per element of a list.
    package let elementRanges: Uncompared<[SourceRange]>

    init(
        kind: Kind, quantifier: Quantifier?, range: Uncompared<SourceRange>, elementRanges: Uncompared<[SourceRange]>
    ) {
        self.kind = kind
        self.quantifier = quantifier
        self.range = range
        self.elementRanges = elementRanges
    }

    package init(_ kind: Kind, quantifier: Quantifier? = nil) {
        var count = 0
        if case .list(let elements) = kind { count = elements.count }
        self.init(
            kind: kind, quantifier: quantifier, range: Uncompared(.nowhere),
            elementRanges: Uncompared(Array(repeating: .nowhere, count: count)))
    }
}

/// `SUBQUERY(path, $variable, predicate).@count`
package struct ParsedSubquery: Hashable, Sendable {
    package var path: ParsedPath
    /// With its sign and at least one more character. Paths of the predicate may begin with it. The binder checks
    /// whether an outer subquery over the same class has the same variable.
    package var variable: String
    package var predicate: ParsedPredicate
    package let variableRange: Uncompared<SourceRange>

    init(path: ParsedPath, variable: String, predicate: ParsedPredicate, variableRange: Uncompared<SourceRange>) {
        self.path = path
        self.variable = variable
        self.predicate = predicate
        self.variableRange = variableRange
    }

    package init(_ path: ParsedPath, _ variable: String, _ predicate: ParsedPredicate) {
        self.init(path: path, variable: variable, predicate: predicate, variableRange: Uncompared(.nowhere))
    }
}

/// `geoCircle([1.0, 2.0], 0.1)` and the other shapes, not validated yet. Coordinates are numbers or arguments.
package struct ParsedShape: Hashable, Sendable {
    package struct Position: Hashable, Sendable {
        package var longitude: ParsedConstant
        package var latitude: ParsedConstant

        package init(_ longitude: ParsedConstant, _ latitude: ParsedConstant) {
            self.longitude = longitude
            self.latitude = latitude
        }
    }

    package enum Kind: Hashable, Sendable {
        case circle(Position, radius: ParsedConstant)
        case box(Position, Position)
        /// At least one ring, each of at least one position; whether rings are closed is not checked.
        case polygon([[Position]])
    }

    package var kind: Kind

    package init(_ kind: Kind) { self.kind = kind }
}

package enum ParsedConstant: Hashable, Sendable {
    case value(Value)
    /// A Double or Float with a fraction or an exponent, or a whole number beyond 64 bits, with its source text:
    /// against a Decimal128 it is parsed again, with all its digits. The text has an optional sign, then digits with a
    /// point before, among or after them, then an optional exponent; a Float's `f` is left out.
    case floating(Value, text: String)
    /// `$0`, or the number that `%@` got by its position.
    case argument(Int)
    /// `obj('Dog', 'rex')`
    case object(className: String, primaryKey: Value)
}

package struct ParsedPath: Hashable, Sendable {
    package enum Component: Hashable, Sendable {
        case name(String)
        /// Without the `@`: `links`, `keys` and `values` anywhere (in formats also `@allKeys` and `@allValues`);
        /// `count`, `size` and `type` only at the end; `min`, `max`, `sum` and `avg` at the end or before one last
        /// name.
        case atName(String)
        /// `[0]`, `[LAST]`, `['ash']`, `[$0]`, … never first; `[SIZE]` only at the end.
        case index(Index)
        /// `$K0`, or the number that `%K` got: the argument holds the whole path. Only first, and the only component
        /// except for an operation after it: `$K0.@count`, `$K0[SIZE]`, `$K0.@max.age`.
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
        /// `[%K]` or `[$K0]`: the argument is the word itself; the only such word is `#any`.
        case wordArgument(Int)
    }

    /// At least one.
    package var components: [Component]
    /// One per component; that of an index includes its brackets.
    package let ranges: Uncompared<[SourceRange]>

    package init(components: [Component], ranges: Uncompared<[SourceRange]>) {
        self.components = components
        self.ranges = ranges
    }

    package init(_ components: [Component]) {
        self.init(
            components: components, ranges: Uncompared(Array(repeating: .nowhere, count: max(1, components.count))))
    }
}

package enum ParsedStep: Hashable, Sendable {
    case sort([ParsedSortKey])
    case distinct([ParsedPath])
    case limit(Int)
}

package struct ParsedSortKey: Hashable, Sendable {
    package var path: ParsedPath
    package var isAscending: Bool

    package init(_ path: ParsedPath, ascending: Bool = true) {
        self.path = path
        isAscending = ascending
    }
}

/// Data that accompanies a value without taking part in its equality: its position in the text.
package struct Uncompared<Value: Sendable>: Hashable, Sendable {
    package var value: Value

    package init(_ value: Value) { self.value = value }

    package static func == (a: Uncompared, b: Uncompared) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}

/// The syntax of a query text. Both dialects are parsed into one tree, and differ in some meanings: which paths need a
/// quantifier, how strictly types are checked, and whether an empty text is a part of others.
package enum QueryDialect: Hashable, Sendable {
    /// The text language of Realm's core, which the gateway accepts. `$0` is an argument by its number.
    case rql
    /// Predicate formats, as in `filter("age > %@", 3)`: `%@`, `%K` and `%d` use the next argument, maps are spelled
    /// `@allKeys`, `@allValues` and `[#any]`. The rules for types and null are stricter, and Cocoa's.
    case format
}
