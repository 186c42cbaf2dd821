import Basics
import JSONCoding
import ObjectModel
import StoreContract
import WireProtocol

/// Encodes the changes of local commits as operations of the gateway's transactions.
struct LocalChangeEncoder {
    let transaction: any WriteTransaction
    let schema: Schema
    let writer: RemoteEncoder
    /// The state before the commits; nil if the change log does not contain it.
    let before: (any ObjectReads)?
    /// The classes that have subscriptions.
    private let classNames: Set<String>
    private(set) var touched: [SyncObject: Upload.Touch] = [:]
    private(set) var deletedKeys: [ObjectReference] = []
    private var created: [ObjectReference] = []
    private var modified: [ObjectReference: [PropertyID: CollectionEdit?]] = [:]
    /// The changed embedded objects that existed before, by their top-level owner.
    private var parts: [ObjectReference: [Part]] = [:]
    /// The new objects, including embedded ones.
    private var new: Set<ObjectReference> = []

    /// An embedded object with changed properties.
    private struct Part {
        var object: ObjectReference
        /// The steps from the object with a primary key.
        var way: [SyncStep]
        var properties: [PropertyID: CollectionEdit?]
    }

    /// The values that are sent as a whole, so that edits within them are not sent again.
    private struct Whole {
        var properties: [ObjectReference: Set<PropertyID>] = [:]
        var embedded: Set<ObjectReference> = []

        func has(_ step: SyncStep) -> Bool {
            embedded.contains(step.object) || properties[step.holder]?.contains(step.property.id) == true
        }

        /// Records embedded objects that were moved: they are sent as a whole.
        mutating func take(_ edit: CollectionEdit, _ value: Value, _ property: PropertySchema) {
            guard property.ownsTarget, let target = property.targetClass, case .list(let edit) = edit,
                case .list(let elements) = value
            else { return }
            for index in edit.insertions.runs.joined() where elements.indices.contains(index) {
                if case .link(let key) = elements[index] { embedded.insert(ObjectReference(target, key)) }
            }
        }
    }

    init(_ transaction: any WriteTransaction, _ classNames: Set<String>, before: (any ObjectReads)?) {
        self.transaction = transaction
        self.before = before
        self.classNames = classNames
        schema = transaction.schema
        writer = RemoteEncoder(transaction)
    }

    mutating func read(_ changes: ChangeSet) throws {
        for (classID, changes) in changes.classes {
            for key in changes.insertions { new.insert(ObjectReference(classID, key)) }
        }
        for (classID, changes) in changes.classes.sorted(by: { $0.key < $1.key }) {
            guard let objectClass = schema[classID], !objectClass.isEmbedded, objectClass.primaryKey != nil,
                classNames.contains(objectClass.name)
            else { continue }
            created += changes.insertions.sorted().map { ObjectReference(classID, $0) }
            deletedKeys += changes.deletions.sorted().map { ObjectReference(classID, $0) }
            for (key, properties) in changes.modifications {
                let object = ObjectReference(classID, key)
                guard !new.contains(object) else { continue }
                modified[object] = edits(properties, changes.edits[key], objectClass)
            }
        }
        for (classID, changes) in changes.classes.sorted(by: { $0.key < $1.key }) {
            guard let objectClass = schema[classID], objectClass.isEmbedded else { continue }
            for (key, properties) in changes.modifications.sorted(by: { $0.key < $1.key }) {
                let object = ObjectReference(classID, key)
                try note(object, edits(properties, changes.edits[key], objectClass))
            }
        }
    }

    private func edits(
        _ properties: PropertySet, _ edits: PropertyEdits?, _ objectClass: ClassSchema
    ) -> [PropertyID: CollectionEdit?] {
        var result: [PropertyID: CollectionEdit?] = [:]
        for property in objectClass.storedProperties where properties.contains(property.id) {
            result[property.id] = .some(edits?[property.id])
        }
        return result
    }

    /// Records a change of an embedded object, unless its owner is sent as a whole.
    private mutating func note(_ object: ObjectReference, _ properties: [PropertyID: CollectionEdit?]) throws {
        guard let (owner, way) = try way(to: object), let className = schema[owner.classID]?.name,
            classNames.contains(className)
        else { return }
        parts[owner, default: []].append(Part(object: object, way: way, properties: properties))
    }

    /// Returns the owner with a primary key, and the steps from there to an embedded object; nil if one of them is new.
    private func way(to object: ObjectReference) throws -> (ObjectReference, [SyncStep])? {
        var way: [SyncStep] = []
        var object = object
        while schema[object.classID]?.isEmbedded == true {
            guard !new.contains(object), let (holder, property) = try holder(of: object) else { return nil }
            guard let step = try SyncStep(from: holder, property, to: object, self) else { return nil }
            way.insert(step, at: 0)
            object = holder
        }
        return new.contains(object) ? nil : (object, way)
    }

    private func holder(of object: ObjectReference) throws -> (ObjectReference, PropertySchema)? {
        for origin in schema.classes {
            for property in origin.storedProperties where property.ownsTarget && property.targetClass == object.classID
            {
                guard let key = try transaction.backlinks(to: object.key, from: origin.id, property.id).first else {
                    continue
                }
                return (ObjectReference(origin.id, key), property)
            }
        }
        return nil
    }

    /// Returns the operations: deletions first, then new objects without links, then everything that may link to them.
    ///
    /// - Parameter hidden: returns the gateway's value of a property that links to objects missing here.
    mutating func operations(
        deleting deleted: [SyncObject], hidden: (SyncObject, String) -> JSONValue?
    ) throws -> [Upload.Operation] {
        var operations: [Upload.Operation] = []
        for object in deleted {
            operations.append(Upload.Operation(object: object, sent: .delete(object.target)))
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
                let member = JSONObject.Member(name: property.name, value: writer.json(value, property))
                if leads { further.members.append(member) } else { own.members.append(member) }
            }
            operations.append(
                Upload.Operation(
                    object: object,
                    sent: .create(
                        .init(className: objectClass.name, value: .object(own), policy: .modified))))
            if !further.members.isEmpty {
                links.append(
                    Upload.Operation(
                        object: object, sent: .set(.init(object.target), value: .object(further))))
            }
        }
        operations += links
        for place in Set(modified.keys).union(parts.keys).sorted() {
            guard try transaction.exists(place.classID, place.key), let object = try transaction.name(of: place),
                let objectClass = schema[place.classID]
            else { continue }
            var names: Set<String> = []
            var whole = Whole()
            var own: [TransactionOperation] = []
            if let properties = modified[place] {
                own += try edits(object, objectClass, place, [], properties, &whole) { hidden(object, $0) }
                names.formUnion(objectClass.storedProperties.filter { properties[$0.id] != nil }.map(\.name))
            }
            // Owners come before the objects embedded in them.
            for part in (parts[place] ?? []).sorted(by: { $0.way.count < $1.way.count }) {
                guard let first = part.way.first, let partClass = schema[part.object.classID] else { continue }
                names.insert(first.property.name)
                if part.way.contains(where: whole.has) { continue }
                own += try edits(object, partClass, part.object, part.way, part.properties, &whole) { _ in nil }
            }
            names.remove(objectClass.primaryKey ?? "")
            guard !names.isEmpty else { continue }
            touched[object] = .modified(names)
            operations += own.map { Upload.Operation(object: object, sent: $0) }
        }
        return operations
    }

    /// Returns the operations for the changed properties of an object or of an object embedded in it.
    ///
    /// - Parameter whole: records the values that are sent as a whole.
    private func edits(
        _ object: SyncObject, _ objectClass: ClassSchema, _ place: ObjectReference, _ way: [SyncStep],
        _ properties: [PropertyID: CollectionEdit?], _ whole: inout Whole, hidden: (String) -> JSONValue?
    ) throws -> [TransactionOperation] {
        var assigned = JSONObject()
        var edits: [(PropertySchema, [TransactionOperation.Change])] = []
        for property in objectClass.storedProperties {
            guard let edit = properties[property.id], property.name != objectClass.primaryKey else { continue }
            let value = try transaction.value(place.classID, place.key, property.id)
            if let edit, let parts = try parts(of: edit, value, property, place) {
                edits.append((property, parts))
                whole.take(edit, value, property)
                continue
            }
            whole.properties[place, default: []].insert(property.id)
            var json = writer.json(value, property)
            if property.type.collection == .list, let all = hidden(property.name) {
                json = try merged(json, into: all, property)
            }
            assigned.members.append(.init(name: property.name, value: json))
        }
        // An embedded object is identified by its values, except those that the preceding operation has changed.
        let changed = Set(properties.keys)
        var isFirst = true
        func subject() -> TransactionOperation.Subject {
            defer { isFirst = false }
            return .init(
                object.target,
                path: way.enumerated().flatMap { index, step in
                    step.parts(without: index == way.count - 1 && !isFirst ? changed : [])
                })
        }
        var operations: [TransactionOperation] = []
        if !assigned.members.isEmpty { operations.append(.set(subject(), value: .object(assigned))) }
        for (property, parts) in edits {
            operations += parts.map { .edit(.init(subject(), property.name, $0)) }
        }
        return operations
    }

    /// Returns the operations for the edited elements of a collection, each as its name and arguments; nil if the
    /// collection must be sent as a whole.
    private func parts(
        of edit: CollectionEdit, _ value: Value, _ property: PropertySchema, _ place: ObjectReference
    ) throws -> [TransactionOperation.Change]? {
        switch (edit, value) {
        case (.list(let edit), .list(let elements)):
            let old = try before.map { try $0.value(place.classID, place.key, property.id) }
            return try SyncListEdit(edit, old, elements, property, self).parts()
        case (.set(let edit), .set):
            // Deleted objects have already left all sets.
            let gone = try edit.deletions.filter { try stillExists($0, property) }
            var parts = writer.json(.set(Array(gone)), property).elements.map {
                TransactionOperation.Change.removeValue($0)
            }
            let new = try edit.insertions.filter { try stillExists($0, property) }
            if !new.isEmpty { parts.append(.add(writer.json(.set(Array(new)), property))) }
            return parts
        case (.map(let edit), .dictionary(let map)):
            let put = Set(edit.insertions).union(edit.modifications)
            var parts = edit.deletions.ascending.filter { !put.contains($0) }.map {
                TransactionOperation.Change.removeKey($0.text)
            }
            for key in put.sorted() {
                guard let value = map[key.text] else { continue }
                parts.append(.put(key: key.text, writer.element(value, property)))
            }
            return parts
        default: return nil
        }
    }

    func stillExists(_ value: Value, _ property: PropertySchema) throws -> Bool {
        switch value {
        case .link(let key):
            guard let target = property.targetClass else { return false }
            return try transaction.exists(target, key)
        case .reference(let target): return try transaction.exists(target.classID, target.key)
        default: return true
        }
    }

    /// Inserts the elements that are missing here into a list, each behind the element that it followed.
    private func merged(_ json: JSONValue, into all: JSONValue, _ property: PropertySchema) throws -> JSONValue {
        var anchored: [JSONValue: [JSONValue]] = [:]
        var first: [JSONValue] = []
        var last: JSONValue?
        for element in all.elements {
            var row = RemoteDecoder(transaction)
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
    /// The object as operations refer to it.
    var target: TransactionOperation.Target { .object(className: className, key: keyJSON) }
}

extension Value {
    /// Whether the value contains a link.
    fileprivate var leadsSomewhere: Bool {
        switch self {
        case .link, .reference, .embedded: true
        case .list(let elements), .set(let elements): elements.contains(where: \.leadsSomewhere)
        case .dictionary(let map): map.entries.contains { $0.value.leadsSomewhere }
        default: false
        }
    }
}
