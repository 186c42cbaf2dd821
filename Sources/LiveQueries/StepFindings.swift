import ObjectModel
import Synchronization

/// What several subjects ask of the same step, found out once.
final class StepFindings: Sendable {
    private let modifiedRoots = Mutex<[ClassID: Set<ObjectKey>]>([:])

    /// See `LinkReach.modifiedRoots`.
    func modifiedRoots(of classID: ClassID, find: () throws -> Set<ObjectKey>) rethrows -> Set<ObjectKey> {
        if let known = modifiedRoots.withLock({ $0[classID] }) { return known }
        let found = try find()
        modifiedRoots.withLock { $0[classID] = found }
        return found
    }
}
