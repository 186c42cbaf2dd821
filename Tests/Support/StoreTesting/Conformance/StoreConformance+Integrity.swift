import Basics
package import ObjectModel
import QueryLanguage
package import StoreContract

extension StoreConformance {
    /// The invariants of every version of every store: links lead to objects that exist, an embedded object has one
    /// owner, sets and maps are in order without duplicates, values fit their types.
    package static func checkIntegrity(_ snapshot: any Snapshot) throws {
        var owners: [ObjectReference: Int] = [:]
        for objectClass in snapshot.schema.classes {
            for key in try snapshot.select(BoundQuery(classID: objectClass.id), .all) {
                for property in objectClass.storedProperties {
                    let value = try snapshot.value(objectClass.id, key, property.id)
                    let name = "'\(objectClass.name).\(property.name)' of \(key.rawValue)"
                    try require(property.type.accepts(value), "\(name) holds \(value)")
                    try checkOrder(value, name)
                    try checkReferences(value, snapshot, name)
                    guard let target = property.targetClass else { continue }
                    for linked in value.linkedKeys {
                        try require(try snapshot.exists(target, linked), "\(name) links to \(linked), which is deleted")
                        if property.ownsTarget { owners[ObjectReference(target, linked), default: 0] += 1 }
                    }
                }
            }
        }
        for objectClass in snapshot.schema.classes where objectClass.isEmbedded {
            for key in try snapshot.select(BoundQuery(classID: objectClass.id), .all) {
                try requireEqual(
                    owners[ObjectReference(objectClass.id, key)] ?? 0, 1, "owners of \(objectClass.name) \(key)")
            }
        }
    }

    private static func checkOrder(_ value: Value, _ name: String) throws {
        switch value {
        case .set(let elements):
            try require(
                zip(elements, elements.dropFirst()).allSatisfy { Value.order($0, $1) < 0 },
                "\(name) is a set in order: \(elements)")
        case .dictionary(let map):
            try require(
                zip(map.entries, map.entries.dropFirst()).allSatisfy { Value.orderBytes($0.key, $1.key) < 0 },
                "\(name) is a map in order: \(map)")
        default: break
        }
    }

    private static func checkReferences(_ value: Value, _ snapshot: any Snapshot, _ name: String) throws {
        if case .reference(let target) = value {
            try require(
                try snapshot.exists(target.classID, target.key), "\(name) refers to \(target), which is deleted")
        }
        for element in value.elements { try checkReferences(element, snapshot, name) }
    }

    /// Checks that a change set, or several merged, describes the changes between two versions.
    package static func check(
        _ changes: ChangeSet, from before: any Snapshot, to after: any Snapshot
    ) throws {
        for objectClass in after.schema.classes {
            let all = BoundQuery(classID: objectClass.id)
            let old = Set(try before.select(all, .all))
            let new = Set(try after.select(all, .all))
            let said = changes.classes[objectClass.id] ?? ClassChanges()
            try requireEqual(said.insertions, new.subtracting(old), "insertions of \(objectClass.name)")
            try requireEqual(said.deletions, old.subtracting(new), "deletions of \(objectClass.name)")
            for key in old.intersection(new) {
                for property in objectClass.storedProperties {
                    let name = "'\(objectClass.name).\(property.name)' of \(key.rawValue)"
                    let (left, right) = (
                        try before.value(objectClass.id, key, property.id),
                        try after.value(objectClass.id, key, property.id)
                    )
                    let isModified = said.modifications[key]?.contains(property.id) ?? false
                    try require(isModified || left == right, "\(name) changed and is not in the change set")
                    let edit = said.edits[key]?[property.id]
                    if let edit {
                        try require(isModified && !edit.isEmpty, "the edit of \(name) is one: \(edit)")
                    }
                    guard property.type.isCollection else { continue }
                    try require(
                        describes(edit, left, right),
                        "the edit of \(name) leads from \(left) to \(right): \(edit as Any)")
                }
            }
            try require(
                Set(said.modifications.keys).isSubset(of: old.intersection(new)),
                "modified objects of \(objectClass.name) are there before and after")
        }
    }

    private static func describes(_ edit: CollectionEdit?, _ before: Value, _ after: Value) -> Bool {
        switch (edit, before, after) {
        case (nil, _, _): return before == after
        case (.list(let edit), .list(let old), .list(let new)):
            let kept = old.indices.filter { !edit.deletions.contains($0) }
            let stayed = new.indices.filter { !edit.insertions.contains($0) }
            guard kept.count == stayed.count, edit.deletions.runs.last.map({ $0.upperBound <= old.count }) ?? true,
                edit.insertions.runs.last.map({ $0.upperBound <= new.count }) ?? true
            else { return false }
            return zip(kept, stayed).allSatisfy { old[$0] == new[$1] || edit.modifications.contains($1) }
                && edit.modifications.indices.allSatisfy { stayed.contains($0) }
        case (.set(let edit), .set(let old), .set(let new)):
            return Set(edit.deletions) == Set(old).subtracting(new) && Set(edit.insertions) == Set(new).subtracting(old)
        case (.map(let edit), .dictionary(let old), .dictionary(let new)):
            let (oldKeys, newKeys) = (
                Set(old.entries.map { MapKey($0.key) }), Set(new.entries.map { MapKey($0.key) })
            )
            let (gone, come, changed) = (Set(edit.deletions), Set(edit.insertions), Set(edit.modifications))
            let again = gone.intersection(come)
            let stayed = oldKeys.intersection(newKeys).subtracting(again)
            return gone.subtracting(again) == oldKeys.subtracting(newKeys)
                && come.subtracting(again) == newKeys.subtracting(oldKeys)
                && again.isSubset(of: oldKeys.intersection(newKeys)) && changed.isSubset(of: stayed)
                && stayed.allSatisfy { old[$0.text] == new[$0.text] || changed.contains($0) }
        default: return false
        }
    }
}
