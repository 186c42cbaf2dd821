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

    let core: SectionedCore<Key, SectionElement>

    init(_ core: SectionedCore<Key, SectionElement>) { self.core = core }

    public var realm: Realm? { Realm(core.realm) }
    public var isInvalidated: Bool { core.core.isInvalidated }
    public var isFrozen: Bool { core.realm.isFrozen }

    /// The number of sections.
    public var count: Int { raising { try core.table().keys.count } }
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }

    /// The keys of all sections, in their order.
    public var allKeys: [Key] { raising { try core.table().keys } }

    /// The section that is at a position now. It is bound to its key, not to the position. Traps for a position that does
    /// not exist.
    public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
        raising {
            let keys = try core.table().keys
            try checkIndex(index, keys.count)
            return ResultsSection(core, keys[index])
        }
    }

    /// The element at a section's position and one within it. Traps for positions that do not exist.
    public subscript(indexPath: IndexPath) -> SectionElement { self[indexPath.section][indexPath.item] }

    /// Goes through the sections that there are now, whatever becomes of them meanwhile.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(allKeys.map { ResultsSection(core, $0) })
    }

    /// The sections at the present version, for use on any thread; itself if it is frozen. Keys are asked for once.
    public func freeze() -> SectionedResults {
        raising {
            let frozen = try core.freeze()
            return frozen === core ? self : SectionedResults(frozen)
        }
    }

    /// The live sections for the calling thread; itself if it is live.
    public func thaw() -> SectionedResults? {
        raising { try core.thaw().map { $0 === core ? self : SectionedResults($0) } }
    }

    /// Copies of the same sectioned results.
    public static func == (a: SectionedResults, b: SectionedResults) -> Bool { a.core === b.core }
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
    let core: SectionedCore<Key, T>

    /// What the section's elements have in common.
    public let key: Key

    init(_ core: SectionedCore<Key, T>, _ key: Key) {
        self.core = core
        self.key = key
    }

    /// The key.
    public var id: Key { key }

    public var realm: Realm? { Realm(core.realm) }
    public var isFrozen: Bool { core.realm.isFrozen }

    /// Whether there is no element with the key any more, or the results are invalid.
    public var isInvalidated: Bool {
        if core.core.isInvalidated { return true }
        guard let table = try? core.table() else { return true }
        return (try? index(in: table)).flatMap { $0 } == nil
    }

    /// Nil when the section is not there.
    func index(in table: SectionTable<Key>) throws -> Int? {
        table.positions.index(of: try Key._stored(key, by: _Adopter(core.realm))?.value ?? .null)
    }

    private func section() throws -> (table: SectionTable<Key>, index: Int) {
        let table = try core.table()
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
            return try core.element(table.values[table.positions[SectionPath(section, index)]])
        }
    }

    /// Goes through the elements that the section has now, whatever becomes of it meanwhile.
    public func makeIterator() -> SectionIterator<T> {
        raising {
            let (table, section) = try section()
            return SectionIterator(RLMIterator(table.values(in: section).map { _Stored($0) }, in: core.realm))
        }
    }

    /// The section at the present version, for use on any thread; itself if it is frozen.
    public func freeze() -> ResultsSection {
        raising {
            let frozen = try core.freeze()
            return frozen === core ? self : ResultsSection(frozen, key)
        }
    }

    /// The live section for the calling thread; itself if it is live.
    public func thaw() -> ResultsSection? {
        raising { try core.thaw().map { $0 === core ? self : ResultsSection($0, key) } }
    }

    /// The same section of the same sectioned results.
    public static func == (a: ResultsSection, b: ResultsSection) -> Bool { a.core === b.core && a.key == b.key }
}

/// Goes through the elements that a section had when the iteration began.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private var elements: RLMIterator<Element>

    init(_ elements: RLMIterator<Element>) { self.elements = elements }

    public mutating func next() -> Element? { elements.next() }
}

extension SectionedResults: _HandsOver {
    func handOver() throws -> any _Handover { try core.handover() }
}

extension ResultsSection: _HandsOver {
    func handOver() throws -> any _Handover {
        ResultsSectionHandover(sections: try core.handover(), key: Transferred(key))
    }
}

/// One section on its way to another thread.
private struct ResultsSectionHandover<Key: _Persistable & Hashable, T: RealmCollectionValue>: _Handover {
    let sections: SectionHandover<Key, T>
    let key: Transferred<Key>

    var path: String { sections.path }
    var pinned: any Snapshot { sections.pinned }

    func resolved(in realm: RLMRealm) throws -> Any? {
        try sections.core(in: realm).map { ResultsSection($0, key.value) }
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
