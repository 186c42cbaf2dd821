package import ObjectModel
import QuerySyntax
package import QueryLanguage

/// Tests single objects: for conditions without a faster operator, and for one object of a live query. Compiled once; a
/// part is evaluated only when those before it do not decide. Used by one thread at a time.
package final class RowPredicate {
    private indirect enum Node {
        case constant(Bool)
        case comparison(RowComparison)
        case between(RowBetween)
        case fullText(RowFullText)
        case geoWithin(RowGeoWithin)
        case not(Node)
        case and([Node])
        case or([Node])
    }

    private let root: Node

    package init(_ predicate: BoundPredicate, on classID: ClassID, in source: any ColumnSource) {
        root = Self.compile(predicate, classID, source)
    }

    package func holds(_ key: ObjectKey) throws -> Bool { try Self.evaluate(root, key) }

    /// A text limits the nesting of predicates, and with it this recursion.
    private static func compile(_ predicate: BoundPredicate, _ classID: ClassID, _ source: any ColumnSource) -> Node {
        switch predicate {
        case .constant(let value): .constant(value)
        case .comparison(let comparison): .comparison(RowComparison(comparison, on: classID, in: source))
        case .between(let between): .between(RowBetween(between, on: classID, in: source))
        case .fullText(let search): .fullText(RowFullText(search, on: classID, in: source))
        case .geoWithin(let search): .geoWithin(RowGeoWithin(search, on: classID, in: source))
        case .not(let inner): .not(compile(inner, classID, source))
        case .and(let parts): .and(parts.map { compile($0, classID, source) })
        case .or(let parts): .or(parts.map { compile($0, classID, source) })
        }
    }

    private static func evaluate(_ node: Node, _ key: ObjectKey) throws -> Bool {
        switch node {
        case .constant(let value): return value
        case .comparison(let comparison): return try comparison.holds(key)
        case .between(let between): return try between.holds(key)
        case .fullText(let search): return try search.holds(key)
        case .geoWithin(let search): return try search.holds(key)
        case .not(let inner): return try !evaluate(inner, key)
        case .and(let parts):
            for part in parts {
                guard try evaluate(part, key) else { return false }
            }
            return true
        case .or(let parts):
            for part in parts where try evaluate(part, key) { return true }
            return false
        }
    }
}

/// `BETWEEN` over several values, object by object. Used by one thread at a time.
final class RowBetween {
    private let operand: RowOperand
    private let quantifier: Quantifier
    private let low: ConstantTest
    private let high: ConstantTest

    init(_ between: BoundBetween, on classID: ClassID, in source: any ColumnSource) {
        operand = RowOperand(between.operand, on: classID, in: source)
        quantifier = between.quantifier
        low = ConstantTest(.greaterOrEqual, between.low)
        high = ConstantTest(.lessOrEqual, between.high)
    }

    func holds(_ key: ObjectKey) throws -> Bool {
        try operand.holds(quantifier, key) { low.holds($0) && high.holds($0) }
    }
}
