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

    var name: String {
        switch self {
        case .comparison(let comparison): comparison.rawValue
        case .isIn: "IN"
        case .between: "BETWEEN"
        }
    }
}

package struct ParsedComparison: Hashable, Sendable {
    package var left: ParsedOperand
    package var `operator`: ParsedOperator
    package var right: ParsedOperand
    package var ignoresCase: Bool
    let operatorRange: Unequal<SourceRange>
}

package struct ParsedOperand: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case constant(ParsedConstant)
        case list([ParsedConstant])
        case path(ParsedPath)
    }

    package var kind: Kind
    package var quantifier: Quantifier?
    let range: Unequal<SourceRange>
    /// One per element of a list.
    let elementRanges: Unequal<[SourceRange]>
}

package enum ParsedConstant: Hashable, Sendable {
    case value(Value)
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
        /// `$K0`, or the number that `%K` got: the argument holds the whole path.
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
