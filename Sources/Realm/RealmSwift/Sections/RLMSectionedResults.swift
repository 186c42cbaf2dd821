public import Dispatch
public import Foundation

/// The Objective-C name of `NotificationToken`.
public typealias RLMNotificationToken = NotificationToken

/// The common interface of sections and lists of sections, with Objective-C names.
public protocol RLMSectionedResult: AnyObject {
    /// The number of sections, or of a section's elements.
    var count: UInt { get }

    /// Whether it is frozen at one version.
    var isFrozen: Bool { get }
}

/// `SectionedResults` with the Objective-C interface.
public final class RLMSectionedResults<RLMKeyType: _Persistable & Hashable, RLMObjectType: RealmCollectionValue>:
    RLMSectionedResult
{
    let results: SectionedResults<RLMKeyType, RLMObjectType>

    /// Wraps the sections.
    public init(_ results: SectionedResults<RLMKeyType, RLMObjectType>) { self.results = results }

    /// The keys of all sections, in their order.
    public var allKeys: [RLMKeyType] { results.allKeys }

    /// The number of sections.
    public var count: UInt { UInt(results.count) }

    /// Whether it is frozen at one version.
    public var isFrozen: Bool { results.isFrozen }

    /// The section at a position. It stays bound to its key. Traps if the position does not exist.
    public subscript(index: UInt) -> RLMSection<RLMKeyType, RLMObjectType> { object(at: index) }

    /// Returns the section at a position. It stays bound to its key. Traps if the position does not exist.
    public func object(at index: UInt) -> RLMSection<RLMKeyType, RLMObjectType> {
        RLMSection(results[Int(clamping: index)])
    }

    /// Returns the sections frozen at the present version, for use on any thread; frozen sections return themselves.
    /// Keys are computed once.
    public func freeze() -> Self { isFrozen ? self : Self(results.freeze()) }

    /// Returns the live sections for the calling thread; live sections return themselves. Traps if the owner of the
    /// collection was deleted.
    public func thaw() -> Self {
        guard isFrozen else { return self }
        return trapOnError {
            guard let live = results.thaw() else { throw RealmException.invalidObject }
            return Self(live)
        }
    }

    /// Calls the block with a nil change in a later turn, and then with each change. See `SectionedResults.observe`.
    public func addNotificationBlock(
        _ block: @escaping (RLMSectionedResults<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: nil, queue: nil) }

    /// Adds a notification block on a serial queue.
    public func addNotificationBlock(
        _ block: @escaping (RLMSectionedResults<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        queue: DispatchQueue
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: nil, queue: queue) }

    /// Adds a notification block; only changes at the key paths count as modifications. An empty array means all.
    public func addNotificationBlock(
        _ block: @escaping (RLMSectionedResults<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        keyPaths: [String]
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: keyPaths, queue: nil) }

    /// Adds a notification block on a serial queue, with key paths.
    public func addNotificationBlock(
        _ block: @escaping (RLMSectionedResults<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        keyPaths: [String]?, queue: DispatchQueue?
    ) -> RLMNotificationToken {
        results.observe(keyPaths: keyPaths, on: queue) { change in
            let (results, change) = RLMSectionedResultsChange.read(change)
            block(RLMSectionedResults(results), change)
        }
    }
}

/// `ResultsSection` with the Objective-C interface.
public final class RLMSection<RLMKeyType: _Persistable & Hashable, RLMObjectType: RealmCollectionValue>:
    RLMSectionedResult
{
    let section: ResultsSection<RLMKeyType, RLMObjectType>

    /// Wraps the section.
    public init(_ section: ResultsSection<RLMKeyType, RLMObjectType>) { self.section = section }

    /// The key of the section's elements.
    public var key: RLMKeyType { section.key }

    /// The number of elements. Traps if the section has become empty.
    public var count: UInt { UInt(section.count) }

    /// Whether it is frozen at one version.
    public var isFrozen: Bool { section.isFrozen }

    /// The element at a position within the section. Traps if the position does not exist.
    public subscript(index: UInt) -> RLMObjectType { object(at: index) }

    /// Returns the element at a position within the section. Traps if the position does not exist.
    public func object(at index: UInt) -> RLMObjectType { section[Int(clamping: index)] }

    /// Returns the section frozen at the present version, for use on any thread; a frozen section returns itself.
    public func freeze() -> Self { isFrozen ? self : Self(section.freeze()) }

    /// Returns the live section for the calling thread; a live section returns itself. Traps if the owner of the
    /// collection was deleted.
    public func thaw() -> Self {
        guard isFrozen else { return self }
        return trapOnError {
            guard let live = section.thaw() else { throw RealmException.invalidObject }
            return Self(live)
        }
    }

    /// Calls the block with a nil change in a later turn, and then with each change of the section.
    public func addNotificationBlock(
        _ block: @escaping (RLMSection<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: nil, queue: nil) }

    /// Adds a notification block on a serial queue.
    public func addNotificationBlock(
        _ block: @escaping (RLMSection<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        queue: DispatchQueue
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: nil, queue: queue) }

    /// Adds a notification block; only changes at the key paths count as modifications. An empty array means all.
    public func addNotificationBlock(
        _ block: @escaping (RLMSection<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        keyPaths: [String]
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: keyPaths, queue: nil) }

    /// Adds a notification block on a serial queue, with key paths.
    public func addNotificationBlock(
        _ block: @escaping (RLMSection<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        keyPaths: [String]?, queue: DispatchQueue?
    ) -> RLMNotificationToken {
        section.observe(keyPaths: keyPaths, on: queue) { change in
            let (section, change) = RLMSectionedResultsChange.read(change)
            block(RLMSection(section), change)
        }
    }
}

/// The changes of sections: see `SectionedResultsChange`.
public final class RLMSectionedResultsChange: Sendable {
    /// Paths in the new sections.
    public let insertions: [IndexPath]
    /// Paths in the old sections.
    public let deletions: [IndexPath]
    /// Paths in the old sections.
    public let modifications: [IndexPath]
    /// Indices in the new list of sections.
    public let sectionsToInsert: IndexSet
    /// Indices in the old list of sections.
    public let sectionsToRemove: IndexSet

    private init(
        _ deletions: [IndexPath], _ insertions: [IndexPath], _ modifications: [IndexPath], _ sectionsToInsert: IndexSet,
        _ sectionsToRemove: IndexSet
    ) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.sectionsToInsert = sectionsToInsert
        self.sectionsToRemove = sectionsToRemove
    }

    /// The insertions in one section.
    public func insertions(inSection section: UInt) -> [IndexPath] { insertions.filter { $0.section == Int(section) } }

    /// The deletions in one section.
    public func deletions(inSection section: UInt) -> [IndexPath] { deletions.filter { $0.section == Int(section) } }

    /// The modifications in one section.
    public func modifications(inSection section: UInt) -> [IndexPath] {
        modifications.filter { $0.section == Int(section) }
    }

    /// Returns nil for the first call.
    static func read<C>(_ change: SectionedResultsChange<C>) -> (C, RLMSectionedResultsChange?) {
        switch change {
        case .initial(let collection): return (collection, nil)
        case .update(let collection, let deletions, let insertions, let modifications, let inserted, let deleted):
            return (collection, RLMSectionedResultsChange(deletions, insertions, modifications, inserted, deleted))
        }
    }
}
