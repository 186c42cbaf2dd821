package import ObjectModel

extension QueryPrinter {
    /// A bound query as text that binds, against the same schema, to an equal query: what logs show and what a
    /// stored subscription keeps. Nil when the schema does not have what the query names, as after a schema change.
    package static func text(_ query: BoundQuery, schema: Schema) -> String? {
        guard let root = schema[query.classID] else { return nil }
        let printer = BoundPrinter(schema: schema, root: root)
        guard var text = printer.text(query.predicate) else { return nil }
        for step in query.steps {
            guard let step = printer.text(step) else { return nil }
            text += " " + step
        }
        return text
    }
}

/// Turns identifiers back into names. Every function is nil where the schema lacks one.
private struct BoundPrinter {
    let schema: Schema
    let root: ClassSchema

    func text(_ predicate: BoundPredicate) -> String? {
        switch predicate {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): text(comparison)
        case .between, .fullText, .geoWithin: nil
        case .not(let inner): grouped(inner).map { "NOT " + $0 }
        case .and(let parts): joined(parts, " AND ", empty: "TRUEPREDICATE")
        case .or(let parts): joined(parts, " OR ", empty: "FALSEPREDICATE")
        }
    }

    private func grouped(_ predicate: BoundPredicate) -> String? {
        switch predicate {
        case .and, .or: text(predicate).map { "(\($0))" }
        default: text(predicate)
        }
    }

    private func joined(_ parts: [BoundPredicate], _ separator: String, empty: String) -> String? {
        parts.isEmpty ? empty : all(parts, separator) { grouped($0) }
    }

    private func all<Part>(_ parts: [Part], _ separator: String, _ text: (Part) -> String?) -> String? {
        var texts: [String] = []
        texts.reserveCapacity(parts.count)
        for part in parts {
            guard let text = text(part) else { return nil }
            texts.append(text)
        }
        return texts.joined(separator: separator)
    }

    private func text(_ comparison: BoundComparison) -> String? {
        let linkClass = linkClass(comparison.left) ?? linkClass(comparison.right)
        guard let left = text(comparison.left, comparison.leftQuantifier, linkClass),
            let right = text(comparison.right, comparison.rightQuantifier, linkClass)
        else { return nil }
        return "\(left) \(comparison.operator.rawValue)\(comparison.ignoresCase ? "[c]" : "") \(right)"
    }

    /// The class whose objects the constants of a comparison name, if its path ends in objects.
    private func linkClass(_ operand: BoundOperand) -> ClassSchema? {
        guard case .path(let path) = operand, case .object(let target) = path.end else { return nil }
        return schema[target]
    }

    private func text(_ operand: BoundOperand, _ quantifier: Quantifier, _ linkClass: ClassSchema?) -> String? {
        // The quantifier is written out wherever it may stand: two collections without one would be compared in order.
        switch operand {
        case .constant(let value):
            return text(value, linkClass)
        case .list(let values):
            return all(values, ", ") { text($0, linkClass) }.map { "\(quantifier.rawValue) {\($0)}" }
        case .path(let path):
            return text(path).map { path.isToMany ? "\(quantifier.rawValue) \($0)" : $0 }
        case .objects, .aggregate, .subquery, .arithmetic: return nil
        }
    }

    private func text(_ value: Value, _ linkClass: ClassSchema?) -> String? {
        guard case .reference(let object) = value else { return QueryPrinter.text(value) }
        return linkClass.map { "obj(\(QueryPrinter.text(.string($0.name))), \(object.key.rawValue))" }
    }

    private func text(_ path: BoundPath) -> String? {
        var current = root
        var names: [String] = []
        for link in path.links {
            switch link {
            case .elements: return nil
            case .forward(let property, let target):
                guard let name = current[property]?.name, let next = schema[target] else { return nil }
                names.append(QueryPrinter.escaped(name))
                current = next
            case .backward(let origin, let property):
                guard let next = schema[origin], let name = next[property]?.name else { return nil }
                names += ["@links", QueryPrinter.escaped(next.name), QueryPrinter.escaped(name)]
                current = next
            }
        }
        switch path.end {
        case .property(let property, _):
            guard let name = current[property]?.name else { return nil }
            names.append(QueryPrinter.escaped(name))
        case .object: break
        case .count: names.append("@count")
        }
        return names.joined(separator: ".")
    }

    func text(_ step: ResultStep) -> String? {
        switch step {
        case .limit(let count): "LIMIT(\(count))"
        case .distinct(let paths): all(paths, ", ") { text($0) }.map { "DISTINCT(\($0))" }
        case .sort(let keys):
            all(keys, ", ") { key in text(key.path).map { $0 + (key.isAscending ? " ASC" : " DESC") } }
                .map { "SORT(\($0))" }
        }
    }
}
