package import QuerySyntax
package import ObjectModel

/// The inverse of the binder: turns identifiers into names. Every function returns nil where the schema lacks one or
/// the language cannot express the query.
struct Unparser {
    let schema: Schema
    /// The class at which paths begin.
    var root: ClassSchema
    /// The variable of the innermost enclosing subquery.
    var variable: String?
    var depth = 0

    func all<Part, Result>(_ parts: [Part], _ unbind: (Part) -> Result?) -> [Result]? {
        var results: [Result] = []
        results.reserveCapacity(parts.count)
        for part in parts {
            guard let result = unbind(part) else { return nil }
            results.append(result)
        }
        return results
    }

    func step(_ step: ResultStep) -> ParsedStep? {
        switch step {
        case .limit(let count): .limit(count)
        case .distinct(let paths): all(paths, path).map { .distinct($0) }
        case .sort(let keys):
            all(keys) { key in path(key.path).map { ParsedSortKey($0, ascending: key.isAscending) } }.map { .sort($0) }
        }
    }

    // MARK: Predicates

    func predicate(_ predicate: BoundPredicate) -> ParsedPredicate? {
        switch predicate {
        case .constant(let value): .constant(value)
        case .comparison(let comparison): self.comparison(comparison).map { .comparison($0) }
        case .between: nil
        case .fullText(let search): fullText(search).map { .comparison($0) }
        case .geoWithin(let within): geoWithin(within).map { .comparison($0) }
        case .not(let inner): self.predicate(inner).map { .not($0) }
        case .and(let parts): parts.isEmpty ? .constant(true) : all(parts, self.predicate).map { .and($0) }
        case .or(let parts): parts.isEmpty ? .constant(false) : all(parts, self.predicate).map { .or($0) }
        }
    }

    private func comparison(_ comparison: BoundComparison) -> ParsedComparison? {
        // The quantifier is printed wherever it is allowed: two collections without one are compared in order.
        let isElementwise = comparison.isElementwise
        guard
            let left = operand(
                comparison.left, isElementwise ? nil : comparison.leftQuantifier, beside: type(comparison.right)),
            let right = operand(
                comparison.right, isElementwise ? nil : comparison.rightQuantifier, beside: type(comparison.left))
        else { return nil }
        return ParsedComparison(
            left, .comparison(comparison.operator), right, ignoresCase: comparison.ignoresCase,
            ignoresDiacritics: comparison.ignoresDiacritics)
    }

    private func fullText(_ bound: BoundFullText) -> ParsedComparison? {
        let words = bound.search.words.map { ($0.isExcluded ? "-" : "") + $0.text + ($0.isPrefix ? "*" : "") }
        return operand(.path(bound.path), bound.quantifier, beside: nil).map {
            ParsedComparison($0, .text, ParsedOperand(.constant(.value(.string(words.joined(separator: " "))))))
        }
    }

    private func geoWithin(_ bound: BoundGeoWithin) -> ParsedComparison? {
        guard let (components, _) = links(bound.links), !components.isEmpty else { return nil }
        let isToMany = bound.links.contains(where: \.isToMany)
        return ParsedComparison(
            ParsedOperand(.path(ParsedPath(components)), quantifier: isToMany ? bound.quantifier : nil), .geoWithin,
            ParsedOperand(.shape(ParsedShape(bound.shape))))
    }

    // MARK: Operands

    /// `type` is that of the values on the other side; nil for objects.
    private func operand(_ operand: BoundOperand, _ quantifier: Quantifier?, beside type: BaseType?) -> ParsedOperand? {
        let quantifier = operand.isToMany ? quantifier : nil
        switch operand {
        case .constant(let value): return constant(value, beside: type).map { ParsedOperand(.constant($0)) }
        case .list(let values):
            return all(values) { constant($0, beside: type) }.map { ParsedOperand(.list($0), quantifier: quantifier) }
        case .objects(let objects):
            guard let constants = all(objects.elements, { object($0, beside: type) }) else { return nil }
            guard objects.isList else { return constants.first.map { ParsedOperand(.constant($0)) } }
            return ParsedOperand(.list(constants), quantifier: quantifier)
        case .path(let bound): return path(bound).map { ParsedOperand(.path($0), quantifier: quantifier) }
        case .aggregate(let bound): return aggregate(bound).map { ParsedOperand(.path($0)) }
        case .subquery(let bound): return subquery(bound).map { ParsedOperand(.subquery($0)) }
        case .arithmetic(let bound):
            if let total = emptyTotal(bound) { return total }
            guard let left = self.operand(bound.left, quantifier, beside: self.type(bound.right)),
                let right = self.operand(bound.right, quantifier, beside: self.type(bound.left))
            else { return nil }
            return ParsedOperand(.arithmetic(left, bound.operation, right))
        }
    }

    /// `@links.@count` of a class that nothing links to.
    private func emptyTotal(_ bound: BoundArithmetic) -> ParsedOperand? {
        guard case .arithmetic(bound) = ResolvedPath.sum([]), schema.linkOrigins(of: root).isEmpty else { return nil }
        return ParsedOperand(.path(ParsedPath([.atName("links"), .atName("count")])))
    }

    private func subquery(_ bound: BoundSubquery) -> ParsedSubquery? {
        guard let (components, target) = links(bound.links) else { return nil }
        var name = "$x\(depth)"
        while target[name] != nil { name += "x" }
        let inner = Unparser(schema: schema, root: target, variable: name, depth: depth + 1)
        return inner.predicate(bound.predicate).map { ParsedSubquery(ParsedPath(components), name, $0) }
    }

    /// The type of an operand's values, to which constants beside it were converted. Nil for objects and constants.
    private func type(_ operand: BoundOperand) -> BaseType? {
        switch operand {
        case .constant, .list, .objects: return nil
        case .path(let path):
            if case .object = path.end { return nil }
            return path.valueType.base
        case .aggregate(let aggregate): return aggregate.function.result(of: aggregate.path.valueType.base)
        case .subquery: return .int
        case .arithmetic(let arithmetic):
            let types = [arithmetic.left, arithmetic.right].map { type($0) ?? numberType($0) ?? .int }
            return types[0].wider(types[1])
        }
    }

    /// The widest type of the numbers of a constant operand.
    private func numberType(_ operand: BoundOperand) -> BaseType? {
        switch operand {
        case .constant(let value): value.numberType
        case .list(let values): values.compactMap(\.numberType).reduce(nil) { $0?.wider($1) ?? $1 }
        default: nil
        }
    }

    // MARK: Constants

    private func constant(_ value: Value, beside type: BaseType?) -> ParsedConstant? {
        switch value {
        case .decimal(let number):
            guard type == .decimal128 else { return nil }
            guard number.isFinite else { return .value(value) }
            let text = number.description
            return .floating(.double(number.double), text: text.hasPrefix("-0") && text.count == 2 ? "-0." : text)
        case .float(let number): return type == .float || number.isFinite ? .value(value) : nil
        case .double(let number) where type == .float:
            // The binder rounds what a Float can hold, so that the text would mean the rounded number.
            let narrow = Float(number)
            return number.isNaN || narrow.isInfinite || Double(narrow) == number ? .value(value) : nil
        case .reference(let object):
            guard let target = schema[object.classID] else { return nil }
            if target.primaryKey == nil {
                return .object(className: target.name, primaryKey: .int(object.key.rawValue))
            }
            // It represents null where no object has a null key.
            return object.key == ObjectKey(-1) ? .object(className: target.name, primaryKey: .null) : nil
        case .null, .bool, .int, .double, .string, .date, .objectId, .uuid, .data: return .value(value)
        case .link, .list, .set, .dictionary, .embedded: return nil
        }
    }

    private func object(_ element: ObjectConstants.Element, beside type: BaseType?) -> ParsedConstant? {
        switch element {
        case .value(let value): constant(value, beside: type)
        case .object(let classID, let key):
            schema[classID].map { .object(className: $0.name, primaryKey: key) }
        }
    }
}

extension ParsedShape {
    fileprivate init(_ shape: GeoShape) {
        func position(_ position: GeoPosition) -> Position {
            Position(.value(.double(position.longitude)), .value(.double(position.latitude)))
        }
        switch shape {
        case .circle(let center, let radius):
            self.init(.circle(position(center), radius: .value(.double(radius))))
        case .box(let corner, let opposite): self.init(.box(position(corner), position(opposite)))
        case .polygon(let rings): self.init(.polygon(rings.map { $0.map(position) }))
        }
    }
}

extension QueryPrinter {
    /// A bound query as text that binds, in RQL and against the same schema, to an equal query, for logs and for stored
    /// subscriptions. Its scope is not part of the text.
    ///
    /// Nil when the schema lacks a name of the query, as after a schema change, and for what RQL cannot express: a
    /// `between` for some of several values, which only predicate formats have, and arguments without a constant form:
    /// an object of a class with a primary key by its object key, a decimal or an infinite Float beside other numbers
    /// or mixed values.
    package static func text(_ query: BoundQuery, schema: Schema) -> String? {
        guard let root = schema[query.classID] else { return nil }
        let unparser = Unparser(schema: schema, root: root)
        guard let predicate = unparser.predicate(query.predicate),
            let steps = unparser.all(query.steps, unparser.step)
        else { return nil }
        return text(ParsedQuery(predicate, steps))
    }
}
