import ObjectModel
import StoreContract

/// Follows links in the one of a delta's two states that is cheaper to read.
struct LinkWalk {
    private let changes: ChangeSet
    private let reads: any ObjectReads
    private let isAfter: Bool

    init(_ step: VersionDelta) {
        changes = step.changes
        isAfter = step.snapshots.after != nil || step.snapshots.before == nil
        reads = isAfter ? step.after : step.before
    }

    /// Whether an object that exists before or after the delta exists in the state that is read.
    func exists(_ classID: ClassID, _ key: ObjectKey) -> Bool {
        guard let changes = changes.classes[classID] else { return true }
        return !(isAfter ? changes.deletions : changes.insertions).contains(key)
    }

    /// The objects of a class that link to an object, ascending, each as often as it does.
    func holders(of target: ObjectReference, in origin: ClassID, _ link: PropertyID) throws -> [ObjectKey] {
        try reads.backlinks(to: target, from: origin, link)
    }

    /// The objects of the class `target` that an object's property links to.
    func targets(
        of classID: ClassID, _ key: ObjectKey, _ link: PropertyID, in target: ClassID
    ) throws -> [ObjectKey] {
        try reads.value(classID, key, link).linkedKeys(in: target)
    }
}

extension Value {
    /// The objects of a class that a value of a property links to, as often as it does: by links, which lead to that
    /// class, and by references at any depth of a mixed value.
    func linkedKeys(in classID: ClassID) -> [ObjectKey] {
        switch self {
        case .link(let key): [key]
        case .reference(let object): object.classID == classID ? [object.key] : []
        case .list(let elements), .set(let elements): elements.flatMap { $0.linkedKeys(in: classID) }
        case .dictionary(let map): map.entries.flatMap { $0.value.linkedKeys(in: classID) }
        default: []
        }
    }
}
