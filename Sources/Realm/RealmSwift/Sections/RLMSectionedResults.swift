public import Dispatch
public import Foundation

/// What keeps an observation alive, by its name in the Objective-C interface.
public typealias RLMNotificationToken = NotificationToken

/// What sections and lists of sections have in common in the Objective-C interface.
public protocol RLMSectionedResult: AnyObject {
    /// The number of sections, or of a section's elements.
    var count: UInt { get }

    /// Whether it stays at one version.
    var isFrozen: Bool { get }
}

/// `SectionedResults` with the interface that Objective-C has.
public final class RLMSectionedResults<RLMKeyType: _Persistable & Hashable, RLMObjectType: RealmCollectionValue>:
    RLMSectionedResult
{
    private let results: SectionedResults<RLMKeyType, RLMObjectType>

    /// Another view of the same sections.
    public init(_ results: SectionedResults<RLMKeyType, RLMObjectType>) { self.results = results }

    /// The keys of all sections, in their order.
    public var allKeys: [RLMKeyType] { results.allKeys }

    /// The number of sections.
    public var count: UInt { UInt(results.count) }

    /// Whether it stays at one version.
    public var isFrozen: Bool { results.isFrozen }

    /// The section that is at a position now; it is bound to its key. Traps for a position that does not exist.
    public subscript(index: UInt) -> RLMSection<RLMKeyType, RLMObjectType> { object(at: index) }

    /// The section that is at a position now; it is bound to its key. Traps for a position that does not exist.
    public func object(at index: UInt) -> RLMSection<RLMKeyType, RLMObjectType> {
        RLMSection(results[Int(clamping: index)])
    }

    /// The sections at the present version, for use on any thread; itself if it is frozen. Keys are asked for once.
    public func freeze() -> Self { isFrozen ? self : Self(results.freeze()) }

    /// The live sections for the calling thread; itself if it is live. Traps when the object is gone whose collection
    /// the sections are of.
    public func thaw() -> Self {
        guard isFrozen else { return self }
        return raising {
            guard let live = results.thaw() else { throw RealmException.invalidObject }
            return Self(live)
        }
    }

    /// Calls the block with a nil change in a later turn, and then with each change. See `SectionedResults.observe`.
    public func addNotificationBlock(
        _ block: @escaping (RLMSectionedResults<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: nil, queue: nil) }

    /// The same on a serial queue.
    public func addNotificationBlock(
        _ block: @escaping (RLMSectionedResults<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        queue: DispatchQueue
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: nil, queue: queue) }

    /// The same, told of modifications that the key paths lead to only; an empty array means all.
    public func addNotificationBlock(
        _ block: @escaping (RLMSectionedResults<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        keyPaths: [String]
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: keyPaths, queue: nil) }

    /// The same with both.
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

/// `ResultsSection` with the interface that Objective-C has.
public final class RLMSection<RLMKeyType: _Persistable & Hashable, RLMObjectType: RealmCollectionValue>:
    RLMSectionedResult
{
    private let section: ResultsSection<RLMKeyType, RLMObjectType>

    /// Another view of the same section.
    public init(_ section: ResultsSection<RLMKeyType, RLMObjectType>) { self.section = section }

    /// What the section's elements have in common.
    public var key: RLMKeyType { section.key }

    /// The number of elements. Traps for a section that has none any more.
    public var count: UInt { UInt(section.count) }

    /// Whether it stays at one version.
    public var isFrozen: Bool { section.isFrozen }

    /// The element at a position within the section. Traps for one that does not exist.
    public subscript(index: UInt) -> RLMObjectType { object(at: index) }

    /// The element at a position within the section. Traps for one that does not exist.
    public func object(at index: UInt) -> RLMObjectType { section[Int(clamping: index)] }

    /// The section at the present version, for use on any thread; itself if it is frozen.
    public func freeze() -> Self { isFrozen ? self : Self(section.freeze()) }

    /// The live section for the calling thread; itself if it is live. Traps when the object is gone whose collection
    /// the sections are of.
    public func thaw() -> Self {
        guard isFrozen else { return self }
        return raising {
            guard let live = section.thaw() else { throw RealmException.invalidObject }
            return Self(live)
        }
    }

    /// Calls the block with a nil change in a later turn, and then with each change that concerns the section.
    public func addNotificationBlock(
        _ block: @escaping (RLMSection<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: nil, queue: nil) }

    /// The same on a serial queue.
    public func addNotificationBlock(
        _ block: @escaping (RLMSection<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        queue: DispatchQueue
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: nil, queue: queue) }

    /// The same, told of modifications that the key paths lead to only; an empty array means all.
    public func addNotificationBlock(
        _ block: @escaping (RLMSection<RLMKeyType, RLMObjectType>, RLMSectionedResultsChange?) -> Void,
        keyPaths: [String]
    ) -> RLMNotificationToken { addNotificationBlock(block, keyPaths: keyPaths, queue: nil) }

    /// The same with both.
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

/// How sections became others: see `SectionedResultsChange`.
public final class RLMSectionedResultsChange: Sendable {
    /// Paths in the new sections.
    public let insertions: [IndexPath]
    /// Paths in the old sections.
    public let deletions: [IndexPath]
    /// Paths with the old section.
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

    /// Nil for the first call.
    static func read<C>(_ change: SectionedResultsChange<C>) -> (C, RLMSectionedResultsChange?) {
        switch change {
        case .initial(let collection): return (collection, nil)
        case .update(let collection, let deletions, let insertions, let modifications, let come, let gone):
            return (collection, RLMSectionedResultsChange(deletions, insertions, modifications, come, gone))
        }
    }
}
