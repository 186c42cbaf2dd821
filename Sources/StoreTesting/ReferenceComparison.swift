package import ObjectModel
package import QueryLanguage

/// What `left operator right` means for two single values.
package enum ReferenceComparison {
    /// Null equals null and differs from everything else; it is neither below nor above anything, but `<=` and `>=`
    /// hold between two nulls. Numbers compare exactly across types; a NaN differs from every number, itself
    /// included, and is not ordered with any. Values of kinds that do not compare differ and are not ordered.
    package static func holds(
        _ left: Value, _ operation: ComparisonOperator, _ right: Value, ignoresCase: Bool
    ) -> Bool {
        if operation.isStringOperator {
            return holdsForText(left, operation, right, ignoresCase: ignoresCase)
        }
        if left.isNull || right.isNull {
            let bothNull = left.isNull && right.isNull
            switch operation {
            case .equal, .lessOrEqual, .greaterOrEqual: return bothNull
            case .notEqual: return !bothNull
            default: return false
            }
        }
        guard let order = order(left, right, ignoresCase: ignoresCase) else { return operation == .notEqual }
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

    /// Negative, zero or positive; nil when the values are not ordered.
    private static func order(_ left: Value, _ right: Value, ignoresCase: Bool) -> Int? {
        switch (left, right) {
        case (.int, .int), (.int, .float), (.int, .double), (.float, .int), (.float, .float), (.float, .double),
            (.double, .int), (.double, .float), (.double, .double):
            left.isNaN || right.isNaN ? nil : Value.order(left, right)
        case (.string(let a), .string(let b)):
            ignoresCase ? Value.orderBytes(folded(a), folded(b)) : Value.orderBytes(a, b)
        case (.bool, .bool), (.date, .date), (.objectId, .objectId), (.uuid, .uuid), (.reference, .reference):
            Value.order(left, right)
        default: nil
        }
    }

    /// A null on the right is the empty start, end or part of everything, null included, but LIKE only null; a null
    /// on the left has no text.
    private static func holdsForText(
        _ left: Value, _ operation: ComparisonOperator, _ right: Value, ignoresCase: Bool
    ) -> Bool {
        if right.isNull { return operation == .like ? left.isNull : left.isNull || left.text != nil }
        guard let leftText = left.text, let rightText = right.text else { return false }
        let subject = ignoresCase ? folded(leftText) : leftText
        let pattern = ignoresCase ? folded(rightText) : rightText
        let bytes = Array(subject.utf8)
        let wanted = Array(pattern.utf8)
        switch operation {
        case .beginsWith: return bytes.starts(with: wanted)
        case .endsWith: return bytes.reversed().starts(with: wanted.reversed())
        case .contains:
            guard bytes.count >= wanted.count else { return false }
            return (0...bytes.count - wanted.count).contains { bytes[$0...].starts(with: wanted) }
        case .like: return like(Array(subject.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
        default: return false
        }
    }

    /// `*` stands for any run of characters and `?` for exactly one; the whole text must match.
    private static func like(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            // Tries every length of the run. A run of stars is as good as one.
            let rest = pattern.drop { $0 == "*" }
            return rest.isEmpty || text.indices.contains { like(text[$0...], rest) }
        }
        guard let character = text.first, first == "?" || first == character else { return false }
        return like(text.dropFirst(), pattern.dropFirst())
    }

    /// Lower case for ASCII letters and the Latin-1 letters À–Þ without ×; everything else stays.
    package static func folded(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE:
                result.append(Unicode.Scalar(scalar.value + 0x20) ?? scalar)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

extension Value {
    /// Whether the value is a floating point NaN.
    var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        default: false
        }
    }

    fileprivate var text: String? {
        if case .string(let value) = self { return value }
        return nil
    }
}
