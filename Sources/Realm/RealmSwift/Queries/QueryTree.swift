import ObjectModel
import QuerySyntax
import QueryLanguage

/// A condition as a tree of the query language, with the values of its arguments.
struct QueryTree {
    let predicate: ParsedPredicate
    /// The arguments by number.
    let arguments: [Any]

    /// Throws if the query language cannot express the condition.
    ///
    /// - Parameter isOfValues: whether the condition is on plain values, and not on objects.
    init(_ condition: QueryNode, isOfValues: Bool = false) throws {
        var builder = QueryTreeBuilder(isOfValues: isOfValues)
        predicate = try builder.condition(condition)
        arguments = builder.arguments
    }

    func bound(
        to objectClass: ClassSchema, by binder: QueryBinder, _ values: [QueryArgument]
    ) throws(QueryError) -> BoundPredicate {
        try binder
            .bind(ParsedQuery(predicate), class: objectClass, arguments: values, dialect: .format).predicate
    }
}

/// Converts a condition to a tree. Arguments are numbered in the order of their occurrence.
private struct QueryTreeBuilder {
    private let isOfValues: Bool
    private(set) var arguments: [Any] = []
    /// The collections and variables of the enclosing subqueries.
    private var scopes: [(path: [String], variable: String)] = []
    private var subqueries = 0
    private var depth = 0

    init(isOfValues: Bool) { self.isOfValues = isOfValues }

    mutating func condition(_ node: QueryNode) throws -> ParsedPredicate {
        try descend()
        defer { depth -= 1 }
        switch node {
        case .path(let path): return try truth(of: path, true)
        case .not(.path(let path)): return try truth(of: path, false)
        case .not(let inner): return .not(try condition(inner))
        case .and(let a, let b): return .and([try condition(a), try condition(b)])
        case .or(let a, let b): return .or([try condition(a), try condition(b)])
        case .comparison(let left, let comparison, let right, let options):
            try checkCollections(left, right)
            return .comparison(
                ParsedComparison(
                    try operand(left), .comparison(comparison), try operand(right),
                    ignoresCase: options.contains(.caseInsensitive),
                    ignoresDiacritics: options.contains(.diacriticInsensitive)))
        case .isIn(let element, let collection):
            try checkCollections(element, collection)
            // The right side of IN is the collection itself.
            return .comparison(
                ParsedComparison(try operand(element), .isIn, try operand(collection, isList: true)))
        case .between(let operand, let lower, let upper):
            return .comparison(
                ParsedComparison(
                    try self.operand(operand), .between, ParsedOperand(.list([argument(lower), argument(upper)]))))
        case .geoWithin(let path, let shape):
            return .comparison(
                ParsedComparison(try operand(.path(path)), .geoWithin, ParsedOperand(.constant(argument(shape)))))
        case .value(let value):
            guard let value = value as? Bool else { throw RealmException("A query must be a condition.") }
            return .constant(value)
        case .subquery, .arithmetic: throw RealmException("A query must be a condition, not a number.")
        }
    }

    private mutating func descend() throws {
        depth += 1
        guard depth <= QueryParser.depthLimit else {
            throw RealmException("The query nests deeper than \(QueryParser.depthLimit) levels.")
        }
    }

    private mutating func argument(_ value: Any) -> ParsedConstant {
        arguments.append(value)
        return .argument(arguments.count - 1)
    }

    private mutating func truth(of path: QueryPath, _ value: Bool) throws -> ParsedPredicate {
        .comparison(
            ParsedComparison(
                try operand(.path(path)), .comparison(.equal), ParsedOperand(.constant(.value(.bool(value))))))
    }

    // MARK: Operands

    private func checkCollections(_ left: QueryNode, _ right: QueryNode) throws {
        guard isToMany(left), isToMany(right) else { return }
        throw RealmException("Comparing two collection columns is not permitted.")
    }

    private func isToMany(_ node: QueryNode) -> Bool {
        guard case .path(let path) = node else { return false }
        guard let scope = scopes.last else { return path.isToMany }
        return (rest(of: path, scope.path) ?? path).isToMany
    }

    private mutating func operand(_ node: QueryNode, isList: Bool = false) throws -> ParsedOperand {
        switch node {
        case .path(let path):
            return ParsedOperand(.path(try parsed(path)), quantifier: !isList && isToMany(node) ? .any : nil)
        case .value(let value): return ParsedOperand(.constant(argument(value)))
        case .subquery(let condition, let collection):
            return ParsedOperand(.subquery(try subquery(condition, collection)))
        case .arithmetic(let a, let operation, let b):
            try descend()
            defer { depth -= 1 }
            return ParsedOperand(.arithmetic(try operand(a), operation, try operand(b)))
        default: throw RealmException("A condition cannot be compared.")
        }
    }

    // MARK: Paths

    /// Returns the rest of a path after a subquery's collection; nil if the path does not go through the collection.
    private func rest(of path: QueryPath, _ collection: [String]) -> QueryPath? {
        guard path.names.starts(with: collection) else { return nil }
        return QueryPath(components: Array(path.components.dropFirst(collection.count)))
    }

    private mutating func parsed(_ path: QueryPath, isCollection: Bool = false) throws -> ParsedPath {
        var path = path
        var components: [ParsedPath.Component] = []
        // Within a subquery other paths begin at the element, too, as in Realm.
        if let scope = scopes.last, let rest = rest(of: path, scope.path), !isCollection || !rest.components.isEmpty {
            components.append(.name(scope.variable))
            path = rest
        } else if !isCollection, !scopes.isEmpty, path.firstCollection != nil {
            throw RealmException("Subquery predicates will only work on one collection at a time.")
        }
        for component in path.components {
            switch component {
            case .property(let name, _): components.append(.name(name))
            case .index(let index):
                arguments.append(index)
                components.append(.index(.argument(arguments.count - 1)))
            case .any:
                arguments.append("#any")
                components.append(.index(.wordArgument(arguments.count - 1)))
            case .operation(let name): components.append(.atName(name))
            }
        }
        if isOfValues, scopes.isEmpty, path.names.isEmpty { components.insert(.name("SELF"), at: 0) }
        guard !components.isEmpty else {
            throw RealmException("A query of the objects themselves needs one of their properties.")
        }
        try checkLength(components)
        return ParsedPath(components)
    }

    private func checkLength(_ components: [ParsedPath.Component]) throws {
        let indexes = components.count { if case .index = $0 { true } else { false } }
        guard components.count - indexes <= QueryParser.pathLimit, indexes <= QueryParser.indexLimit else {
            throw RealmException(
                "A key path has at most \(QueryParser.pathLimit) names and \(QueryParser.indexLimit) indexes.")
        }
    }

    // MARK: Subqueries

    private mutating func subquery(_ condition: QueryNode, _ given: QueryPath?) throws -> ParsedSubquery {
        let inner = condition.paths.compactMap { path -> QueryPath? in
            guard let scope = scopes.last else { return path.firstCollection }
            guard let inner = rest(of: path, scope.path)?.firstCollection else { return nil }
            return QueryPath(components: Array(path.components.prefix(scope.path.count)) + inner.components)
        }
        // Without a collection behind that of the subquery around, the path begins at its element.
        let collection = given ?? inner.first ?? condition.paths.lazy.compactMap(\.firstCollection).first
        guard let collection else {
            throw RealmException("Subqueries must contain a keypath starting with a collection.")
        }
        try descend()
        defer { depth -= 1 }
        subqueries += 1
        let variable = "$col\(subqueries)"
        let path = try parsed(collection, isCollection: true)
        scopes.append((collection.names, variable))
        defer { scopes.removeLast() }
        return ParsedSubquery(path, variable, try self.condition(condition))
    }
}
