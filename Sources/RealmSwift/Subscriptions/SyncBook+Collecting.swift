import Foundation
import JSONCoding
import ObjectModel
import StoreContract

extension SyncBook {
    /// Most operations of one upload; the gateway takes 10,000.
    private static let largest = 5_000

    /// Turns what was committed here since the last work into uploads: called at the beginning of each work, whose
    /// transaction shows the state that those commits left. Gives false when the change log does not reach back that far.
    mutating func collect(_ store: any Store, _ transaction: any WriteTransaction) throws -> Bool {
        let last = Version(transaction.version.rawValue - 1)
        guard last > scanned else { return true }
        guard let commits = try store.changes(after: scanned) else { return false }
        var merged = ChangeSet(version: scanned)
        for commit in commits where commit.version <= last { merged.merge(commit) }
        guard !merged.classes.isEmpty else { return true }
        var changes = SyncChanges(transaction, Set(queries.map(\.className)).union(memberClasses.values))
        try changes.read(merged)
        let deleted = try changes.deletedKeys.isEmpty ? [] : names(changes.deletedKeys, at: scanned, store, transaction)
        let operations = try changes.operations(deleting: deleted) { object, property in
            if case .object(let values)? = unresolved[object] { values[property] } else { nil }
        }
        guard !operations.isEmpty else { return true }
        for start in stride(from: 0, to: operations.count, by: Self.largest) {
            let part = Array(operations[start..<min(start + Self.largest, operations.count)])
            var upload = Upload(number: number(), idempotencyKey: UUID().uuidString, operations: part, touched: [:])
            for operation in part { upload.touched[operation.object] = changes.touched[operation.object] }
            add(upload)
        }
        for (object, touch) in changes.touched { try forgetLinks(object, touch, transaction) }
        return true
    }

    /// What was assigned here does not lead to missing objects any more; what was created here may be missed.
    private mutating func forgetLinks(
        _ object: SyncObject, _ touch: Upload.Touch, _ transaction: any WriteTransaction
    ) throws {
        switch touch {
        case .created: try resolve(waitingFor: object, transaction)
        case .deleted: unresolved[object] = nil
        case .modified(let names):
            for name in names where transaction.schema[object.className]?[name]?.type.collection == .single {
                note(nil, name, of: object)
            }
        }
    }

    /// What objects were called that are no more.
    private func names(
        _ objects: [ObjectReference], at version: Version, _ store: any Store, _ transaction: any WriteTransaction
    ) throws -> [SyncObject] {
        if let past = try store.past(at: version, before: store.snapshot()) {
            return try objects.compactMap { object in
                guard let objectClass = transaction.schema[object.classID],
                    let primaryKey = objectClass.primaryKeyProperty,
                    try past.reads.exists(object.classID, object.key)
                else { return nil }
                return SyncObject(
                    objectClass.name, try past.reads.value(object.classID, object.key, primaryKey.id))
            }
        }
        // Not what was there, but what should be: members that are neither here nor known to be deleted.
        var found: Set<SyncObject> = []
        for classID in Set(objects.map(\.classID)) {
            guard let className = transaction.schema[classID]?.name else { continue }
            for (number, list) in members where memberClasses[number] == className {
                for key in list.keys where try transaction.key(of: classID, primaryKey: key) == nil {
                    let object = SyncObject(className, key)
                    if pending(object, at: 0) != .deleted { found.insert(object) }
                }
            }
        }
        return Array(found)
    }
}

/// What local commits did, as operations of the gateway's transactions.
private struct SyncChanges {
    let transaction: any WriteTransaction
    private let schema: StoredSchema
    private let writer: SyncWriter
    /// The classes that are followed.
    private let classNames: Set<String>
    private(set) var touched: [SyncObject: Upload.Touch] = [:]
    private(set) var deletedKeys: [ObjectReference] = []
    private var created: [ObjectReference] = []
    private var modified: [ObjectReference: [PropertyID: CollectionEdit?]] = [:]

    init(_ transaction: any WriteTransaction, _ classNames: Set<String>) {
        self.transaction = transaction
        self.classNames = classNames
        schema = transaction.schema
        writer = SyncWriter(transaction: transaction)
    }

    mutating func read(_ changes: ChangeSet) throws {
        for (classID, changes) in changes.classes.sorted(by: { $0.key < $1.key }) {
            guard let objectClass = schema[classID] else { continue }
            if objectClass.isEmbedded {
                for key in changes.insertions.union(changes.modifications.keys) {
                    try noteOwner(of: ObjectReference(classID, key), objectClass)
                }
                continue
            }
            guard objectClass.primaryKey != nil, classNames.contains(objectClass.name) else { continue }
            created += changes.insertions.sorted().map { ObjectReference(classID, $0) }
            deletedKeys += changes.deletions.sorted().map { ObjectReference(classID, $0) }
            for (key, properties) in changes.modifications {
                for property in objectClass.storedProperties where properties.contains(property.id) {
                    modified[ObjectReference(classID, key), default: [:]][property.id] =
                        changes.edits[key]?[property.id]
                }
            }
        }
        let new = Set(created)
        modified = modified.filter { !new.contains($0.key) }
    }

    /// A change of an embedded object is one of the property that it belongs to.
    private mutating func noteOwner(of object: ObjectReference, _ objectClass: ClassSchema) throws {
        guard let any = objectClass.properties.first,
            try transaction.exists(object.classID, object.key),
            let (owner, property) = try transaction.owner(of: object, any), owner != object,
            let className = schema[owner.classID]?.name, classNames.contains(className)
        else { return }
        modified[owner, default: [:]][property.id] = .some(nil)
    }

    /// Deletions first, then new objects without their links, then all that may link to them.
    ///
    /// - Parameter hidden: what the gateway has at a property that has links to objects that are not here.
    mutating func operations(
        deleting deleted: [SyncObject], hidden: (SyncObject, String) -> JSONValue?
    ) throws -> [Upload.Operation] {
        var operations: [Upload.Operation] = []
        for object in deleted {
            operations.append(Upload.Operation(object: object, json: ["op": "delete", "object": object.address]))
            touched[object] = .deleted
        }
        var links: [Upload.Operation] = []
        for place in created {
            guard let object = try transaction.name(of: place), let objectClass = schema[place.classID] else {
                continue
            }
            touched[object] = .created
            var own = JSONObject()
            var further = JSONObject()
            for property in objectClass.storedProperties {
                let value = try transaction.value(place.classID, place.key, property.id)
                let leads = property.type.isLink || (property.type.isMixed && value.leadsSomewhere)
                if leads, value == property.type.zeroValue { continue }
                let member = JSONObject.Member(name: property.name, value: try writer.json(value, property))
                if leads { further.members.append(member) } else { own.members.append(member) }
            }
            operations.append(
                Upload.Operation(
                    object: object,
                    json: [
                        "op": "create", "class": .string(objectClass.name), "value": .object(own),
                        "update": "modified",
                    ]))
            if !further.members.isEmpty {
                links.append(
                    Upload.Operation(
                        object: object, json: ["op": "set", "object": object.address, "value": .object(further)]))
            }
        }
        operations += links
        for (place, properties) in modified.sorted(by: { $0.key < $1.key }) {
            guard try transaction.exists(place.classID, place.key), let object = try transaction.name(of: place),
                let objectClass = schema[place.classID]
            else { continue }
            operations += try edits(object, objectClass, place, properties, hidden)
        }
        return operations
    }

    private mutating func edits(
        _ object: SyncObject, _ objectClass: ClassSchema, _ place: ObjectReference,
        _ properties: [PropertyID: CollectionEdit?], _ hidden: (SyncObject, String) -> JSONValue?
    ) throws -> [Upload.Operation] {
        var assigned = JSONObject()
        var edits: [JSONValue] = []
        var names: Set<String> = []
        for property in objectClass.storedProperties {
            guard let edit = properties[property.id], property.name != objectClass.primaryKey else { continue }
            names.insert(property.name)
            let value = try transaction.value(place.classID, place.key, property.id)
            if let edit, !property.ownsTarget, let parts = try operations(edit, value, property, object) {
                edits += parts
                continue
            }
            var json = try writer.json(value, property)
            if property.type.collection == .list, let all = hidden(object, property.name) {
                json = try merged(json, into: all, property)
            }
            assigned.members.append(.init(name: property.name, value: json))
        }
        touched[object] = .modified(names)
        if !assigned.members.isEmpty {
            edits.insert(["op": "set", "object": object.address, "value": .object(assigned)], at: 0)
        }
        return edits.map { Upload.Operation(object: object, json: $0) }
    }

    /// An edit of a collection by its elements; nil for one that only the whole can tell.
    private func operations(
        _ edit: CollectionEdit, _ value: Value, _ property: PropertySchema, _ object: SyncObject
    ) throws -> [JSONValue]? {
        func operation(_ name: String, _ more: [(String, JSONValue)]) -> JSONValue {
            let members: [(String, JSONValue)] =
                [("op", .string(name)), ("object", object.address), ("property", .string(property.name))] + more
            return .object(JSONObject(members.map { .init(name: $0.0, value: $0.1) }))
        }
        switch (edit, value) {
        case (.list(let edit), .list(let elements)):
            let count = edit.insertions.count
            guard edit.deletions.isEmpty, edit.modifications.isEmpty, edit.moves.isEmpty, count > 0,
                edit.insertions.runs == [elements.count - count..<elements.count]
            else { return nil }
            let new = try writer.json(.list(Array(elements.suffix(count))), property)
            return [operation("append", [("value", new)])]
        case (.set(let edit), .set):
            // What was deleted left all sets.
            let gone = try edit.deletions.filter { try stillExists($0, property) }
            let removals = try writer.json(.set(Array(gone)), property).elements
            var parts = removals.map { operation("remove", [("value", $0)]) }
            if !edit.insertions.isEmpty {
                let new = try edit.insertions.filter { try stillExists($0, property) }
                parts.append(operation("add", [("value", try writer.json(.set(Array(new)), property))]))
            }
            return parts
        case (.map(let edit), .dictionary(let map)):
            let put = edit.insertions.union(edit.modifications)
            var parts = edit.deletions.subtracting(put).sorted().map {
                operation("remove", [("mapKey", .string($0.text))])
            }
            for key in put.sorted() {
                guard let value = map[key.text] else { continue }
                let json = try writer.json(.dictionary(ValueMap([(key.text, value)])), property)
                guard case .object(let object) = json, let member = object.members.first else { return nil }
                parts.append(operation("put", [("mapKey", .string(key.text)), ("value", member.value)]))
            }
            return parts
        default: return nil
        }
    }

    private func stillExists(_ value: Value, _ property: PropertySchema) throws -> Bool {
        switch value {
        case .link(let key):
            guard let target = property.targetClass else { return false }
            return try transaction.exists(target, key)
        case .reference(let target): return try transaction.exists(target.classID, target.key)
        default: return true
        }
    }

    /// A list with the elements that are not here, each behind the one that it stood behind.
    private func merged(_ json: JSONValue, into all: JSONValue, _ property: PropertySchema) throws -> JSONValue {
        var anchored: [JSONValue: [JSONValue]] = [:]
        var first: [JSONValue] = []
        var last: JSONValue?
        for element in all.elements {
            var row = SyncRow(transaction)
            _ = try row.value(.array([element]), property)
            if row.missing.isEmpty {
                last = element
            } else if let last {
                anchored[last, default: []].append(element)
            } else {
                first.append(element)
            }
        }
        var result = first
        for element in json.elements {
            result.append(element)
            result += anchored.removeValue(forKey: element) ?? []
        }
        for element in all.elements { result += anchored.removeValue(forKey: element) ?? [] }
        return .array(result)
    }
}

extension SyncObject {
    /// As operations name it.
    var address: JSONValue { ["class": .string(className), "key": keyJSON] }
}

extension Value {
    /// Whether there is a link in it.
    fileprivate var leadsSomewhere: Bool {
        switch self {
        case .link, .reference, .embedded: true
        case .list(let elements), .set(let elements): elements.contains(where: \.leadsSomewhere)
        case .dictionary(let map): map.entries.contains { $0.value.leadsSomewhere }
        default: false
        }
    }
}
