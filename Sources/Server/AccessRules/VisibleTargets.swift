import QuerySyntax
import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// Determines which objects of one snapshot are visible to a caller. A bounded cache avoids repeated queries for a
/// page, without making an export of everything use more memory than a page.
final class VisibleTargets: Sendable {
    private let base: any ObjectReads
    private let access: BoundAccess
    private let known = Mutex<[ClassID: [ObjectKey: Bool]]>([:])

    /// The visible elements of the collection that was read last, because its blocks are read one after the other.
    private let collection = Mutex<(object: ObjectReference, property: PropertyID, elements: [Value])?>(nil)

    /// The maximum number of cached answers for a class.
    static let maximumKnown = 1 << 16

    init(_ base: any ObjectReads, _ access: BoundAccess) {
        self.base = base
        self.access = access
    }

    /// Whether the object is visible, by itself or as part of its owner. False for one that does not exist.
    func contains(_ object: ObjectReference) throws -> Bool {
        if access.isOpen(object.classID) { return try base.exists(object.classID, object.key) }
        if let answer = known.withLock({ $0[object.classID]?[object.key] }) { return answer }
        let rule = BoundQuery(classID: object.classID, predicate: access.access(object.classID).whole)
        let answer = try base.matches(rule, object.key)
        record([object.key], of: object.classID) { _ in answer }
        return answer
    }

    /// Returns the visible objects, in their order and with repetitions. Cost: one query for the objects that are not
    /// cached.
    func filter(_ keys: [ObjectKey], of classID: ClassID) throws -> [ObjectKey] {
        if access.isOpen(classID) { return keys }
        // No reference to the dictionary outlives the lock: changing it would copy it.
        let answers = known.withLock { known in
            let known = known[classID]
            return keys.map { known?[$0] }
        }
        if answers.allSatisfy({ $0 == true }) { return keys }
        let unknown = Set(zip(keys, answers).lazy.filter { $1 == nil }.map { $0.0 })
        let visible = try ask(unknown, of: classID)
        record(unknown, of: classID) { visible.contains($0) }
        return zip(keys, answers).filter { $1 ?? visible.contains($0) }.map(\.0)
    }

    /// Returns the visible elements of a collection, computed once for consecutive reads.
    func elements(
        of object: ObjectReference, _ property: PropertyID, find: () throws -> [Value]
    ) rethrows -> [Value] {
        let known = collection.withLock { $0?.object == object && $0?.property == property ? $0?.elements : nil }
        if let known { return known }
        let elements = try find()
        collection.withLock { $0 = (object, property, elements) }
        return elements
    }

    /// Caches the result of a query that applied the rule, unless it is larger than a page.
    func record(visible keys: [ObjectKey], of classID: ClassID) {
        guard keys.count <= Self.maximumKnown / 16, !access.isOpen(classID) else { return }
        record(keys, of: classID) { _ in true }
    }

    private func record(_ keys: some Collection<ObjectKey>, of classID: ClassID, _ answer: (ObjectKey) -> Bool) {
        guard !keys.isEmpty else { return }
        known.withLock { known in
            if known[classID, default: [:]].count + keys.count > Self.maximumKnown { known[classID] = nil }
            guard keys.count <= Self.maximumKnown else { return }
            for key in keys { known[classID, default: [:]][key] = answer(key) }
        }
    }

    /// Returns the objects that satisfy the rule.
    private func ask(_ keys: Set<ObjectKey>, of classID: ClassID) throws -> Set<ObjectKey> {
        let rule = access.access(classID).whole
        if keys.count <= 16 {
            let query = BoundQuery(classID: classID, predicate: rule)
            return try keys.filter { try base.matches(query, $0) }
        }
        guard rule != .constant(false) else { return [] }
        let references = keys.sorted().map { Value.reference(ObjectReference(classID, $0)) }
        let among = BoundPredicate.comparison(
            BoundComparison(.path(BoundPath(end: .object(classID))), .equal, .list(references)))
        return Set(try base.select(BoundQuery(classID: classID, predicate: .and([among, rule])), .all))
    }
}
