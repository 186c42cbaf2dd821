import ObjectModel
import QueryLanguage

/// What queries of a collection go to: something stored, or nothing while the collection is unmanaged.
public struct _QuerySource {
    let core: (any CollectionCore)?
    /// How Realm calls the kind of collection.
    let kind: CollectionKind

    init(_ core: (any CollectionCore)?, _ kind: CollectionKind) {
        self.core = core
        self.kind = kind
    }

    /// Throws for an unmanaged collection.
    func managed() throws -> any CollectionCore {
        guard let core else {
            throw RealmException(
                "This method may only be called on \(kind.className) instances retrieved from an RLMRealm")
        }
        return core
    }

    /// The query of the collection's objects, as something that more conditions can be added to. Throws for an
    /// unmanaged collection, and for one of other values than objects.
    func objects() throws -> ResultsCore {
        let core = try managed()
        if let results = core as? ResultsCore { return results }
        guard let query = try core.objectQuery() else {
            throw RealmException(
                "Querying is currently only implemented for \(kind.plural.lowercased()) of Realm Objects")
        }
        return try ResultsCore(core.realm, query)
    }

    /// The collection's values, when they are no objects.
    func values() throws -> ValuesCore? {
        let core = try managed()
        if let values = core as? ValuesCore { return values }
        return try core.elements.map { try ValuesCore($0) }
    }

    /// The collection itself as results.
    func results() throws -> any CollectionCore {
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

    /// As in `Arrays of 'int'`.
    var plural: String {
        switch self {
        case .single, .list: "Arrays"
        case .set: "Sets"
        case .map: "Dictionaries"
        }
    }
}

extension RealmCollectionImpl {
    public var _source: _QuerySource {
        _QuerySource(core, (core?.elements ?? core as? PropertyCore)?.property.type.collection ?? _unmanagedKind)
    }

    private var _unmanagedKind: CollectionKind {
        (Self.self as? any _Persistable.Type)?._propertyType.type.collection ?? .list
    }
}
