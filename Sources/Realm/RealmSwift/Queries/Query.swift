import Foundation
import ObjectModel

/// What a closure of `where` gets: stands for an object, or for one of its properties, and makes a condition of what
/// is done with it. `realm.objects(Dog.self).where { $0.age > 3 && $0.owner.name.starts(with: "A") }`.
///
/// Links are followed with a dot, whether they may be nil or not. A collection of links leads to the properties of its
/// elements; a condition on them holds when it does for any of them.
@dynamicMemberLookup
public struct Query<T> {
    let node: QueryNode

    init(_ node: QueryNode) { self.node = node }

    /// The object at hand.
    init() { node = .path(QueryPath()) }

    /// What `where` gives to its closure, to see what a condition is written as: see `_constructPredicate`.
    public static func _constructForTesting() -> Query<T> { Query() }

    var path: QueryPath {
        if case .path(let path) = node { return path }
        return QueryPath(components: [])
    }

    func step<V>(_ component: QueryPath.Component) -> Query<V> { Query<V>(.path(path.followed(by: component))) }

    /// Follows a Swift key path of a class.
    func step<O: ObjectBase, V>(_ keyPath: KeyPath<O, V>) -> Query<V> {
        raising {
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

    func compared(_ sign: String, _ value: Any, _ options: String = "") -> Query<Bool> {
        Query<Bool>(.comparison(node, sign, .value(QueryValue.persisted(value)), options: options))
    }

    func compared<U>(_ sign: String, _ other: Query<U>, _ options: String = "") -> Query<Bool> {
        Query<Bool>(.comparison(node, sign, other.node, options: options))
    }

    /// The condition as a predicate format and its arguments. Traps for a condition that the format cannot say.
    public func _constructPredicate() -> (String, [Any]) { raising { try node.text } }
}

/// Constants of queries, in the form in which predicate formats take them.
enum QueryValue {
    /// Enums by their raw value and custom types by what is stored for them; null is NSNull.
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

// The constraints name a protocol: one to the class itself is not checked by the compiler where a member is looked up,
// which would let properties of structs pass.

extension Query where T: _ModelObject {
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> { step(member) }
}

extension Query where T: OptionalProtocol, T.Wrapped: _ModelObject {
    public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> { step(member) }
}

extension Query where T: RealmCollection, T.Element: _ModelObject {
    public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> { step(member) }
}

// MARK: Conditions together

extension Query where T == Bool {
    public static prefix func ! (query: Query) -> Query { Query(.not(query.node)) }

    public static func && (a: Query, b: Query) -> Query { Query(.and(a.node, b.node)) }

    public static func || (a: Query, b: Query) -> Query { Query(.or(a.node, b.node)) }

    /// The number of a collection's elements for which the condition holds: `($0.dogs.age > 3 && $0.dogs.name == "x").count > 0`
    /// asks for one dog of which both are true.
    public var count: Query<Int> { Query<Int>(.subquery(node, in: nil)) }
}

extension RealmCollection {
    /// The elements that satisfy a condition, checked by the compiler: see `Query`. It means what the predicate that it
    /// is written as means; see `filter`.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        matching(.query(isIncluded(Query<Element>()).node))
    }

    /// The position of the first element that satisfies a condition; see `where`. Traps for sets.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        position(.query(isIncluded(Query<Element>()).node))
    }
}

// What is stored for a value that has a type of its own: conditions that this type cannot express.

extension Query where T: PersistableEnum {
    /// What is stored for the enum.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
    /// What is stored for the enum.
    public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(node) }
}

// Of collections: which kind they are makes no difference to what can be asked of them.

extension Query where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: RealmCollectionValue {
    /// What is stored for the enums.
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> { Query<AnyRealmCollection>(node) }
}

extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// What is stored for the enums.
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> { Query<AnyRealmCollection>(node) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: RealmCollectionValue {
    /// What is stored for the enums.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> { Query<Map>(node) }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum,
    T.Value.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// What is stored for the enums.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> { Query<Map>(node) }
}

extension Query where T: _HasPersistedType {
    /// What is stored for an enum or a custom type; for other types the same query. It is the way to the properties of a
    /// custom type that is stored as an embedded object: `$0.place.persistableValue.latitude > 10`.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension Query where T: RealmCollection & _HasPersistedType, T.Element.PersistedType: RealmCollectionValue {
    /// What is stored for the elements.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> { Query<AnyRealmCollection>(node) }
}

extension Query where T: RealmKeyedCollection & _HasPersistedType, T.Value.PersistedType: RealmCollectionValue {
    /// What is stored for the values.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { Query<Map>(node) }
}
