import ObjectModel

/// A type-erased collection of any kind except `Map`.
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollectionImpl {
    private enum Base {
        case collection(any RealmCollectionImpl<Element>)
        case elements([Element])
    }

    private let base: Base

    var accessor: (any CollectionAccessor)? {
        // Evaluated at each access, because an unmanaged collection may become managed.
        guard case .collection(let collection) = base else { return nil }
        return collection.accessor
    }

    var unmanaged: [Element] {
        switch base {
        case .collection(let collection): collection.unmanaged
        case .elements(let elements): elements
        }
    }

    var isEmptyForever: Bool {
        guard case .collection(let collection) = base else { return false }
        return collection.isEmptyForever
    }

    /// Wraps a collection, and shows its present elements.
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

    /// The element at a position. Traps if the position does not exist.
    public subscript(position: Int) -> Element { element(at: position) }

    /// Whether both are the same managed collection, or unmanaged collections with equal elements.
    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool { areSame(a, b) }

    /// The description of the wrapped collection.
    public var description: String { describe(0) }

    func describe(_ depth: Int) -> String {
        switch base {
        case .collection(let collection): collection.describe(depth)
        case .elements(let elements): "\(elements)"
        }
    }

    /// See `RealmCollection`. Traps for a set.
    public func index(of object: Element) -> Int? {
        guard case .collection(let collection) = base else { return unmanaged.firstIndex(of: object) }
        return collection.index(of: object)
    }

    /// See `RealmCollection`. Returns a `Set<AnyHashable>` for a set.
    public func value(forKey key: String) -> Any? {
        guard case .collection(let collection) = base else { return trapOnError { try keyValue(key) } }
        return collection.value(forKey: key)
    }
}

extension AnyRealmCollection: _ReferencePayloadSource {}
