import ObjectModel
import QuerySyntax
import QueryLanguage

extension QueryTree {
    /// The condition as a predicate format. Its arguments are those of the tree, in order.
    var format: String {
        var writer = FormatWriter()
        writer.condition(predicate)
        return writer.text
    }
}

/// Writes the trees that `QueryTree` creates.
private struct FormatWriter {
    private(set) var text = ""
    /// The variables of the enclosing subqueries.
    private var variables: [String] = []

    mutating func condition(_ predicate: ParsedPredicate) {
        switch predicate {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(.comparison(let inner)) where inner.hasNotWithin: comparison(inner, prefix: "NOT ")
        case .not(let inner):
            text += "NOT "
            condition(inner)
        case .and(let parts): junction(parts, "&&")
        case .or(let parts): junction(parts, "||")
        case .comparison(let inner): comparison(inner)
        }
    }

    private mutating func junction(_ parts: [ParsedPredicate], _ sign: String) {
        text += "("
        for (index, part) in parts.enumerated() {
            if index > 0 { text += " \(sign) " }
            condition(part)
        }
        text += ")"
    }

    private mutating func comparison(_ comparison: ParsedComparison, prefix: String = "") {
        if let value = comparison.truth {
            operand(comparison.left)
            text += " == \(value)"
            return
        }
        text += "(" + prefix
        operand(comparison.left)
        let letters = (comparison.ignoresCase ? "c" : "") + (comparison.ignoresDiacritics ? "d" : "")
        text += " \(comparison.operator.sign)\(letters.isEmpty ? "" : "[\(letters)]") "
        operand(comparison.right)
        text += ")"
    }

    private mutating func operand(_ operand: ParsedOperand) {
        if let quantifier = operand.quantifier { text += quantifier.rawValue + " " }
        switch operand.kind {
        // All constants are arguments.
        case .constant: text += "%@"
        case .list(let elements): text += "{" + elements.map { _ in "%@" }.joined(separator: ", ") + "}"
        case .path(let path): write(path)
        case .subquery(let subquery):
            text += "SUBQUERY("
            write(subquery.path)
            text += ", \(subquery.variable), "
            variables.append(subquery.variable)
            condition(subquery.predicate)
            variables.removeLast()
            text += ").@count"
        case .arithmetic(let left, let operation, let right):
            text += "("
            self.operand(left)
            text += " \(operation.rawValue) "
            self.operand(right)
            text += ")"
        case .shape: break
        }
    }

    private mutating func write(_ path: ParsedPath) {
        for (index, component) in path.components.enumerated() {
            switch component {
            case .name(let name):
                if index > 0 { text += "." }
                text += index == 0 && name == variables.last ? name : QueryPrinter.escaped(name, .format)
            case .atName(let name): text += "." + (Self.operations[name] ?? "@" + name)
            case .index(.wordArgument): text += "[%K]"
            case .index: text += "[%@]"
            case .argument: break
            }
        }
    }

    /// Operations that have another name in formats than in the query language.
    private static let operations = ["keys": "@allKeys", "values": "@allValues"]
}

extension ParsedComparison {
    /// The value of a condition that is only a Boolean property; nil for a written comparison.
    fileprivate var truth: Bool? {
        if case .constant(.value(.bool(let value))) = right.kind { value } else { nil }
    }

    /// Whether a NOT before the comparison is written inside its parentheses.
    fileprivate var hasNotWithin: Bool {
        switch self.operator {
        case .comparison, .isIn: truth == nil
        case .between, .text, .geoWithin: false
        }
    }
}

extension ParsedOperator {
    fileprivate var sign: String {
        switch self {
        case .comparison(let comparison): comparison.rawValue
        // Formats have no keyword for regions.
        case .isIn, .geoWithin: "IN"
        case .between: "BETWEEN"
        case .text: "TEXT"
        }
    }
}
