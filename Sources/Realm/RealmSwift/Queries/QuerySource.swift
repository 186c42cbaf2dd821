import ObjectModel
import QueryLanguage

/// The source of queries of a collection: the managed collection, or nothing if it is unmanaged.
public struct _QuerySource {
    let accessor: (any CollectionAccessor)?
    /// The kind of collection, for Realm's messages.
    let kind: CollectionKind
    /// Whether the collection is empty for good, so that all queries of it are: linking objects of an unmanaged object.
    let isEmptyForever: Bool

    init(_ accessor: (any CollectionAccessor)?, _ kind: CollectionKind, isEmptyForever: Bool = false) {
        self.accessor = accessor
        self.kind = kind
        self.isEmptyForever = isEmptyForever
    }

    /// Returns the results of a query, which are empty where nothing can be asked. Throws what `query` throws.
    func results<Element>(_ query: (_QuerySource) throws -> any CollectionAccessor) throws -> Results<Element> {
        Results(isEmptyForever ? nil : try query(self))
    }

    /// Throws for an unmanaged collection, and elsewhere than where the realm is confined to: a query would find that out
    /// only when it is run.
    func managed() throws -> any CollectionAccessor {
        guard let accessor else {
            throw RealmException(
                "This method may only be called on \(kind.className) instances retrieved from an RLMRealm")
        }
        try accessor.realm.checkConfinement()
        return accessor
    }

    /// Returns a query of the collection's objects, to which conditions can be added. Throws for an unmanaged
    /// collection, and for one of plain values.
    func objects() throws -> ResultsAccessor {
        let accessor = try managed()
        if let results = accessor as? ResultsAccessor { return results }
        guard let query = try accessor.objectQuery() else { throw RealmException.invalidObject }
        return try ResultsAccessor(accessor.realm, query)
    }

    /// Returns the elements that satisfy a condition. Throws for an unmanaged collection.
    func filtered(_ predicate: PredicateForm) throws -> any CollectionAccessor {
        if let values = try values() { return try values.filtered(predicate) }
        return try objects().filtered(predicate)
    }

    /// Returns the first position of an element that satisfies the condition. Throws for an unmanaged collection.
    func position(matching predicate: PredicateForm) throws -> Int? {
        if let values = try values() { return try values.position(matching: predicate) }
        return try objects().position(matching: predicate)
    }

    /// Returns the collection's values if they are not objects.
    func values() throws -> ValuesAccessor? {
        let accessor = try managed()
        if let values = accessor as? ValuesAccessor { return values }
        return accessor.elements.map { ValuesAccessor($0) }
    }

    /// Returns the collection itself as results.
    func results() throws -> any CollectionAccessor {
        if let values = try values() { return values }
        return try objects()
    }
}

extension CollectionKind {
    fileprivate var className: String {
        switch self {
        case .single, .list: "RLMArray"
        case .set: "RLMSet"
        case .map: "RLMDictionary"
        }
    }

    /// The plural, as in `Arrays of 'int'`.
    var plural: String {
        switch self {
        case .single, .list: "Arrays"
        case .set: "Sets"
        case .map: "Dictionaries"
        }
    }
}

/// A collection that knows its kind, for Realm's messages.
protocol _QueryKind {
    var queryKind: CollectionKind { get }
}

extension List: _QueryKind { var queryKind: CollectionKind { .list } }
extension MutableSet: _QueryKind { var queryKind: CollectionKind { .set } }
extension Map: _QueryKind { var queryKind: CollectionKind { .map } }

extension RealmCollectionImpl {
    public var _source: _QuerySource {
        _QuerySource(
            accessor,
            accessor?.elements?.valuesType.collection ?? (accessor as? PropertyAccessor)?.property.type.collection
                ?? _unmanagedKind,
            isEmptyForever: isEmptyForever)
    }

    private var _unmanagedKind: CollectionKind {
        (Self.self as? any _Persistable.Type)?._propertyType.type.collection ?? .list
    }
}
