package import ObjectModel

/// Writes a query as text that parses back to an equal query.
package enum QueryPrinter {
    package static func text(_ query: ParsedQuery) -> String {
        ([text(query.predicate)] + query.steps.map { text($0) }).joined(separator: " ")
    }

    package static func text(_ predicate: ParsedPredicate) -> String {
        switch predicate {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): text(comparison)
        case .not(let inner): "NOT " + grouped(inner)
        case .and(let parts): joined(parts, " AND ", empty: "TRUEPREDICATE")
        case .or(let parts): joined(parts, " OR ", empty: "FALSEPREDICATE")
        }
    }

    private static func joined(_ parts: [ParsedPredicate], _ separator: String, empty: String) -> String {
        parts.isEmpty ? empty : parts.map { grouped($0) }.joined(separator: separator)
    }

    private static func grouped(_ predicate: ParsedPredicate) -> String {
        switch predicate {
        case .and, .or: "(\(text(predicate)))"
        default: text(predicate)
        }
    }

    private static func text(_ comparison: ParsedComparison) -> String {
        let name = comparison.operator.name + (comparison.ignoresCase ? "[c]" : "")
        return "\(text(comparison.left)) \(name) \(text(comparison.right))"
    }

    private static func text(_ operand: ParsedOperand) -> String {
        let prefix = operand.quantifier.map { $0.rawValue + " " } ?? ""
        switch operand.kind {
        case .constant(let constant): return prefix + text(constant)
        case .list(let elements): return prefix + "{" + elements.map { text($0) }.joined(separator: ", ") + "}"
        case .path(let path): return prefix + text(path)
        case .subquery, .arithmetic, .shape: return ""
        }
    }

    private static func text(_ constant: ParsedConstant) -> String {
        switch constant {
        case .value(let value): text(value)
        case .floating(_, let text): text
        case .argument(let number): "$\(number)"
        case .object(let name, let key): "obj(\(quoted(name)), \(text(key)))"
        }
    }

    static func text(_ path: ParsedPath) -> String {
        path.components.map { component in
            switch component {
            case .name(let name): escaped(name)
            case .atName(let name): "@" + name
            case .index: ""
            case .argument(let number): "$K\(number)"
            }
        }.joined(separator: ".")
    }

    private static func text(_ step: ParsedStep) -> String {
        switch step {
        case .limit(let count): "LIMIT(\(count))"
        case .distinct(let paths): "DISTINCT(" + paths.map { text($0) }.joined(separator: ", ") + ")"
        case .sort(let keys):
            "SORT(" + keys.map { text($0.path) + ($0.isAscending ? " ASC" : " DESC") }.joined(separator: ", ") + ")"
        }
    }

    /// A value as a constant of the language; a link, which has no such form, as its object key.
    package static func text(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): String(value)
        case .int(let value): String(value)
        case .float(let value): value.isFinite ? "\(value)f" : text(.double(Double(value)))
        case .double(let value): value.isNaN ? "nan" : value.isInfinite ? (value < 0 ? "-inf" : "inf") : "\(value)"
        case .string(let value): quoted(value)
        case .date(let value): "T\(value.seconds):\(value.nanoseconds)"
        case .objectId(let value): "oid(\(value.hex))"
        case .uuid(let value): "uuid(\(value.text))"
        case .link(let value): "object \(value.rawValue)"
        case .data, .decimal, .reference, .list, .set, .dictionary, .embedded: value.typeName
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": result += "\\'"
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0": result += "\\0"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }

    static func escaped(_ name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case " ": result += "\\ "
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
