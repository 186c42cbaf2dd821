public import Foundation
import LiveQueries
import ObjectModel
import StoreContract

/// What sections and lists of sections have in common.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined where Index == Int {
    /// The realm of the elements.
    var realm: Realm? { get }

    /// Whether it cannot be used any more. Never fails itself.
    var isInvalidated: Bool { get }

    /// The number of sections, or of a section's elements.
    var count: Int { get }

    /// Whether it stays at one version.
    var isFrozen: Bool { get }

    /// The same at the present version, for use on any thread.
    func freeze() -> Self

    /// The live one for the calling thread.
    func thaw() -> Self?

    /// What `observe(keyPaths:on:_:)` does.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken

    /// The same on an actor.
    func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken
}

/// A sorted collection in sections: elements for which a function, or a property, gives the same key are in one. Sections
/// come in the order of their first elements, and keep their elements in the order of the collection.
///
/// Live: what it shows is the realm's present state. The function is asked for each element when it is used first, and
/// again after every change; it should depend on the element only.
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
    public var count: Int { raising { try accessor.table().keys.count } }
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }

    /// The keys of all sections, in their order.
    public var allKeys: [Key] { raising { try accessor.table().keys } }

    /// The section that is at a position now. It is bound to its key, not to the position. Traps for a position that does
    /// not exist.
    public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
        raising {
            let keys = try accessor.table().keys
            try checkIndex(index, keys.count)
            return ResultsSection(accessor, keys[index])
        }
    }

    /// The element at a section's position and one within it. Traps for positions that do not exist.
    public subscript(indexPath: IndexPath) -> SectionElement { self[indexPath.section][indexPath.item] }

    /// Goes through the sections that there are now, whatever becomes of them meanwhile.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(allKeys.map { ResultsSection(accessor, $0) })
    }

    /// The sections at the present version, for use on any thread; itself if it is frozen. Keys are asked for once.
    public func freeze() -> SectionedResults {
        raising {
            let frozen = try accessor.freeze()
            return frozen === accessor ? self : SectionedResults(frozen)
        }
    }

    /// The live sections for the calling thread; itself if it is live.
    public func thaw() -> SectionedResults? {
        raising { try accessor.thaw().map { $0 === accessor ? self : SectionedResults($0) } }
    }

    /// Copies of the same sectioned results.
    public static func == (a: SectionedResults, b: SectionedResults) -> Bool { a.accessor === b.accessor }
}

/// Goes through the sections that there were when the iteration began.
public struct SectionedResultsIterator<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    IteratorProtocol
{
    private var sections: IndexingIterator<[ResultsSection<Key, SectionElement>]>

    init(_ sections: [ResultsSection<Key, SectionElement>]) { self.sections = sections.makeIterator() }

    public mutating func next() -> ResultsSection<Key, SectionElement>? { sections.next() }
}

/// One section, whatever its position: it is bound to its key. When its last element leaves, it is invalid until there
/// are elements with the key again.
public struct ResultsSection<Key: _Persistable & Hashable, T: RealmCollectionValue>: RealmSectionedResult, Identifiable
{
    let accessor: SectionedAccessor<Key, T>

    /// What the section's elements have in common.
    public let key: Key

    init(_ accessor: SectionedAccessor<Key, T>, _ key: Key) {
        self.accessor = accessor
        self.key = key
    }

    /// The key.
    public var id: Key { key }

    public var realm: Realm? { Realm(accessor.realm) }
    public var isFrozen: Bool { accessor.realm.isFrozen }

    /// Whether there is no element with the key any more, or the results are invalid.
    public var isInvalidated: Bool {
        if accessor.accessor.isInvalidated { return true }
        guard let table = try? accessor.table() else { return true }
        return (try? index(in: table)).flatMap { $0 } == nil
    }

    /// Nil when the section is not there.
    func index(in table: SectionTable<Key>) throws -> Int? {
        table.positions.index(of: try Key._stored(key, by: _ObjectPersister(accessor.realm))?.value ?? .null)
    }

    private func section() throws -> (table: SectionTable<Key>, index: Int) {
        let table = try accessor.table()
        guard let index = try index(in: table) else {
            throw RealmException("Access to invalidated ResultsSection objects")
        }
        return (table, index)
    }

    /// The number of elements. Traps for an invalid section.
    public var count: Int {
        raising {
            let (table, index) = try section()
            return table.positions.count(of: index)
        }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }

    /// The element at a position within the section. Traps for one that does not exist, and for an invalid section.
    public subscript(index: Int) -> T {
        raising {
            let (table, section) = try section()
            try checkIndex(index, table.positions.count(of: section))
            return try accessor.element(table.values[table.positions[SectionPath(section, index)]])
        }
    }

    /// Goes through the elements that the section has now, whatever becomes of it meanwhile.
    public func makeIterator() -> SectionIterator<T> {
        raising {
            let (table, section) = try section()
            return SectionIterator(RLMIterator(table.values(in: section).map { _Stored($0) }, in: accessor.realm))
        }
    }

    /// The section at the present version, for use on any thread; itself if it is frozen.
    public func freeze() -> ResultsSection {
        raising {
            let frozen = try accessor.freeze()
            return frozen === accessor ? self : ResultsSection(frozen, key)
        }
    }

    /// The live section for the calling thread; itself if it is live.
    public func thaw() -> ResultsSection? {
        raising { try accessor.thaw().map { $0 === accessor ? self : ResultsSection($0, key) } }
    }

    /// The same section of the same sectioned results.
    public static func == (a: ResultsSection, b: ResultsSection) -> Bool { a.accessor === b.accessor && a.key == b.key }
}

/// Goes through the elements that a section had when the iteration began.
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

/// One section on its way to another thread.
private struct ResultsSectionReferencePayload<Key: _Persistable & Hashable, T: RealmCollectionValue>: _ReferencePayload
{
    let sections: SectionReferencePayload<Key, T>
    let key: Transferred<Key>

    var path: String { sections.path }
    var pinned: any Snapshot { sections.pinned }

    func resolved(in realm: RLMRealm) throws -> Any? {
        try sections.accessor(in: realm).map { ResultsSection($0, key.value) }
    }
}

extension IndexPath {
    /// Of a section and a position within it.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The first index: which section.
    public var section: Int { self[0] }

    /// The second index: which element of the section.
    public var item: Int { self[1] }
}
