import ObjectModel
import QueryLanguage

/// Tests single objects: for what has no faster operator, and for one object of a live query. Used by one thread at a time.
final class RowPredicate {
    private indirect enum Node {
        case constant(Bool)
        case comparison(RowComparison)
        case not(Node)
        case and([Node])
        case or([Node])
    }

    private let root: Node

    init(_ predicate: BoundPredicate, on classID: ClassID, in source: any ColumnSource) {
        root = Self.compile(predicate, classID, source)
    }

    func holds(_ key: ObjectKey) throws -> Bool { try Self.evaluate(root, key) }

    private static func compile(_ predicate: BoundPredicate, _ classID: ClassID, _ source: any ColumnSource) -> Node {
        switch predicate {
        case .constant(let value): .constant(value)
        case .comparison(let comparison): .comparison(RowComparison(comparison, on: classID, in: source))
        case .between, .fullText, .geoWithin: .constant(false)
        case .not(let inner): .not(compile(inner, classID, source))
        case .and(let parts): .and(parts.map { compile($0, classID, source) })
        case .or(let parts): .or(parts.map { compile($0, classID, source) })
        }
    }

    private static func evaluate(_ node: Node, _ key: ObjectKey) throws -> Bool {
        switch node {
        case .constant(let value): value
        case .comparison(let comparison): try comparison.holds(key)
        case .not(let inner): try !evaluate(inner, key)
        case .and(let parts): try parts.allSatisfy { try evaluate($0, key) }
        case .or(let parts): try parts.contains { try evaluate($0, key) }
        }
    }
}

/// One comparison, object by object, with any operands and quantifiers.
final class RowComparison {
    private enum Operand {
        case value(Value)
        case values([Value])
        case path(PathReader)

        /// The value of an operand that has one; nil for one that may have several.
        func value(_ key: ObjectKey) throws -> Value? {
            switch self {
            case .value(let value): value
            case .values: nil
            case .path(let reader): reader.isToMany ? nil : try reader.single(key) ?? .null
            }
        }

        func values(_ key: ObjectKey) throws -> [Value] {
            switch self {
            case .value(let value): [value]
            case .values(let values): values
            case .path(let reader): try reader.values(key)
            }
        }
    }

    private let comparison: BoundComparison
    private let left: Operand
    private let right: Operand

    init(_ comparison: BoundComparison, on classID: ClassID, in source: any ColumnSource) {
        func operand(_ bound: BoundOperand) -> Operand {
            switch bound {
            case .constant(let value): .value(value)
            case .list(let values): .values(values)
            case .path(let path): .path(PathReader(path, from: classID, in: source))
            case .objects, .aggregate, .subquery, .arithmetic: .value(.null)
            }
        }
        // A single value satisfies ANY, ALL alike, but NONE would turn it over: the quantifier of a single operand is not looked at.
        var comparison = comparison
        if !comparison.left.isToMany { comparison.leftQuantifier = .any }
        if !comparison.right.isToMany { comparison.rightQuantifier = .any }
        self.comparison = comparison
        left = operand(comparison.left)
        right = operand(comparison.right)
    }

    func holds(_ key: ObjectKey) throws -> Bool {
        if let one = try left.value(key), let other = try right.value(key) {
            return ScalarComparison.holds(one, comparison.operator, other, ignoresCase: comparison.ignoresCase)
        }
        let lefts = try left.values(key)
        let rights = try right.values(key)
        return comparison.leftQuantifier.holds(lefts) { left in
            comparison.rightQuantifier.holds(rights) { right in
                ScalarComparison.holds(left, comparison.operator, right, ignoresCase: comparison.ignoresCase)
            }
        }
    }
}

extension Quantifier {
    func holds(_ values: [Value], _ test: (Value) -> Bool) -> Bool {
        switch self {
        case .any: values.contains(where: test)
        case .all: values.allSatisfy(test)
        case .none: !values.contains(where: test)
        }
    }
}
