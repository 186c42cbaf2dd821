public import Dispatch
public import Foundation
import ObjectModel

/// The base protocol of `RealmCollection`.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible,
    ThreadConfined, SendableMetatype
where Element: RealmCollectionValue, Index == Int {
    /// The source that queries of the collection read.
    var _source: _QuerySource { get }
}

/// A collection of stored values of one type that can be read, filtered, sorted, aggregated and observed.
public protocol RealmCollection: RealmCollectionBase, Equatable where Iterator == RLMIterator<Element> {
    /// Implements `observe(keyPaths:on:_:)`.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken

    /// Implements `observe` on an actor.
    func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken

    /// Whether the collection is frozen at one version.
    var isFrozen: Bool { get }

    /// Returns the collection frozen at the present version, for use on any thread.
    func freeze() -> Self

    /// Returns the live collection for the calling thread.
    func thaw() -> Self?

    /// The realm that manages the collection; nil for an unmanaged one.
    var realm: Realm? { get }

    /// Whether the collection can no longer be used, because its realm was invalidated or its owner was deleted. False
    /// for unmanaged collections. Never traps.
    var isInvalidated: Bool { get }

    /// The number of elements, at the realm's version or with the changes of the open write.
    var count: Int { get }

    /// The type, and up to 100 elements, one per line.
    var description: String { get }

    /// The first element; nil for an empty collection.
    var first: Element? { get }

    /// The last element; nil for an empty collection.
    var last: Element? { get }

    /// Returns the position of the first equal element; an object is equal if it is the same stored object. Nil if
    /// there is none, and for unmanaged objects. Traps for deleted objects, objects of another realm, and sets.
    func index(of object: Element) -> Int?

    /// Returns the elements at the positions, in ascending order. Traps if a position does not exist.
    func objects(at indexes: IndexSet) -> [Element]

    /// Returns an array with a property's value of each element or, for the key `self`, of the elements; null is
    /// `NSNull`. Traps if the property does not exist.
    func value(forKey key: String) -> Any?

    /// Returns the values at a dotted path, as `value(forKey:)` does. A path that starts with `@` applies an operator
    /// to the elements: `@count`, or `@min.p`, `@max.p`, `@sum.p`, `@avg.p`, `@unionOfObjects.p`,
    /// `@distinctUnionOfObjects.p`, `@unionOfArrays.p`, `@distinctUnionOfArrays.p` of a property's values.
    func value(forKeyPath keyPath: String) -> Any?

    /// Assigns a property of each present element, within a write if the collection is managed. Traps for values that
    /// do not fit, and for primary keys.
    func setValue(_ value: Any?, forKey key: String)
}

/// A collection that can be managed.
protocol RealmCollectionImpl<Element>: RealmCollection, KeyValueElements, _DescribedCollection {
    /// The accessor; nil for an unmanaged collection.
    var accessor: (any CollectionAccessor)? { get }

    /// The elements of an unmanaged collection.
    var unmanaged: [Element] { get }

    /// Whether the collection belongs to no realm and never will, so that all queries of it are empty.
    var isEmptyForever: Bool { get }

    /// Creates a managed collection.
    init(accessor: any CollectionAccessor)
}

extension RealmCollectionImpl {
    var isEmptyForever: Bool { false }
    public var realm: Realm? { accessor.map { Realm($0.realm) } }
    public var isInvalidated: Bool { accessor?.isInvalidated ?? false }
    public var count: Int { trapOnError { try accessor?.count() ?? unmanaged.count } }
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }
    public var first: Element? { isEmpty ? nil : element(at: 0) }
    public var last: Element? {
        let count = count
        return count == 0 ? nil : element(at: count - 1)
    }

    func element(at position: Int) -> Element {
        trapOnError {
            guard let accessor else {
                try checkIndex(position, unmanaged.count)
                return unmanaged[position]
            }
            return try Element._restored(accessor.stored(at: position), in: accessor.realm)
        }
    }

    public func makeIterator() -> RLMIterator<Element> {
        guard let accessor else { return RLMIterator(unmanaged) }
        return trapOnError { try RLMIterator(accessor) }
    }

    public func index(of object: Element) -> Int? {
        trapOnError {
            guard let accessor else { return unmanaged.firstIndex { isSameElement($0, object) } }
            if let object = shownObject(object) {
                guard let realm = object._realm else { return nil }
                guard !object.isInvalidated else { throw RealmException("Attempting to access an invalid object") }
                guard realm === accessor.realm else {
                    let name = object._class?.name ?? ""
                    throw RealmException("Object of type '\(name)' does not match Results type '\(name)'")
                }
            }
            return try accessor.realm.known(object).flatMap { try accessor.position(of: $0) }
        }
    }

    public func objects(at indexes: IndexSet) -> [Element] {
        trapOnError {
            guard let highest = indexes.last else { return [] }
            guard highest < count else { throw RealmException("Indexes for collection are out of bounds.") }
            return indexes.map { element(at: $0) }
        }
    }

    /// Whether both are the same managed collection, or unmanaged collections with equal elements.
    static func areSame(_ a: Self, _ b: Self) -> Bool {
        switch (a.accessor, b.accessor) {
        case (nil, nil): a.unmanaged == b.unmanaged
        case (let a?, let b?): a.isSame(as: b)
        default: false
        }
    }
}

/// Returns whether the elements are equal; objects are equal if they are the same stored object.
func isSameElement<Element: RealmCollectionValue>(_ a: Element, _ b: Element) -> Bool {
    if let object = shownObject(a) { return object.isSame(as: shownObject(b)) }
    return a == b
}

/// Returns the object that a value is, or is a projection of.
func shownObject(_ value: Any) -> ObjectBase? {
    let value = flattened(value)
    return value as? ObjectBase ?? (value as? any ProjectionObservable)?.rootObject
}

extension RealmCollection {
    /// Returns the elements that satisfy a condition, as live results in this collection's order: `filter("age > %@ AND
    /// name BEGINSWITH[c] 'r'", 3)`. On sorted or distinct results the condition is applied before those steps. The
    /// query runs on first use. Arguments can be values of every stored type, objects, collections of these, nil, and
    /// geographic regions. In conditions on plain values `SELF` is the value: `filter("self > 2")`. Traps for a condition
    /// that does not fit the class or the values.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        matching(.format(predicateFormat, args))
    }

    /// Returns the elements that satisfy a predicate: `NSPredicate(format:)`, `RealmPredicate`, or a compound of these.
    /// Traps for predicates with blocks.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        matching(.predicate(predicate))
    }

    /// Returns the elements that satisfy a Foundation predicate: `filter(#Predicate<Dog> { $0.age > 3 })`. Traps for
    /// expressions that queries do not support.
    public func filter(_ predicate: Predicate<Element>) -> Results<Element> {
        matching(.expression(FoundationPredicate(predicate)))
    }

    /// Returns the position of the first element that satisfies a condition; see `filter`. Traps for sets, which have
    /// no order. Cost for an unmanaged list: the objects that can be reached from it are copied.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        position(.format(predicateFormat, args))
    }

    /// See `filter`.
    public func index(matching predicate: NSPredicate) -> Int? {
        position(.predicate(predicate))
    }

    func matching(_ predicate: PredicateForm) -> Results<Element> {
        trapOnError { try _source.results { try $0.filtered(predicate) } }
    }

    func position(_ predicate: PredicateForm) -> Int? {
        trapOnError {
            let source = _source
            guard source.kind != .set else { throw RealmException("index(matching:) is not available on MutableSet") }
            guard source.accessor == nil else { return try source.position(matching: predicate) }
            let type = Element._storedType.type
            guard type.isLink else {
                return try ValueCondition(predicate, onUnmanaged: type).positions(in: map { Conversion.value(of: $0) })
                    .first
            }
            return try UnmanagedSearch.position(matching: predicate, in: map { shownObject($0) })
        }
    }
}
