import Columnar
package import ObjectModel
package import QuerySyntax
import QueryLanguage

/// The semantics of one comparison of two values. Two-valued: a null equals only a null, and a NaN nothing. Values of
/// different kinds are neither equal nor ordered, where all numbers are one kind. A collection equals a constant of its
/// kind with equal elements; two collections of a kind that objects hold are equal, whatever is in them.
package enum ScalarComparison {
    package static func holds(
        _ left: Value, _ operation: ComparisonOperator, _ right: Value, ignoresCase: Bool = false,
        ignoresDiacritics: Bool = false
    ) -> Bool {
        let test = ConstantTest(
            operation, right, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
        return left.withView { test.holds($0) }
    }

    /// Compares two values neither of which is known beforehand. With a constant on the right a `ConstantTest` is
    /// faster.
    static func holds(
        _ left: ValueView, _ operation: ComparisonOperator, _ right: ValueView, ignoresCase: Bool,
        ignoresDiacritics: Bool
    ) -> Bool {
        if ignoresCase || ignoresDiacritics || operation.isStringOperator {
            // The negation of equality is tested as equality.
            let test = TextPattern.Test(operation) ?? .equal
            switch (left, right) {
            case (.string(let text), .string(let other)):
                let pattern = TextPattern(
                    test, String(decoding: other, as: UTF8.self), ignoresCase: ignoresCase,
                    ignoresDiacritics: ignoresDiacritics)
                return pattern.matches(text) != (operation == .notEqual)
            case (.data(let bytes), .data(let other)):
                let pattern = TextPattern(test, data: Array(other), ignoresCase: ignoresCase)
                return pattern.matches(bytes) != (operation == .notEqual)
            default: break
            }
        }
        return holds(left, operation, right)
    }

    /// Compares without text to fold or search.
    @inline(__always)
    static func holds(_ left: ValueView, _ operation: ComparisonOperator, _ right: ValueView) -> Bool {
        if left.isNull || right.isNull { return holdsOfNull(left, operation, right) }
        switch operation {
        case .beginsWith, .endsWith, .contains, .like: return false
        case .notEqual: return !isInOrder(left, .equal, right)
        case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual: return isInOrder(left, operation, right)
        }
    }

    @inline(__always)
    private static func isInOrder(_ left: ValueView, _ operation: ComparisonOperator, _ right: ValueView) -> Bool {
        if case .int(let a) = left, case .int(let b) = right { return operation.isInOrder(a, b) }
        if case .double(let a) = left, case .double(let b) = right { return operation.isInOrder(a, b) }
        guard left.kindRank == right.kindRank, !left.isNaN, !right.isNaN else { return false }
        return operation.isInOrder(ValueView.order(left, right), 0)
    }

    /// Whether two values are equal, collections by their elements. Collections nest no deeper than the store allows, so
    /// the recursion ends.
    static func areEqualByContents(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { areEqualByContents($0, $1) }
        case (.dictionary(let left), .dictionary(let right)):
            left.entries.count == right.entries.count
                && zip(left.entries, right.entries).allSatisfy {
                    $0.key.utf8.elementsEqual($1.key.utf8) && areEqualByContents($0.value, $1.value)
                }
        default: holds(left, .equal, right)
        }
    }

    /// Compares two values one of which is null.
    private static func holdsOfNull(_ left: ValueView, _ operation: ComparisonOperator, _ right: ValueView) -> Bool {
        switch operation {
        case .equal, .lessOrEqual, .greaterOrEqual, .like: return left.isNull && right.isNull
        case .notEqual: return !(left.isNull && right.isNull)
        case .less, .greater: return false
        case .beginsWith, .endsWith, .contains:
            // Every text contains null; so does null.
            guard right.isNull else { return false }
            switch left {
            case .null, .string, .data: return true
            default: return false
            }
        }
    }
}

extension ComparisonOperator {
    var isEquality: Bool { self == .equal || self == .notEqual }

    /// Whether two values of one ordered type compare so; `!=` as `==`, for the caller to negate. Operators of texts
    /// alone compare as `==`, too.
    @inline(__always)
    package func isInOrder<T: Comparable>(_ left: T, _ right: T) -> Bool {
        switch self {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like: left == right
        }
    }
}

extension TextPattern.Test {
    /// Returns nil for `!=`, which is the negation of a test.
    package init?(_ operation: ComparisonOperator) {
        switch operation {
        case .equal: self = .equal
        case .notEqual: return nil
        case .less: self = .less
        case .lessOrEqual: self = .lessOrEqual
        case .greater: self = .greater
        case .greaterOrEqual: self = .greaterOrEqual
        case .beginsWith: self = .prefix
        case .endsWith: self = .suffix
        case .contains: self = .contains
        case .like: self = .like
        }
    }
}

extension Value {
    /// Whether the value is a list or dictionary, as mixed values can be.
    var isCollection: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }
}
