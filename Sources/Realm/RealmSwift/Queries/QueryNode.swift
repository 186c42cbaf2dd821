import Foundation
import QueryLanguage

/// A condition, or a part of one, from which the predicate format is generated.
indirect enum QueryNode {
    case path(QueryPath)
    /// A constant; null is NSNull.
    case value(Any)
    case constant(Bool)
    /// A comparison. `options` follows the operator, as in `[cd]`.
    case comparison(QueryNode, String, QueryNode, options: String)
    /// A range that includes both bounds.
    case between(QueryNode, QueryNode, QueryNode)
    case arithmetic(QueryNode, String, QueryNode)
    case and(QueryNode, QueryNode)
    case or(QueryNode, QueryNode)
    case not(QueryNode)
    /// The number of a collection's elements for which the condition is true. The condition's paths lead through the
    /// collection.
    case subquery(QueryNode, in: QueryPath?)
    case geoWithin(QueryPath, any RLMGeospatial)

    /// The predicate format and its arguments. Throws for conditions that the format cannot express.
    var text: (String, [Any]) {
        get throws {
            var writer = QueryWriter()
            try writer.condition(self)
            return (writer.text, writer.arguments)
        }
    }

    /// The paths of the condition, except those within subqueries.
    var paths: [QueryPath] {
        switch self {
        case .path(let path), .geoWithin(let path, _): [path]
        case .value, .constant: []
        case .comparison(let a, _, let b, _), .arithmetic(let a, _, let b), .and(let a, let b), .or(let a, let b):
            a.paths + b.paths
        case .between(let a, let b, let c): a.paths + b.paths + c.paths
        case .not(let a), .subquery(let a, _): a.paths
        }
    }
}

/// A path through properties, from the queried object.
struct QueryPath {
    enum Component {
        case property(String, isCollection: Bool)
        /// A key of a map or dictionary, or a position in a list.
        case index(Any)
        /// Any element of a collection in a mixed value.
        case any
        /// An operator such as `@count` or `@allKeys`.
        case operation(String)

        var isCollection: Bool {
            if case .property(_, true) = self { return true }
            return false
        }
    }

    var components: [Component] = []

    func followed(by component: Component) -> QueryPath { QueryPath(components: components + [component]) }

    /// Whether the path can have several values.
    var isToMany: Bool {
        var result = false
        for (index, component) in components.enumerated() {
            switch component {
            case .property(_, let isCollection):
                if isCollection, index + 1 < components.count, case .index = components[index + 1] { continue }
                result = result || isCollection
            // `any` in a mixed value needs no quantifier.
            case .index, .any: continue
            case .operation(let name):
                if !["@allKeys", "@allValues"].contains(name) { return false }
            }
        }
        return result
    }

    /// The part up to the first collection; nil if there is none.
    var firstCollection: QueryPath? {
        components.firstIndex(where: \.isCollection).map { QueryPath(components: Array(components[...$0])) }
    }

    var names: [String] {
        components.compactMap { if case .property(let name, _) = $0 { name } else { nil } }
    }

    /// Returns the aggregate of the values, with the operator before the last name if that is a property of objects.
    func aggregated(_ operation: String) -> QueryPath {
        if case .property(_, false)? = components.last, components.count > 1 {
            var path = self
            path.components.insert(.operation(operation), at: components.count - 1)
            return path
        }
        return followed(by: .operation(operation))
    }
}

/// Generates a predicate format from a condition.
struct QueryWriter {
    private(set) var text = ""
    private(set) var arguments: [Any] = []
    /// The collections and variables of the enclosing subqueries.
    private var scopes: [(path: [String], variable: String)] = []
    private var subqueries = 0

    mutating func condition(_ node: QueryNode) throws {
        switch node {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .path(let path): try truth(of: path, true)
        case .not(.path(let path)): try truth(of: path, false)
        case .not(.comparison(let left, let sign, let right, let options)):
            try comparison(left, sign, right, options, prefix: "NOT ")
        case .not(let inner):
            text += "NOT "
            try condition(inner)
        case .and(let a, let b): try pair(a, "&&", b)
        case .or(let a, let b): try pair(a, "||", b)
        case .comparison(let left, let sign, let right, let options):
            try comparison(left, sign, right, options)
        case .between(let operand, let lower, let upper):
            text += "("
            try self.operand(operand)
            text += " BETWEEN {"
            try self.operand(lower)
            text += ", "
            try self.operand(upper)
            text += "})"
        case .geoWithin(let path, let shape):
            text += "("
            try operand(.path(path))
            text += " IN %@)"
            arguments.append(shape)
        case .value(let value):
            guard let value = value as? Bool else { throw RealmException("A query must be a condition.") }
            text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .subquery, .arithmetic: throw RealmException("A query must be a condition, not a number.")
        }
    }

    private mutating func comparison(
        _ left: QueryNode, _ sign: String, _ right: QueryNode, _ options: String, prefix: String = ""
    ) throws {
        if isToMany(left), isToMany(right) {
            throw RealmException("Comparing two collection columns is not permitted.")
        }
        text += "(" + prefix
        try operand(left)
        text += " \(sign)\(options) "
        // IN is followed by the collection itself.
        try operand(right, isList: sign == "IN")
        text += ")"
    }

    private mutating func truth(of path: QueryPath, _ value: Bool) throws {
        try operand(.path(path))
        text += " == \(value)"
    }

    private mutating func pair(_ a: QueryNode, _ sign: String, _ b: QueryNode) throws {
        text += "("
        try condition(a)
        text += " \(sign) "
        try condition(b)
        text += ")"
    }

    private func isToMany(_ node: QueryNode) -> Bool {
        guard case .path(let path) = node else { return false }
        return path.isToMany && !(scopes.last.map { rest(of: path, $0.path)?.isToMany == false } ?? false)
    }

    private mutating func operand(_ node: QueryNode, isList: Bool = false) throws {
        switch node {
        case .path(let path):
            if !isList, isToMany(node) { text += "ANY " }
            try write(path)
        case .value(let value):
            text += "%@"
            arguments.append(value)
        case .subquery(let condition, let collection): try subquery(condition, collection)
        case .arithmetic(let a, let sign, let b):
            text += "("
            try operand(a)
            text += " \(sign) "
            try operand(b)
            text += ")"
        case .constant(let value): text += "\(value)"
        default: throw RealmException("A condition cannot be compared.")
        }
    }

    /// Returns the rest of a path after a subquery's collection; nil if the path does not lead through it.
    private func rest(of path: QueryPath, _ collection: [String]) -> QueryPath? {
        guard path.names.starts(with: collection) else { return nil }
        return QueryPath(components: Array(path.components.dropFirst(collection.count)))
    }

    private mutating func write(_ path: QueryPath) throws {
        var path = path
        var isFirst = true
        if let scope = scopes.last {
            guard let rest = rest(of: path, scope.path) else {
                throw RealmException("Subquery predicates will only work on one collection at a time.")
            }
            text += scope.variable
            path = rest
            isFirst = false
        }
        guard !(isFirst && path.components.isEmpty) else {
            throw RealmException("A query of the objects themselves needs one of their properties.")
        }
        for component in path.components {
            switch component {
            case .property(let name, _):
                text += (isFirst ? "" : ".") + QueryPrinter.escaped(name, .format)
            case .index(let index):
                text += "[%@]"
                arguments.append(index)
            case .any:
                text += "[%K]"
                arguments.append("#any")
            case .operation(let name): text += "." + name
            }
            isFirst = false
        }
    }

    private mutating func subquery(_ condition: QueryNode, _ given: QueryPath?) throws {
        func behindScope(_ path: QueryPath) -> QueryPath? {
            guard let scope = scopes.last else { return path }
            return rest(of: path, scope.path)
        }
        var collection = given
        if collection == nil {
            let candidates = condition.paths.compactMap { path -> QueryPath? in
                guard let inner = behindScope(path)?.firstCollection else { return nil }
                return QueryPath(
                    components: Array(
                        path.components.prefix(path.components.count - (behindScope(path)?.components.count ?? 0)))
                        + inner.components)
            }
            collection = candidates.first
        }
        guard let collection else {
            throw RealmException("Subqueries must contain a keypath starting with a collection.")
        }
        subqueries += 1
        let variable = "$col\(subqueries)"
        text += "SUBQUERY("
        try write(collection)
        text += ", \(variable), "
        scopes.append((collection.names, variable))
        try self.condition(condition)
        scopes.removeLast()
        text += ").@count"
    }
}
