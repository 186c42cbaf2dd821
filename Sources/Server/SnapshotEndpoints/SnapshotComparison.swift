import AccessRules
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import StoreContract

/// The differences between two versions as one caller sees them.
struct SnapshotComparison {
    let from: any Snapshot
    let to: any Snapshot
    /// The maximum number of listed objects for each class and kind of difference; the counts include all.
    let limit: Int
    /// The maximum size of the response in bytes.
    let answerBytes: Int

    /// The differences of one class.
    private struct Difference {
        var inserted: [ObjectKey] = []
        var deleted: [ObjectKey] = []
        var modified: [(key: ObjectKey, properties: [String])] = []

        var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }
    }

    /// - Parameter changes: all changes between the versions, possibly more than the caller can see.
    func document(of changes: ChangeSet) throws -> JSONWriter {
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("from")
        json.int(from.version.rawValue)
        json.name("to")
        json.int(to.version.rawValue)
        json.name("schemaChanged")
        json.bool(from.schema != to.schema)
        json.name("classes")
        json.beginArray()
        // The log does not contain the changes of a migration, so all objects are compared.
        var changes = changes.schemaChanged ? try ChangeSet(comparing: from, with: to) : changes
        try IndirectChanges(from: from, to: to).add(
            to: &changes, remade: Set(to.schema.classes.filter { looksDifferent($0) }.map(\.id)))
        for objectClass in to.schema.classes where isListed(objectClass.id) {
            let changed = changes.classes[objectClass.id]
            guard changed != nil || comesAndGoes(objectClass.id) || looksDifferent(objectClass) else { continue }
            let difference = try difference(changed ?? ClassChanges(), objectClass)
            if !difference.isEmpty { try write(difference, objectClass, json) }
        }
        for objectClass in from.schema.classes
        where to.schema[objectClass.id] == nil
            && BoundAccess.of(from)?.isListed(objectClass.id) != false
        {
            let deleted = Difference(deleted: try from.select(BoundQuery(classID: objectClass.id), .all))
            if !deleted.isEmpty { try write(deleted, objectClass, json) }
        }
        json.endArray()
        json.endObject()
        return json
    }

    /// Returns the names of properties whose representation changed for every object of a class because of a schema
    /// change.
    private func namesOfOthers(_ objectClass: ClassSchema) -> [String] {
        guard from.schema != to.schema, let before = from.schema[objectClass.id] else { return [] }
        let changed = objectClass.storedProperties.filter { now in
            guard let then = before[now.id] else { return true }
            return then.name != now.name || then.type != now.type
        }
        let removed = before.storedProperties.filter { objectClass[$0.id] == nil && objectClass[$0.name] == nil }
        return changed.map(\.name) + removed.map(\.name)
    }

    private func looksDifferent(_ objectClass: ClassSchema) -> Bool { !namesOfOthers(objectClass).isEmpty }

    /// Whether objects can become visible or hidden although they were not changed.
    private func comesAndGoes(_ classID: ClassID) -> Bool {
        BoundAccess.of(to)?.dependsOnOthers(classID) ?? false
    }

    /// Whether the class can be listed. Embedded objects that cannot are compared with their owners.
    private func isListed(_ classID: ClassID) -> Bool { BoundAccess.of(to)?.isListed(classID) ?? true }

    private func difference(_ changes: ClassChanges, _ objectClass: ClassSchema) throws -> Difference {
        let id = objectClass.id
        let before = from.schema[id]
        var difference = Difference()
        var keys = changes.insertions.union(changes.deletions).union(changes.modifications.keys)
        let all = BoundQuery(classID: id)
        let others = namesOfOthers(objectClass)
        if !others.isEmpty { keys.formUnion(try to.select(all, .all)) }
        if before != nil, comesAndGoes(id) {
            keys.formUnion(Set(try from.select(all, .all)).symmetricDifference(try to.select(all, .all)))
        }
        for key in keys.sorted() {
            // A change can make an object visible or hidden, so the versions decide, not the log.
            switch (try before != nil && from.exists(id, key), try to.exists(id, key)) {
            case (false, true): difference.inserted.append(key)
            case (true, false): difference.deleted.append(key)
            case (true, true):
                let assigned = try objectClass.storedProperties.filter { property in
                    if others.contains(property.name) { return false }
                    guard changes.modifications[key]?.contains(property.id) == true else { return false }
                    guard before?[property.id]?.type == property.type else { return true }
                    return try from.comparableForm(of: property, id, key) != to.comparableForm(of: property, id, key)
                }
                let names = assigned.map(\.name) + others
                if !names.isEmpty { difference.modified.append((key, names)) }
            case (false, false): break
            }
        }
        return difference
    }

    private func write(_ difference: Difference, _ objectClass: ClassSchema, _ json: JSONWriter) throws {
        json.beginObject()
        json.name("class")
        json.string(objectClass.name)
        json.name("counts")
        json.beginObject()
        for (name, count) in [
            ("inserted", difference.inserted.count), ("deleted", difference.deleted.count),
            ("modified", difference.modified.count),
        ] {
            json.name(name)
            json.int(count)
        }
        json.endObject()
        for (name, keys, snapshot) in [("inserted", difference.inserted, to), ("deleted", difference.deleted, from)] {
            json.name(name)
            json.beginArray()
            for key in keys.prefix(limit) { try write(key, objectClass, snapshot, json) }
            json.endArray()
        }
        json.name("modified")
        json.beginArray()
        for item in difference.modified.prefix(limit) {
            json.beginObject()
            json.name("key")
            try write(item.key, objectClass, to, json)
            json.name("properties")
            json.beginArray()
            for name in item.properties { json.string(name) }
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    /// Writes the primary key, or the object key if the class has none.
    private func write(
        _ key: ObjectKey, _ objectClass: ClassSchema, _ snapshot: any Snapshot, _ json: JSONWriter
    ) throws {
        guard let property = snapshot.schema[objectClass.id]?.primaryKeyProperty else {
            return json.int(key.rawValue)
        }
        json.value(try snapshot.value(objectClass.id, key, property.id))
        guard json.count <= answerBytes else { throw Problem.answerTooLarge(answerBytes) }
    }
}

extension Store {
    /// Returns the changes between two versions. Throws 410 if the change log no longer contains them.
    func changesBetween(_ from: any Snapshot, _ to: any Snapshot) throws -> ChangeSet {
        var merged = ChangeSet(version: from.version)
        guard let all = try changes(after: from.version) else {
            throw Problem(
                .snapshotChangesGone,
                "The changes since version \(from.version) are no longer available. Compare with a newer snapshot.")
        }
        for changes in all where changes.version <= to.version { merged.merge(changes) }
        return merged
    }
}
