package import ObjectModel
package import QuerySyntax
import QueryLanguage

/// The semantics of `left operator right` for two single values.
package enum ReferenceComparison {
    /// Null equals null and differs from everything else; it is neither below nor above anything, but `<=` and `>=`
    /// hold between two nulls. Numbers compare exactly across types; a NaN differs from every number, itself
    /// included, and is not ordered with any. Two collections of one kind are equal, as in the total order. Values of
    /// kinds that do not compare differ and are not ordered.
    package static func holds(
        _ left: Value, _ operation: ComparisonOperator, _ right: Value, ignoresCase: Bool = false,
        ignoresDiacritics: Bool = false
    ) -> Bool {
        func folded(_ value: Value) -> Value {
            ReferenceText.folded(value, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
        }
        if operation.isStringOperator { return holdsForText(folded(left), operation, folded(right)) }
        if left.isNull || right.isNull {
            let bothNull = left.isNull && right.isNull
            switch operation {
            case .equal, .lessOrEqual, .greaterOrEqual: return bothNull
            case .notEqual: return !bothNull
            default: return false
            }
        }
        guard left.kindRank == right.kindRank, !left.isNaN, !right.isNaN else { return operation == .notEqual }
        let order = Value.order(folded(left), folded(right))
        return switch operation {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        default: false
        }
    }

    /// Whether a held value equals a constant: collections when their elements are equal, in order.
    package static func isEqual(_ value: Value, toConstant constant: Value) -> Bool {
        switch (value, constant) {
        case (.list(let elements), .list(let others)):
            elements.count == others.count && zip(elements, others).allSatisfy { isEqual($0, toConstant: $1) }
        case (.dictionary(let map), .dictionary(let other)):
            map.entries.count == other.entries.count
                && zip(map.entries, other.entries).allSatisfy {
                    Array($0.key.utf8) == Array($1.key.utf8) && isEqual($0.value, toConstant: $1.value)
                }
        default: holds(value, .equal, constant)
        }
    }

    /// A null on the right is the empty start, end or part of every text and data, and of null, but LIKE matches it
    /// only with null; a null on the left has no text. Texts and data are not comparable with each other.
    private static func holdsForText(_ left: Value, _ operation: ComparisonOperator, _ right: Value) -> Bool {
        if right.isNull { return operation == .like ? left.isNull : left.isNull || left.isText }
        switch (left, right) {
        case (.string(let subject), .string(let pattern)):
            if operation == .like { return ReferenceText.isLike(subject, pattern) }
            return holds(Array(subject.utf8), operation, Array(pattern.utf8))
        case (.data(let subject), .data(let pattern)):
            if operation == .like { return ReferenceText.isLike(subject[...], pattern[...]) }
            return holds(subject, operation, pattern)
        default: return false
        }
    }

    private static func holds(_ bytes: [UInt8], _ operation: ComparisonOperator, _ wanted: [UInt8]) -> Bool {
        switch operation {
        case .beginsWith: return bytes.starts(with: wanted)
        case .endsWith: return bytes.reversed().starts(with: wanted.reversed())
        case .contains:
            guard bytes.count >= wanted.count else { return false }
            return (0...bytes.count - wanted.count).contains { bytes[$0...].starts(with: wanted) }
        default: return false
        }
    }
}

extension Value {
    var isNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal: true
        default: false
        }
    }

    fileprivate var isText: Bool {
        switch self {
        case .string, .data: true
        default: false
        }
    }
}
