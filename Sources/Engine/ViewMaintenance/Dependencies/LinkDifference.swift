import Basics
import ObjectModel
import StoreContract

/// Finds the objects that the objects of a class started or stopped linking to with one property.
struct LinkDifference {
    private let step: VersionDelta
    private let classID: ClassID
    private let link: PropertyID
    private let changes: ClassChanges

    init(_ step: VersionDelta, of classID: ClassID, _ link: PropertyID, _ changes: ClassChanges) {
        self.step = step
        self.classID = classID
        self.link = link
        self.changes = changes
    }

    /// The objects of a class that are linked to more or less often than before by one of the objects. Cost: the edits
    /// of lists and sets; the links of objects with other edits, of new ones and of deleted ones.
    func targets(in target: ClassID) throws -> Set<ObjectKey> {
        var targets: Set<ObjectKey> = []
        for key in changes.insertions {
            targets.formUnion(try step.after.value(classID, key, link).linkedKeys(in: target))
        }
        for key in changes.deletions {
            targets.formUnion(try step.before.value(classID, key, link).linkedKeys(in: target))
        }
        for (key, properties) in changes.modifications where properties.contains(link) {
            var counts: [ObjectKey: Int] = [:]
            let (old, new) = try difference(key)
            for value in old { for linked in value.linkedKeys(in: target) { counts[linked, default: 0] -= 1 } }
            for value in new { for linked in value.linkedKeys(in: target) { counts[linked, default: 0] += 1 } }
            for (linked, count) in counts where count != 0 { targets.insert(linked) }
        }
        return targets
    }

    /// The values that an object's property held before and does not now, and the other way round; both may have
    /// further values in common.
    private func difference(_ key: ObjectKey) throws -> (old: [Value], new: [Value]) {
        switch changes.edits[key]?[link] {
        case .list(let edit):
            return try (
                elements(key, in: step.before, edit.deletions.runs + edit.inverted.modifications.runs),
                elements(key, in: step.after, edit.insertions.runs + edit.modifications.runs)
            )
        case .set(let edit): return (Array(edit.deletions), Array(edit.insertions))
        case nil where step.after.schema[classID]?[link]?.type.isCollection == true: return ([], [])
        case .map, nil:
            return try ([step.before.value(classID, key, link)], [step.after.value(classID, key, link)])
        }
    }

    private func elements(_ key: ObjectKey, in reads: any ObjectReads, _ runs: [Range<Int>]) throws -> [Value] {
        try runs.flatMap { try reads.elements(classID, key, link, $0) }
    }
}
