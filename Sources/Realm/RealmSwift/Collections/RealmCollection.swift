public import Dispatch
public import Foundation
import ObjectModel

/// What `RealmCollection` is built on.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible,
    ThreadConfined, SendableMetatype
where Element: RealmCollectionValue, Index == Int {
    /// What queries of the collection go to.
    var _source: _QuerySource { get }
}

/// A collection of stored values of one type that can be read, filtered, sorted, added up and observed.
public protocol RealmCollection: RealmCollectionBase, Equatable where Iterator == RLMIterator<Element> {
    /// What `observe(keyPaths:on:_:)` does.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken

    /// The same on an actor.
    func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken

    /// Whether the collection stays at one version.
    var isFrozen: Bool { get }

    /// The collection at the present version, for use on any thread.
    func freeze() -> Self

    /// The live collection for the calling thread.
    func thaw() -> Self?

    /// The realm that manages the collection; nil when none does.
    var realm: Realm? { get }

    /// Whether the collection cannot be used any more: its realm was invalidated, or the object that has it deleted.
    /// False for unmanaged ones. Never fails itself.
    var isInvalidated: Bool { get }

    /// The number of elements, at the realm's version or as the open write has made it.
    var count: Int { get }

    /// The type, and up to 100 elements, a line each.
    var description: String { get }

    /// The first element; nil for an empty collection.
    var first: Element? { get }

    /// The last element; nil for an empty collection.
    var last: Element? { get }

    /// The position of the first element that is equal; of objects, of the one that shows the same stored object. Nil if
    /// there is none, and for unmanaged objects. Traps for deleted objects, those of another realm, and for sets.
    func index(of object: Element) -> Int?

    /// The elements at the positions, ascending. Traps if one of them does not exist.
    func objects(at indexes: IndexSet) -> [Element]

    /// An array with a property's value of each element, `NSNull` for null; with the key `self`, of the elements. Traps
    /// for a name that does not exist.
    func value(forKey key: String) -> Any?

    /// The same along a path with dots. One that starts with `@` is an operator over the elements: `@count`, and
    /// `@min.p`, `@max.p`, `@sum.p`, `@avg.p`, `@unionOfObjects.p`, `@distinctUnionOfObjects.p`, `@unionOfArrays.p`,
    /// `@distinctUnionOfArrays.p` of a property's values.
    func value(forKeyPath keyPath: String) -> Any?

    /// Assigns a property of each element that the collection has now, within a write if it is managed. Traps for what
    /// does not fit, and for primary keys.
    func setValue(_ value: Any?, forKey key: String)
}

/// A collection that is, or may be, a view of something stored.
protocol RealmCollectionImpl<Element>: RealmCollection, KeyValueElements, _DescribedCollection {
    /// Nil while unmanaged.
    var accessor: (any CollectionAccessor)? { get }

    /// The elements of an unmanaged collection.
    var unmanaged: [Element] { get }

    /// A view of what is stored.
    init(accessor: any CollectionAccessor)
}

extension RealmCollectionImpl {
    public var realm: Realm? { accessor.map { Realm($0.realm) } }
    public var isInvalidated: Bool { accessor?.isInvalidated ?? false }
    public var count: Int { raising { try accessor?.count() ?? unmanaged.count } }
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
        raising {
            guard let accessor else {
                try checkIndex(position, unmanaged.count)
                return unmanaged[position]
            }
            return try Element._restored(accessor.stored(at: position), in: accessor.realm)
        }
    }

    public func makeIterator() -> RLMIterator<Element> {
        guard let accessor else { return RLMIterator(unmanaged) }
        return raising { try RLMIterator(accessor) }
    }

    public func index(of object: Element) -> Int? {
        raising {
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
        raising {
            guard let highest = indexes.last else { return [] }
            guard highest < count else { throw RealmException("Indexes for collection are out of bounds.") }
            return indexes.map { element(at: $0) }
        }
    }

    /// The collection is the same one; unmanaged ones have equal elements.
    static func areSame(_ a: Self, _ b: Self) -> Bool {
        switch (a.accessor, b.accessor) {
        case (nil, nil): a.unmanaged == b.unmanaged
        case (let a?, let b?): a.isSame(as: b)
        default: false
        }
    }
}

/// Equality of elements; objects are equal when they show the same stored one.
func isSameElement<Element: RealmCollectionValue>(_ a: Element, _ b: Element) -> Bool {
    if let object = shownObject(a) { return object.isSame(as: shownObject(b)) }
    return a == b
}

/// The object that a value is, or is a projection of.
func shownObject(_ value: Any) -> ObjectBase? {
    let value = flattened(value)
    return value as? ObjectBase ?? (value as? any ProjectionObservable)?.rootObject
}

extension RealmCollection {
    /// The elements that satisfy a condition: `filter("age > %@ AND name BEGINSWITH[c] 'r'", 3)`. Live, in this
    /// collection's order; on sorted or distinct results the condition is applied before those steps. Evaluated when
    /// first used. Arguments are values of every stored type, objects, collections of such, nil and regions. Traps for
    /// a condition that does not fit the class, and for collections of other values than objects.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        matching(.format(predicateFormat, args))
    }

    /// The same with a predicate made before: `NSPredicate(format:)`, `RealmPredicate`, and compounds of such. Traps
    /// for predicates made of blocks.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        matching(.predicate(predicate))
    }

    /// The same with a predicate of Foundation's: `filter(#Predicate<Dog> { $0.age > 3 })`. Traps for what a query
    /// cannot say.
    public func filter(_ predicate: Predicate<Element>) -> Results<Element> {
        matching(.expression(FoundationPredicate(predicate)))
    }

    /// The position of the first element that satisfies a condition; see `filter`. Traps for sets, which have no order.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        position(.format(predicateFormat, args))
    }

    /// See `filter`.
    public func index(matching predicate: NSPredicate) -> Int? {
        position(.predicate(predicate))
    }

    func matching(_ predicate: PredicateForm) -> Results<Element> {
        raising { Results(try _source.objects().filtered(predicate)) }
    }

    func position(_ predicate: PredicateForm) -> Int? {
        raising {
            let source = _source
            guard source.kind != .set else { throw RealmException("index(matching:) is not available on MutableSet") }
            guard source.accessor == nil else { return try source.objects().position(matching: predicate) }
            throw RealmException(
                "This method may only be called on RLMArray instances retrieved from an RLMRealm")
        }
    }
}
