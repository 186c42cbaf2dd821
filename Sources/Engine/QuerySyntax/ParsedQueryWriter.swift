import ObjectModel

/// Writes the text of a parsed query. It recurses as deep as the query nests.
struct ParsedQueryWriter {
    var text = ""

    // MARK: Predicates

    mutating func write(_ predicate: ParsedPredicate) {
        switch predicate {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): write(comparison)
        case .not(let inner):
            text += "NOT "
            if inner.isJunction { writeInParentheses(inner) } else { write(inner) }
        case .and(let parts):
            if parts.isEmpty { text += "TRUEPREDICATE" }
            writeAll(parts, " AND ") { writer, part in
                if part.isJunction { writer.writeInParentheses(part) } else { writer.write(part) }
            }
        case .or(let parts):
            if parts.isEmpty { text += "FALSEPREDICATE" }
            writeAll(parts, " OR ") { writer, part in
                if case .or = part { writer.writeInParentheses(part) } else { writer.write(part) }
            }
        }
    }

    private mutating func writeInParentheses(_ predicate: ParsedPredicate) {
        text += "("
        write(predicate)
        text += ")"
    }

    private mutating func writeAll<Part>(
        _ parts: [Part], _ separator: String, _ write: (inout ParsedQueryWriter, Part) -> Void
    ) {
        for (index, part) in parts.enumerated() {
            if index > 0 { text += separator }
            write(&self, part)
        }
    }

    private mutating func write(_ comparison: ParsedComparison) {
        write(comparison.left)
        text += " " + comparison.operator.name
        switch (comparison.ignoresCase, comparison.ignoresDiacritics) {
        case (false, false): break
        case (true, false): text += "[c]"
        case (false, true): text += "[d]"
        case (true, true): text += "[cd]"
        }
        text += " "
        write(comparison.right)
    }

    // MARK: Operands

    private mutating func write(_ operand: ParsedOperand) {
        if let quantifier = operand.quantifier { text += quantifier.rawValue + " " }
        switch operand.kind {
        case .constant(let constant): write(constant)
        case .list(let elements):
            text += "{"
            writeAll(elements, ", ") { writer, element in writer.write(element) }
            text += "}"
        case .path(let path): write(path)
        case .subquery(let subquery):
            text += "SUBQUERY("
            write(subquery.path)
            text += ", \(subquery.variable), "
            write(subquery.predicate)
            text += ").@count"
        case .arithmetic(let left, let operation, let right):
            write(left, inParentheses: left.precedence < operation.precedence)
            text += " \(operation.rawValue) "
            // Chains are left-associative.
            write(right, inParentheses: right.precedence <= operation.precedence)
        case .shape(let shape): write(shape)
        }
    }

    private mutating func write(_ operand: ParsedOperand, inParentheses: Bool) {
        if inParentheses { text += "(" }
        write(operand)
        if inParentheses { text += ")" }
    }

    private mutating func write(_ constant: ParsedConstant) {
        switch constant {
        case .value(let value): text += QueryPrinter.text(value)
        case .floating(.float, let digits): text += digits + "f"
        case .floating(_, let digits): text += digits
        case .argument(let number): text += "$\(number)"
        case .object(let name, let key): text += "obj(\(QueryPrinter.quoted(name)), \(QueryPrinter.text(key)))"
        }
    }

    private mutating func write(_ shape: ParsedShape) {
        switch shape.kind {
        case .circle(let center, let radius):
            text += "geoCircle("
            write(center)
            text += ", "
            write(radius)
        case .box(let corner, let opposite):
            text += "geoBox("
            write(corner)
            text += ", "
            write(opposite)
        case .polygon(let rings):
            text += "geoPolygon("
            writeAll(rings, ", ") { writer, ring in
                writer.text += "{"
                writer.writeAll(ring, ", ") { writer, position in writer.write(position) }
                writer.text += "}"
            }
        }
        text += ")"
    }

    private mutating func write(_ position: ParsedShape.Position) {
        text += "["
        write(position.longitude)
        text += ", "
        write(position.latitude)
        text += "]"
    }

    // MARK: Paths and steps

    mutating func write(_ path: ParsedPath) {
        for (position, component) in path.components.enumerated() {
            switch component {
            case .index(let index):
                write(index)
                continue
            default: if position > 0 { text += "." }
            }
            switch component {
            case .name(let name): text += QueryPrinter.escaped(name)
            case .atName(let name): text += "@" + name
            case .argument(let number): text += "$K\(number)"
            case .index: break
            }
        }
    }

    private mutating func write(_ index: ParsedPath.Index) {
        switch index {
        case .position(let position): text += "[\(position)]"
        case .first: text += "[FIRST]"
        case .last: text += "[LAST]"
        case .all: text += "[*]"
        case .size: text += "[SIZE]"
        case .key(let key): text += "[\(QueryPrinter.quoted(key))]"
        case .argument(let number): text += "[$\(number)]"
        case .wordArgument(let number): text += "[$K\(number)]"
        }
    }

    mutating func write(_ step: ParsedStep) {
        switch step {
        case .limit(let count): text += "LIMIT(\(count)"
        case .distinct(let paths):
            text += "DISTINCT("
            writeAll(paths, ", ") { writer, path in writer.write(path) }
        case .sort(let keys):
            text += "SORT("
            writeAll(keys, ", ") { writer, key in
                writer.write(key.path)
                writer.text += key.isAscending ? " ASC" : " DESC"
            }
        }
        text += ")"
    }
}

extension ParsedPredicate {
    fileprivate var isJunction: Bool {
        switch self {
        case .and, .or: true
        case .constant, .comparison, .not: false
        }
    }
}

extension ParsedOperand {
    /// The precedence; operands other than arithmetic have the highest.
    fileprivate var precedence: Int {
        if case .arithmetic(_, let operation, _) = kind { operation.precedence } else { 3 }
    }
}
