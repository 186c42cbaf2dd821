package import ObjectModel
package import QueryLanguage

import Columnar

/// What one comparison of two values means: query-language.md §5 to §7. Two-valued; a null is equal to a null only, and a NaN
/// to nothing.
package enum ScalarComparison {
    package static func holds(
        _ left: Value, _ operation: ComparisonOperator, _ right: Value, ignoresCase: Bool = false
    ) -> Bool {
        switch operation {
        case .equal: return isEqual(left, right, ignoresCase)
        case .notEqual: return !isEqual(left, right, ignoresCase)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return isOrdered(left, operation, right)
        case .beginsWith, .endsWith, .contains:
            // Every text, and null, has nothing as a part.
            if right.isNull { return left.isNull || isText(left) }
            return matches(left, operation, right, ignoresCase)
        case .like:
            if left.isNull || right.isNull { return left.isNull && right.isNull }
            return matches(left, operation, right, ignoresCase)
        }
    }

    private static func isEqual(_ left: Value, _ right: Value, _ ignoresCase: Bool) -> Bool {
        if ignoresCase, case .string(let text) = left, case .string(let pattern) = right {
            return TextPattern(.equal, pattern, ignoresCase: true).matches(text)
        }
        if left.isNull || right.isNull { return left.isNull && right.isNull }
        return areComparable(left, right) && Value.order(left, right) == 0
    }

    private static func isOrdered(_ left: Value, _ operation: ComparisonOperator, _ right: Value) -> Bool {
        if left.isNull || right.isNull {
            let bothNull = left.isNull && right.isNull
            return bothNull && (operation == .lessOrEqual || operation == .greaterOrEqual)
        }
        guard areComparable(left, right) else { return false }
        let order = Value.order(left, right)
        switch operation {
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        default: return order >= 0
        }
    }

    private static func matches(
        _ left: Value, _ operation: ComparisonOperator, _ right: Value, _ ignoresCase: Bool
    ) -> Bool {
        guard case .string(let text) = left, case .string(let pattern) = right,
            let test = TextPattern.Test(operation)
        else { return false }
        return TextPattern(test, pattern, ignoresCase: ignoresCase).matches(text)
    }

    private static func isText(_ value: Value) -> Bool {
        if case .string = value { return true }
        return false
    }

    /// Whether both are of one kind, where all numbers but NaN are of one kind.
    private static func areComparable(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.bool, .bool), (.string, .string), (.date, .date), (.objectId, .objectId), (.uuid, .uuid),
            (.reference, .reference):
            true
        case (.int, .int): true
        default: isNumber(left) && isNumber(right)
        }
    }

    private static func isNumber(_ value: Value) -> Bool {
        switch value {
        case .int: true
        case .float(let number): !number.isNaN
        case .double(let number): !number.isNaN
        default: false
        }
    }
}

extension TextPattern.Test {
    /// Nil for `!=`, which is the opposite of a test.
    init?(_ operation: ComparisonOperator) {
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
