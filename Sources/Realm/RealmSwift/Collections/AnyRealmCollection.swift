import ObjectModel

/// A collection of any kind but `Map`, whose own type is hidden.
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollectionImpl {
    private enum Base {
        case collection(any RealmCollectionImpl<Element>)
        case elements([Element])
    }

    private let base: Base

    var accessor: (any CollectionAccessor)? {
        // Asked for each time: an unmanaged collection may become managed.
        guard case .collection(let collection) = base else { return nil }
        return collection.accessor
    }

    var unmanaged: [Element] {
        switch base {
        case .collection(let collection): collection.unmanaged
        case .elements(let elements): elements
        }
    }

    /// The elements of the collection, as they are and become.
    public init<C: RealmCollection>(_ base: C) where C.Element == Element {
        if let collection = base as? any RealmCollectionImpl<Element> {
            self.base = .collection(collection)
        } else {
            self.base = .elements(Array(base))
        }
    }

    init(accessor: any CollectionAccessor) {
        switch (accessor as? PropertyAccessor)?.property.type.collection {
        case .list: base = .collection(List(accessor: accessor))
        case .set: base = .collection(MutableSet(accessor: accessor))
        default: base = .collection(Results(accessor: accessor))
        }
    }

    /// The element at a position. Traps for one that does not exist.
    public subscript(position: Int) -> Element { element(at: position) }

    /// The same collection; unmanaged ones are equal when their elements are.
    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool { areSame(a, b) }

    /// That of the collection within.
    public var description: String { describe(0) }

    func describe(_ depth: Int) -> String {
        switch base {
        case .collection(let collection): collection.describe(depth)
        case .elements(let elements): "\(elements)"
        }
    }

    /// See `RealmCollection`; traps for a set.
    public func index(of object: Element) -> Int? {
        guard case .collection(let collection) = base else { return unmanaged.firstIndex(of: object) }
        return collection.index(of: object)
    }

    /// See `RealmCollection`; gives a `Set<AnyHashable>` for a set.
    public func value(forKey key: String) -> Any? {
        guard case .collection(let collection) = base else { return raising { try keyValue(key) } }
        return collection.value(forKey: key)
    }
}

extension AnyRealmCollection: _ReferencePayloadSource {}
