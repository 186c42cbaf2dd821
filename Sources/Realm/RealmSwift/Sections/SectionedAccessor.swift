import ViewMaintenance
import LiveQueries
import ObjectModel
import StoreContract

/// The implementation of `SectionedResults`: a sorted collection, and a function from elements to section keys. The
/// function is called again for all elements after the realm's version has changed.
final class SectionedAccessor<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    let accessor: any CollectionAccessor
    private let keyOf: (Element) -> Key
    /// The sections of a frozen collection, computed when it was frozen, for use on any thread.
    private let frozen: SectionTable<Key>?
    private var known: Known?

    private struct Known {
        let version: Version
        let edits: Int
        let table: SectionTable<Key>
    }

    /// Throws for keys that are links.
    init(_ accessor: any CollectionAccessor, _ keyOf: @escaping (Element) -> Key) throws {
        guard !Key._propertyType.type.isLink else { throw RealmException.linkAsSectionKey }
        self.accessor = accessor
        self.keyOf = keyOf
        frozen = accessor.realm.isFrozen ? try Self.table(of: accessor, keyOf) : nil
    }

    private init(_ accessor: any CollectionAccessor, _ keyOf: @escaping (Element) -> Key, frozen: SectionTable<Key>) {
        self.accessor = accessor
        self.keyOf = keyOf
        self.frozen = frozen
    }

    var realm: RLMRealm { accessor.realm }

    private static func table(
        of accessor: any CollectionAccessor, _ keyOf: (Element) -> Key
    ) throws -> SectionTable<Key> {
        let realm = accessor.realm
        return try SectionTable(accessor.values(), in: realm) { keyOf(try Element._restored(_Stored($0), in: realm)) }
    }

    /// Returns the sections, at the realm's version or with the changes of the open write.
    func table() throws -> SectionTable<Key> {
        if let frozen { return frozen }
        let (version, edits) = (try realm.snapshot.version, realm.edits)
        if let known, known.version == version, known.edits == edits, !accessor.isInvalidated { return known.table }
        let table = try Self.table(of: accessor, keyOf)
        known = Known(version: version, edits: edits, table: table)
        return table
    }

    func element(_ value: Value) throws -> Element { try Element._restored(_Stored(value), in: realm) }

    /// Returns the same sections of the collection as seen by another realm.
    func moved(to accessor: any CollectionAccessor) throws -> SectionedAccessor {
        try SectionedAccessor(accessor, keyOf)
    }

    /// Returns the sections frozen at the present version. Does not call the function again, except within a write,
    /// where the version is the one before it.
    func freeze() throws -> SectionedAccessor {
        if frozen != nil { return self }
        guard let frozenAccessor = try accessor.payload().accessor(in: realm.frozen()) else {
            throw RealmException("Cannot freeze an object in the same write transaction as it was created in.")
        }
        if realm.transaction != nil { return try SectionedAccessor(frozenAccessor, keyOf) }
        return SectionedAccessor(frozenAccessor, keyOf, frozen: try table())
    }

    /// Returns the live sections for the calling thread; nil if the owner of the collection was deleted.
    func thaw() throws -> SectionedAccessor? {
        guard frozen != nil else { return self }
        return try accessor.payload().accessor(in: realm.thawed()).map { try moved(to: $0) }
    }

    func payload() throws -> SectionReferencePayload<Key, Element> {
        SectionReferencePayload(
            pin: try PinnedVersion(realm), collection: try accessor.payload(), keyOf: Transferred(keyOf))
    }
}

/// A reference to sections that is passed to another thread.
struct SectionReferencePayload<Key: _Persistable & Hashable, Element: RealmCollectionValue>: _ReferencePayload {
    let pin: PinnedVersion
    let collection: CollectionReferencePayload
    let keyOf: Transferred<(Element) -> Key>

    func accessor(in realm: RLMRealm) throws -> SectionedAccessor<Key, Element>? {
        try collection.accessor(in: realm).map { try SectionedAccessor($0, keyOf.value) }
    }

    func resolved(in realm: RLMRealm) throws -> Any? {
        try accessor(in: realm).map { SectionedResults<Key, Element>($0) }
    }
}

/// The elements of a collection at one version, and their sections.
struct SectionTable<Key: _Persistable & Hashable> {
    /// All elements, in the order of the collection.
    let values: [Value]
    let positions: SectionedPositions
    /// The key of each section, from its first element.
    let keys: [Key]

    /// - Parameter key: called once for each element.
    init(_ values: [Value], in realm: RLMRealm, _ key: (Value) throws -> Key) throws {
        let persister = _ObjectPersister(realm)
        var keys: [Key] = []
        var stored: [Value] = []
        keys.reserveCapacity(values.count)
        stored.reserveCapacity(values.count)
        for value in values {
            let key = try key(value)
            let form = try Key._stored(key, by: persister)?.value ?? .null
            if case .reference = form { throw RealmException.linkAsSectionKey }
            keys.append(key)
            stored.append(form)
        }
        let positions = SectionedPositions(keys: stored)
        self.values = values
        self.positions = positions
        self.keys = (0..<positions.count).map { keys[positions[SectionPath($0, 0)]] }
    }

    func values(in section: Int) -> [Value] { positions.positions(in: section).map { values[$0] } }
}

extension RealmException {
    static let linkAsSectionKey = RealmException("Links are not supported as section keys.")
}
