import QuerySyntax
import QueryLanguage

/// A condition, or a part of one, from which the predicate format is generated.
indirect enum QueryNode {
    case path(QueryPath)
    /// A constant; null is NSNull.
    case value(Any)
    case comparison(QueryNode, ComparisonOperator, QueryNode, StringOptions = [])
    /// Whether the value of the first node is among those of the second.
    case isIn(QueryNode, QueryNode)
    /// A range that includes both bounds.
    case between(QueryNode, Any, Any)
    case arithmetic(QueryNode, BoundArithmetic.Operation, QueryNode)
    case and(QueryNode, QueryNode)
    case or(QueryNode, QueryNode)
    case not(QueryNode)
    /// The number of a collection's elements for which the condition is true. The condition's paths lead through the
    /// collection.
    case subquery(QueryNode, in: QueryPath?)
    case geoWithin(QueryPath, any RLMGeospatial)

    /// The paths of the condition, except those within subqueries.
    var paths: [QueryPath] {
        switch self {
        case .path(let path), .geoWithin(let path, _): [path]
        case .value: []
        case .comparison(let a, _, let b, _), .isIn(let a, let b), .arithmetic(let a, _, let b), .and(let a, let b),
            .or(let a, let b):
            a.paths + b.paths
        case .not(let a), .between(let a, _, _), .subquery(let a, _): a.paths
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
                if !["keys", "values"].contains(name) { return false }
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
