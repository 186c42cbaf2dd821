import ObjectModel
import StoreContract
import WriteRequests

/// The object at an address, and the embedded objects in it, while a walk goes back.
struct HistoryTrack {
    private let object: AddressedObject
    private var isKnown = false
    /// The object that the walk's present version left at the address; nil for none.
    private(set) var key: ObjectKey?
    private var parts: Set<ObjectReference> = []

    init(_ object: AddressedObject) { self.object = object }

    /// Whether the present version of a walk made, changed or deleted the object, or changed an embedded object in it.
    /// Cost: the version's changes.
    mutating func isConcerned(by changes: ChangeSet, _ walk: any VersionWalk) throws -> Bool {
        if !isKnown { try adopt(try walk.after()) }
        let own = changes.classes[object.objectClass.id]
        guard let key else { return try own.map { try deletes($0.deletions, walk) } ?? false }
        if own?.insertions.contains(key) == true || own?.modifications[key] != nil { return true }
        guard !parts.isEmpty else { return false }
        return changes.classes.contains { id, part in
            part.modifications.keys.contains { parts.contains(ObjectReference(id, $0)) }
        }
    }

    /// Whether an object with the address is among those that the present version deleted.
    private func deletes(_ keys: Set<ObjectKey>, _ walk: any VersionWalk) throws -> Bool {
        guard !keys.isEmpty else { return false }
        switch object.address {
        case .objectKey(let key): return keys.contains(key)
        case .primaryKey(let value):
            guard let property = object.objectClass.primaryKeyProperty else { return false }
            return try walk.deleted(of: object.objectClass.id, property.id).contains {
                $0.value == value && keys.contains($0.key)
            }
        }
    }

    /// Follows the walk to the state before its present version.
    mutating func goBack(_ walk: any VersionWalk) throws { try adopt(try walk.before()) }

    private mutating func adopt(_ state: any ObjectReads) throws {
        isKnown = true
        key = try object.address.find(object.objectClass, in: state)
        parts = []
        if let key { try addParts(of: ObjectReference(object.objectClass.id, key), in: state) }
    }

    /// The recursion is as deep as embedded classes are nested, which have no cycles.
    private mutating func addParts(of owner: ObjectReference, in state: any ObjectReads) throws {
        for property in state.schema[owner.classID]?.storedProperties ?? [] where property.ownsTarget {
            guard let target = property.targetClass else { continue }
            for key in try state.value(owner.classID, owner.key, property.id).linkedKeys {
                let part = ObjectReference(target, key)
                parts.insert(part)
                try addParts(of: part, in: state)
            }
        }
    }
}
