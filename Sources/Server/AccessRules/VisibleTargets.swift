import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// Which objects of one snapshot are there for a caller. Answers are kept as long as there are not too many, so that what
/// a page needs is asked once, and an export of everything takes no more memory than a page.
final class VisibleTargets: Sendable {
    private let base: any ObjectReads
    private let access: BoundAccess
    private let known = Mutex<[ClassID: [ObjectKey: Bool]]>([:])

    /// The elements that are there of the collection that was looked at last: who reads one block of it reads the next.
    private let collection = Mutex<(object: ObjectReference, property: PropertyID, elements: [Value])?>(nil)

    /// Answers that are kept of a class.
    static let mostKnown = 1 << 16

    init(_ base: any ObjectReads, _ access: BoundAccess) {
        self.base = base
        self.access = access
    }

    /// Whether the object is there, by itself or as part of its owner. False for one that does not exist.
    func contains(_ object: ObjectReference) throws -> Bool {
        if access.isOpen(object.classID) { return try base.exists(object.classID, object.key) }
        if let answer = known.withLock({ $0[object.classID]?[object.key] }) { return answer }
        let rule = BoundQuery(classID: object.classID, predicate: access.access(object.classID).whole)
        let answer = try base.matches(rule, object.key)
        note([object.key], of: object.classID) { _ in answer }
        return answer
    }

    /// Those of the objects that are there, in their order and as often. Cost: one query for those about which nothing is
    /// known.
    func filter(_ keys: [ObjectKey], of classID: ClassID) throws -> [ObjectKey] {
        if access.isOpen(classID) { return keys }
        // Nobody keeps the dictionary of answers beyond the lock: changing it would copy it.
        let answers = known.withLock { known in
            let known = known[classID]
            return keys.map { known?[$0] }
        }
        if answers.allSatisfy({ $0 == true }) { return keys }
        let unknown = Set(zip(keys, answers).lazy.filter { $1 == nil }.map { $0.0 })
        let visible = try ask(unknown, of: classID)
        note(unknown, of: classID) { visible.contains($0) }
        return zip(keys, answers).filter { $1 ?? visible.contains($0) }.map(\.0)
    }

    /// The elements of a collection that are there, found once for all who read them one after the other.
    func elements(
        of object: ObjectReference, _ property: PropertyID, find: () throws -> [Value]
    ) rethrows -> [Value] {
        let known = collection.withLock { $0?.object == object && $0?.property == property ? $0?.elements : nil }
        if let known { return known }
        let elements = try find()
        collection.withLock { $0 = (object, property, elements) }
        return elements
    }

    /// Notes what a query gave that knows the rule. Of more than a page nothing is noted.
    func note(visible keys: [ObjectKey], of classID: ClassID) {
        guard keys.count <= Self.mostKnown / 16, !access.isOpen(classID) else { return }
        note(keys, of: classID) { _ in true }
    }

    private func note(_ keys: some Collection<ObjectKey>, of classID: ClassID, _ answer: (ObjectKey) -> Bool) {
        guard !keys.isEmpty else { return }
        known.withLock { known in
            if known[classID, default: [:]].count + keys.count > Self.mostKnown { known[classID] = nil }
            guard keys.count <= Self.mostKnown else { return }
            for key in keys { known[classID, default: [:]][key] = answer(key) }
        }
    }

    /// Those of the objects that satisfy the rule.
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
