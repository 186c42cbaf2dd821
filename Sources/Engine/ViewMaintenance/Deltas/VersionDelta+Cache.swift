import ObjectModel
import Synchronization

/// Results computed for one delta, shared by all that need them.
final class DeltaRootCache: Sendable {
    private struct State {
        /// The value nil means that there are too many.
        var few: [DependencyTree: Set<ObjectKey>?] = [:]
        var all: [DependencyTree: Set<ObjectKey>] = [:]
        /// One for each class: the schema is the same for all.
        var reached: [ClassID: Set<ObjectKey>] = [:]
    }

    private let state = Mutex(State())

    fileprivate func few(_ tree: DependencyTree, _ find: () throws -> Set<ObjectKey>?) rethrows -> Set<ObjectKey>? {
        if let known = state.withLock({ $0.few[tree] }) { return known }
        let found = try find()
        state.withLock { $0.few[tree] = .some(found) }
        return found
    }

    fileprivate func all(_ tree: DependencyTree, _ find: () throws -> Set<ObjectKey>?) rethrows -> Set<ObjectKey> {
        if let known = state.withLock({ $0.all[tree] }) { return known }
        let found = try find() ?? []
        state.withLock { $0.all[tree] = found }
        return found
    }

    fileprivate func reached(from classID: ClassID, _ find: () throws -> Set<ObjectKey>) rethrows -> Set<ObjectKey> {
        if let known = state.withLock({ $0.reached[classID] }) { return known }
        let found = try find()
        state.withLock { $0.reached[classID] = found }
        return found
    }
}

extension VersionDelta {
    /// The number of objects at which the search for few gives up and a walk from the root is used instead.
    private static let fewLimit = 4096

    /// The objects at a tree's root for which something changed.
    func roots(of tree: DependencyTree) throws -> Set<ObjectKey> {
        guard tree.isTouched(by: changes) else { return [] }
        if let few = try fewRoots(of: tree) { return few }
        return try rootCache.all(tree) { try tree.reached(by: self) }
    }

    /// Those objects; nil when finding them takes long.
    func fewRoots(of tree: DependencyTree) throws -> Set<ObjectKey>? {
        guard tree.isTouched(by: changes) else { return [] }
        return try rootCache.few(tree) { try tree.reached(by: self, limit: Self.fewLimit) }
    }

    /// Whether something changed for one object at a tree's root. Cost: at most that of `fewRoots` and of reading
    /// everything that the object's paths lead to.
    func isReached(_ key: ObjectKey, by tree: DependencyTree) throws -> Bool {
        if let roots = try fewRoots(of: tree) { return roots.contains(key) }
        return try tree.isReached(from: key, by: self)
    }

    /// The objects that were modified or reach a modified one.
    func roots(of reach: DeepChangeChecker) throws -> Set<ObjectKey> {
        try rootCache.reached(from: reach.root) { try reach.found(by: self) }
    }
}
