import Foundation
import ObjectModel
import QuerySyntax
import QueryLanguage

// Comparisons with values that consist of parts, which the query language compares part by part.

extension QueryNode {
    /// Returns the comparison with a value of a custom type that is stored as an embedded object; nil for other values.
    /// Embedded objects have no identity of their own, so their properties are compared.
    func comparedByProperties(_ comparison: ComparisonOperator, _ value: Any) -> QueryNode? {
        guard comparison == .equal || comparison == .notEqual, case .path(var path) = self,
            let custom = flattened(value) as? any _CustomPersistable,
            let object = QueryValue.persisted(custom) as? EmbeddedObject
        else { return nil }
        // The properties of a map's values follow its name.
        if case .operation("values")? = path.components.last { path.components.removeLast() }
        let equal = Self.equals(object, at: path)
        let condition = comparison == .equal ? equal : QueryNode.not(equal)
        // All properties of one element.
        return path.isToMany ? .comparison(.subquery(condition, in: nil), .greater, .value(0)) : condition
    }

    private static func equals(_ object: ObjectBase, at path: QueryPath) -> QueryNode {
        let conditions = object.storedProperties.map { slot, name in
            let kind = object.model.properties[slot].type.collection
            let partPath = path.followed(by: .property(name, isCollection: kind != .single))
            guard let value = object.dynamicValue(slot) else { return equals(NSNull(), at: partPath) }
            switch value {
            case let embedded as EmbeddedObject: return equals(embedded, at: partPath)
            case let map as any _MapEntries:
                return has(map.mapEntries.map { (index: $0.key as Any, value: $0.value as Any) }, at: partPath)
            case let elements as any KeyValueElements:
                let values = elements.keyValueElements
                guard kind == .set else {
                    return has(values.enumerated().map { (index: $0.offset as Any, value: $0.element) }, at: partPath)
                }
                return values.reduce(count(values.count, at: partPath)) { .and($0, .isIn(.value($1), .path(partPath))) }
            default: return equals(value, at: partPath)
            }
        }
        return conditions.dropFirst().reduce(conditions.first ?? .value(true)) { .and($0, $1) }
    }

    private static func equals(_ value: Any, at path: QueryPath) -> QueryNode {
        .comparison(.path(path), .equal, .value(QueryValue.persisted(value)))
    }

    private static func count(_ count: Int, at path: QueryPath) -> QueryNode {
        equals(count, at: path.followed(by: .operation("count")))
    }

    /// The elements by position or key.
    private static func has(_ elements: [(index: Any, value: Any)], at path: QueryPath) -> QueryNode {
        elements.reduce(count(elements.count, at: path)) {
            .and($0, equals($1.value, at: path.followed(by: .index($1.index))))
        }
    }

    /// The condition with comparisons of a mixed value with a list or dictionary written as comparisons of their elements.
    var comparingElements: QueryNode {
        switch self {
        case .comparison(.path(let path), let comparison, .value(let value as AnyRealmValue), let options)
        where options.isEmpty && !path.isToMany && (comparison == .equal || comparison == .notEqual):
            guard let equal = Self.elements(of: value, at: path) else { return self }
            return comparison == .equal ? equal : .not(equal)
        case .isIn(.path(let path), .value(let values as [Any])) where !path.isToMany:
            let (collections, rest) = values.partitioned { value in
                (value as? AnyRealmValue).flatMap { Self.elements(of: $0, at: path) }
            }
            guard !collections.isEmpty else { return self }
            return collections.reduce(.isIn(.path(path), .value(rest))) { .or($0, $1) }
        case .and(let a, let b): return .and(a.comparingElements, b.comparingElements)
        case .or(let a, let b): return .or(a.comparingElements, b.comparingElements)
        case .not(let a): return .not(a.comparingElements)
        case .subquery(let a, let path): return .subquery(a.comparingElements, in: path)
        case .comparison(let a, let comparison, let b, let options):
            return .comparison(a.comparingElements, comparison, b.comparingElements, options)
        default: return self
        }
    }

    /// Nil for a value that is not a collection, and behind `any`, where each step could lead to another value.
    private static func elements(of value: AnyRealmValue, at path: QueryPath) -> QueryNode? {
        let type: String
        let elements: [(index: Any, value: AnyRealmValue)]
        switch value {
        case .list(let list):
            type = "list"
            elements = list.enumerated().map { (index: $0.offset as Any, value: $0.element) }
        case .dictionary(let map):
            type = "dictionary"
            elements = map.asKeyValueSequence().map { (index: $0.key as Any, value: $0.value) }
        default: return nil
        }
        guard !path.components.contains(where: \.isAny) else { return nil }
        var condition = QueryNode.and(
            equals(type, at: path.followed(by: .operation("type"))), count(elements.count, at: path))
        for (index, value) in elements {
            let partPath = path.followed(by: .index(index))
            condition = .and(condition, Self.elements(of: value, at: partPath) ?? equals(value, at: partPath))
            if case .none = value, let key = index as? String {
                // An absent key reads as null.
                let keys = path.followed(by: .operation("keys"))
                condition = .and(condition, .isIn(.value(key), .path(keys)))
            }
        }
        return condition
    }
}

extension Array {
    /// The results of the elements that have one, and the other elements.
    func partitioned<Result>(_ result: (Element) -> Result?) -> (results: [Result], rest: [Element]) {
        var results: [Result] = []
        var rest: [Element] = []
        for element in self {
            if let result = result(element) { results.append(result) } else { rest.append(element) }
        }
        return (results, rest)
    }
}

extension QueryPath.Component {
    fileprivate var isAny: Bool {
        if case .any = self { return true }
        return false
    }
}
