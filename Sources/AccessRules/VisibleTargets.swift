import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// Which objects of one snapshot are there for a caller; found out once for each.
final class VisibleTargets: Sendable {
    private let base: any Snapshot
    private let access: BoundAccess
    private let known = Mutex<[ClassID: [ObjectKey: Bool]]>([:])

    init(_ base: any Snapshot, _ access: BoundAccess) {
        self.base = base
        self.access = access
    }

    /// Whether the object is there, by itself or as part of its owner. False for one that does not exist.
    func contains(_ object: ObjectReference) throws -> Bool {
        if access.isOpen(object.classID) { return try base.exists(object.classID, object.key) }
        if let answer = known.withLock({ $0[object.classID]?[object.key] }) { return answer }
        let rule = BoundQuery(classID: object.classID, predicate: access.access(object.classID).whole)
        let answer = try base.matches(rule, object.key)
        known.withLock { $0[object.classID, default: [:]][object.key] = answer }
        return answer
    }

    /// Those of the objects that are there, in their order and as often. Cost: one query for those that were not asked
    /// about before.
    func filter(_ keys: [ObjectKey], of classID: ClassID) throws -> [ObjectKey] {
        if access.isOpen(classID) { return keys }
        let answers = try self.answers(for: keys, of: classID)
        return keys.filter { answers[$0] == true }
    }

    /// What is known after looking at all of them.
    func answers(for keys: [ObjectKey], of classID: ClassID) throws -> [ObjectKey: Bool] {
        let before = known.withLock { $0[classID] ?? [:] }
        let unknown = Set(keys).filter { before[$0] == nil }
        if unknown.isEmpty { return before }
        let rule = access.access(classID).whole
        var visible: Set<ObjectKey> = []
        if unknown.count <= 16 {
            let query = BoundQuery(classID: classID, predicate: rule)
            visible = try unknown.filter { try base.matches(query, $0) }
        } else if rule != .constant(false) {
            let references = unknown.sorted().map { Value.reference(ObjectReference(classID, $0)) }
            let among = BoundPredicate.comparison(
                BoundComparison(.path(BoundPath(end: .object(classID))), .equal, .list(references)))
            visible = Set(try base.select(BoundQuery(classID: classID, predicate: .and([among, rule])), .all))
        }
        return known.withLock { known in
            for key in unknown { known[classID, default: [:]][key] = visible.contains(key) }
            return known[classID] ?? [:]
        }
    }
}
