import Foundation
import ObjectModel
import QuerySyntax
import QueryLanguage

/// The parameter of a `where` closure, which stands for an object or one of its properties. Operations on it build a
/// condition. `realm.objects(Dog.self).where { $0.age > 3 && $0.owner.name.starts(with: "A") }`.
///
/// A dot follows a link, whether optional or not. A collection of links gives access to the properties of its elements;
/// a condition on them is true if it is true of any element.
@dynamicMemberLookup
public struct Query<T> {
    let node: QueryNode

    init(_ node: QueryNode) { self.node = node }

    /// Stands for the object itself.
    init() { node = .path(QueryPath()) }

    /// Returns the argument of a `where` closure, for tests of the generated predicate: see `_constructPredicate`.
    public static func _constructForTesting() -> Query<T> { Query() }

    var path: QueryPath {
        if case .path(let path) = node { return path }
        return QueryPath(components: [])
    }

    func step<V>(_ component: QueryPath.Component) -> Query<V> { Query<V>(.path(path.followed(by: component))) }

    /// Follows a Swift key path of a class.
    func step<O: ObjectBase, V>(_ keyPath: KeyPath<O, V>) -> Query<V> {
        trapOnError {
            if case .index? = path.components.last {
                throw RealmException("Cannot apply key path to Map subscripts.")
            }
            let type = (V.self as? any _Persistable.Type)?._propertyType.type
            let names = _name(for: keyPath).split(separator: ".").map(String.init)
            var path = path
            for (index, name) in names.enumerated() {
                let isCollection = index + 1 == names.count && (type.map { $0.isCollection || $0.isComputed } ?? false)
                path.components.append(.property(name, isCollection: isCollection))
            }
            return Query<V>(.path(path))
        }
    }

    func compared(_ comparison: ComparisonOperator, _ value: Any, _ options: StringOptions = []) -> Query<Bool> {
        if let node = node.comparedByProperties(comparison, value) { return Query<Bool>(node) }
        return Query<Bool>(.comparison(node, comparison, .value(QueryValue.persisted(value)), options))
    }

    func compared<U>(
        _ comparison: ComparisonOperator, _ other: Query<U>, _ options: StringOptions = []
    ) -> Query<Bool> { Query<Bool>(.comparison(node, comparison, other.node, options)) }

    /// Returns the condition as a predicate format and its arguments. Traps for a condition that the format cannot
    /// express.
    public func _constructPredicate() -> (String, [Any]) {
        trapOnError {
            let tree = try QueryTree(node)
            return (tree.format, tree.arguments)
        }
    }
}

extension Query {
    /// Whether the value, or one of several, is one of these.
    func isAmong(_ values: some Sequence) -> Query<Bool> {
        let (conditions, rest) = Array(values).partitioned { node.comparedByProperties(.equal, $0) }
        let plain = QueryNode.isIn(node, .value(rest.map { QueryValue.persisted($0) }))
        guard let first = conditions.first else { return Query<Bool>(plain) }
        let condition = conditions.dropFirst().reduce(first) { .or($0, $1) }
        return Query<Bool>(rest.isEmpty ? condition : .or(condition, plain))
    }

    /// Whether a collection contains the value.
    func hasElement(_ value: Any) -> Query<Bool> {
        if let node = node.comparedByProperties(.equal, value) { return Query<Bool>(node) }
        return Query<Bool>(.isIn(.value(QueryValue.persisted(value)), node))
    }
}

/// Constants of queries, in the form that predicate formats accept.
enum QueryValue {
    /// Returns the raw value of an enum and the persisted value of a custom type; null is NSNull.
    static func persisted(_ value: Any) -> Any {
        guard let value = flattened(value) else { return NSNull() }
        switch value {
        case let value as any PersistableEnum:
            func raw<E: PersistableEnum>(_ value: E) -> Any { value.rawValue }
            return raw(value)
        case let value as any _CustomPersistable:
            func stored<C: _CustomPersistable>(_ value: C) -> Any { value.persistableValue }
            return persisted(stored(value))
        default: return value
        }
    }
}

// MARK: Following links

// The constraints name a protocol: for a constraint to the class itself, the compiler's member lookup would also accept
// properties of structs.

extension Query where T: _ModelObject {
    /// A property of the object, to compare or to follow further. Traps if the key path leads to no stored property.
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> { step(member) }
}

extension Query where T: OptionalProtocol, T.Wrapped: _ModelObject {
    /// A property of the linked object. It is null if there is none. Traps if the key path leads to no stored property.
    public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> { step(member) }
}

extension Query where T: RealmCollection, T.Element: _ModelObject {
    /// A property of the elements. A comparison is true if it is true of any element. Traps if the key path leads to no
    /// stored property.
    public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> { step(member) }
}

// MARK: Compound conditions

extension Query where T == Bool {
    /// Whether the condition is false.
    public static prefix func ! (query: Query) -> Query { Query(.not(query.node)) }

    /// Whether both conditions are true.
    public static func && (a: Query, b: Query) -> Query { Query(.and(a.node, b.node)) }

    /// Whether at least one of the conditions is true.
    public static func || (a: Query, b: Query) -> Query { Query(.or(a.node, b.node)) }

    /// The number of a collection's elements for which the condition is true: `($0.dogs.age > 3 && $0.dogs.name ==
    /// "x").count > 0` requires one dog for which both are true.
    public var count: Query<Int> { Query<Int>(.subquery(node, in: nil)) }
}

extension RealmCollection {
    /// Returns the elements that satisfy a condition that the compiler checks: see `Query`. The condition has the
    /// meaning of the predicate generated from it; see `filter`.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        matching(.query(isIncluded(Query<Element>()).node))
    }

    /// Returns the position of the first element that satisfies a condition; see `where`. Traps for sets.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        position(.query(isIncluded(Query<Element>()).node))
    }
}

// The persisted values of enums and custom types, for conditions that the types themselves cannot express.

extension Query where T: PersistableEnum {
    /// The raw value of the enum.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
    /// The raw value of the enum.
    public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(node) }
}

// Collections: queries are the same for all kinds.

extension Query where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: RealmCollectionValue {
    /// The raw values of the enums.
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> { Query<AnyRealmCollection>(node) }
}

extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The raw values of the enums.
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> { Query<AnyRealmCollection>(node) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: RealmCollectionValue {
    /// The raw values of the enums.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> { Query<Map>(node) }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum,
    T.Value.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The raw values of the enums.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> { Query<Map>(node) }
}

extension Query where T: _HasPersistedType {
    /// The persisted value of an enum or a custom type; for other types the same query. It gives access to the
    /// properties of a custom type that is persisted as an embedded object: `$0.place.persistableValue.latitude > 10`.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension Query where T: RealmCollection & _HasPersistedType, T.Element.PersistedType: RealmCollectionValue {
    /// The persisted values of the elements.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> { Query<AnyRealmCollection>(node) }
}

extension Query where T: RealmKeyedCollection & _HasPersistedType, T.Value.PersistedType: RealmCollectionValue {
    /// The persisted values of the values.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { Query<Map>(node) }
}
