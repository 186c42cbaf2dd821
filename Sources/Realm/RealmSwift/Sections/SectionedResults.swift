public import Foundation
import ViewMaintenance
import LiveQueries
import ObjectModel
import StoreContract

/// The common interface of sections and lists of sections.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined where Index == Int {
    /// The realm of the elements.
    var realm: Realm? { get }

    /// Whether it can no longer be used. Never traps.
    var isInvalidated: Bool { get }

    /// The number of sections, or of a section's elements.
    var count: Int { get }

    /// Whether it is frozen at one version.
    var isFrozen: Bool { get }

    /// Returns it frozen at the present version, for use on any thread.
    func freeze() -> Self

    /// Returns the live sections or section for the calling thread.
    func thaw() -> Self?

    /// Implements `observe(keyPaths:on:_:)`.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken

    /// Implements `observe` on an actor.
    func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken
}

/// A sorted collection divided into sections: elements with the same key are in one section. The key is computed by a
/// function or is a property. Sections are in the order of their first elements, and keep their elements in the order
/// of the collection.
///
/// It is live: it shows the realm's present state. The function is called for each element on first use, and again
/// after every change; its result should depend on the element only.
///
/// ```swift
/// let byLetter = realm.objects(Book.self).sectioned(
///     by: { String($0.title.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "title")])
/// for section in byLetter {
///     print(section.key, section.count)
///     for book in section { print(book.title) }
/// }
/// ```
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult
{
    public typealias Element = ResultsSection<Key, SectionElement>

    let accessor: SectionedAccessor<Key, SectionElement>

    init(_ accessor: SectionedAccessor<Key, SectionElement>) { self.accessor = accessor }

    public var realm: Realm? { Realm(accessor.realm) }
    public var isInvalidated: Bool { accessor.accessor.isInvalidated }
    public var isFrozen: Bool { accessor.realm.isFrozen }

    /// The number of sections.
    public var count: Int { trapOnError { try accessor.table().keys.count } }
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }

    /// The keys of all sections, in their order.
    public var allKeys: [Key] { trapOnError { try accessor.table().keys } }

    /// The section at a position. It stays bound to its key, not to the position. Traps if the position does not exist.
    public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
        trapOnError {
            let keys = try accessor.table().keys
            try checkIndex(index, keys.count)
            return ResultsSection(accessor, keys[index])
        }
    }

    /// The element at an index path. Traps if the path does not exist.
    public subscript(indexPath: IndexPath) -> SectionElement { self[indexPath.section][indexPath.item] }

    /// Iterates over the sections of the present state, whatever changes meanwhile.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(allKeys.map { ResultsSection(accessor, $0) })
    }

    /// Returns the sections frozen at the present version, for use on any thread; frozen sections return themselves.
    /// Keys are computed once.
    public func freeze() -> SectionedResults {
        trapOnError {
            let frozen = try accessor.freeze()
            return frozen === accessor ? self : SectionedResults(frozen)
        }
    }

    /// Returns the live sections for the calling thread; live sections return themselves.
    public func thaw() -> SectionedResults? {
        trapOnError { try accessor.thaw().map { $0 === accessor ? self : SectionedResults($0) } }
    }

    /// Whether both are copies of the same sectioned results.
    public static func == (a: SectionedResults, b: SectionedResults) -> Bool { a.accessor === b.accessor }
}

/// Iterates over the sections that existed when the iteration began.
public struct SectionedResultsIterator<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    IteratorProtocol
{
    private var sections: IndexingIterator<[ResultsSection<Key, SectionElement>]>

    init(_ sections: [ResultsSection<Key, SectionElement>]) { self.sections = sections.makeIterator() }

    public mutating func next() -> ResultsSection<Key, SectionElement>? { sections.next() }
}

/// One section, bound to its key and not to its position. It is empty and invalid after its last element has left, and
/// becomes valid again when an element with the key exists.
public struct ResultsSection<Key: _Persistable & Hashable, T: RealmCollectionValue>: RealmSectionedResult, Identifiable
{
    let accessor: SectionedAccessor<Key, T>

    /// The key of the section's elements.
    public let key: Key

    init(_ accessor: SectionedAccessor<Key, T>, _ key: Key) {
        self.accessor = accessor
        self.key = key
    }

    /// The key.
    public var id: Key { key }

    public var realm: Realm? { Realm(accessor.realm) }
    public var isFrozen: Bool { accessor.realm.isFrozen }

    /// Whether no element with the key exists, or the results are invalid.
    public var isInvalidated: Bool {
        if accessor.accessor.isInvalidated { return true }
        guard let table = try? accessor.table() else { return true }
        return (try? index(in: table)).flatMap { $0 } == nil
    }

    /// Returns nil if the section does not exist.
    func index(in table: SectionTable<Key>) throws -> Int? {
        table.positions.index(of: try Key._stored(key, by: _ObjectPersister(accessor.realm))?.value ?? .null)
    }

    /// The number of elements; 0 after the last one has left. Traps if the results are invalid.
    public var count: Int {
        trapOnError {
            let table = try accessor.table()
            return try index(in: table).map { table.positions.count(of: $0) } ?? 0
        }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }

    /// The element at a position within the section. Traps if the position does not exist.
    public subscript(index: Int) -> T {
        trapOnError {
            let table = try accessor.table()
            guard let section = try self.index(in: table) else {
                throw RealmException("Access to invalidated ResultsSection objects")
            }
            try checkIndex(index, table.positions.count(of: section))
            return try accessor.element(table.values[table.positions[SectionPath(section, index)]])
        }
    }

    /// Iterates over the section's elements in the present state, whatever changes meanwhile.
    public func makeIterator() -> SectionIterator<T> {
        trapOnError {
            let table = try accessor.table()
            let values = try index(in: table).map { table.values(in: $0) } ?? []
            return SectionIterator(RLMIterator(values.map { _Stored($0) }, in: accessor.realm))
        }
    }

    /// Returns the section frozen at the present version, for use on any thread; a frozen section returns itself.
    public func freeze() -> ResultsSection {
        trapOnError {
            let frozen = try accessor.freeze()
            return frozen === accessor ? self : ResultsSection(frozen, key)
        }
    }

    /// Returns the live section for the calling thread; a live section returns itself.
    public func thaw() -> ResultsSection? {
        trapOnError { try accessor.thaw().map { $0 === accessor ? self : ResultsSection($0, key) } }
    }

    /// Whether both are the same section of the same sectioned results.
    public static func == (a: ResultsSection, b: ResultsSection) -> Bool { a.accessor === b.accessor && a.key == b.key }
}

/// Iterates over the elements that a section had when the iteration began.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private var elements: RLMIterator<Element>

    init(_ elements: RLMIterator<Element>) { self.elements = elements }

    public mutating func next() -> Element? { elements.next() }
}

extension SectionedResults: _ReferencePayloadSource {
    func referencePayload() throws -> any _ReferencePayload { try accessor.payload() }
}

extension ResultsSection: _ReferencePayloadSource {
    func referencePayload() throws -> any _ReferencePayload {
        ResultsSectionReferencePayload(sections: try accessor.payload(), key: Transferred(key))
    }
}

/// A reference to a section that is passed to another thread.
private struct ResultsSectionReferencePayload<Key: _Persistable & Hashable, T: RealmCollectionValue>: _ReferencePayload
{
    let sections: SectionReferencePayload<Key, T>
    let key: Transferred<Key>

    var pin: PinnedVersion { sections.pin }

    func resolved(in realm: RLMRealm) throws -> Any? {
        try sections.accessor(in: realm).map { ResultsSection($0, key.value) }
    }
}

extension IndexPath {
    /// Creates an index path from a section and a position within it.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The first index: the section.
    public var section: Int { self[0] }

    /// The second index: the position within the section.
    public var item: Int { self[1] }
}
