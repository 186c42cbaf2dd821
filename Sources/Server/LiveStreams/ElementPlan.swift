import HTTPProblems
import JSONCoding
import ViewMaintenance
import LiveQueries
import ObjectCoding
import ObjectModel
import StoreContract
import WireProtocol

/// How the elements of one object's list, set or map are written: values as such, links as their target objects.
struct ElementPlan {
    let holder: ObjectReference
    let property: PropertySchema
    let includesObjects: Bool
    /// The plan for the owner, with only this property.
    let values: RowPlan
    /// The plan for the targets of links; nil for plain values.
    let objects: RowPlan?
    private let answerBytes: @Sendable () -> Int

    /// Throws if a requested class or name is not in the schema.
    init(
        _ key: TopicKey, _ holder: ObjectReference, _ property: PropertyID, _ holderClass: ClassSchema,
        _ schema: Schema, answerBytes: @escaping @Sendable () -> Int
    ) throws {
        self.answerBytes = answerBytes
        guard let property = holderClass[property] else {
            throw StoreError(.unknownProperty, "The observed property was removed from the schema.")
        }
        self.holder = holder
        self.property = property
        includesObjects = key.includesObjects
        values = RowPlan(holderClass, of: schema, properties: [property], style: key.style)
        objects = try property.targetClass.flatMap { schema[$0] }.map {
            try RowPlan(
                $0, of: schema, fields: key.fields, expand: key.expand, style: key.style, isPart: property.ownsTarget)
        }
    }

    private var isMap: Bool { property.type.collection == .map }

    /// Writes `"items"`: an array, or an object for a map.
    func writeItems(_ snapshot: any Snapshot, _ json: JSONWriter) throws {
        json.name(EventField.items)
        if isMap {
            try write(try map(snapshot).entries.map { ($0.key, $0.value) }, snapshot, json)
        } else {
            let range = 0..<(try snapshot.elementCount(holder.classID, holder.key, property.id))
            try write(try snapshot.elements(holder.classID, holder.key, property.id, range), snapshot, json)
        }
    }

    func write(_ change: LiveCollectionChange, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        switch change.difference {
        case .positions(let indices):
            json.positions(
                deletions: indices.deletions, insertions: indices.insertions, modifications: indices.modifications)
            guard includesObjects else { return }
            try json.changedObjects(
                insertions: { try write(try elements(at: indices.insertions, snapshot), snapshot, json) },
                modifications: { try write(try elements(at: indices.modificationsNew, snapshot), snapshot, json) })
        case .keys(let deletions, let insertions, let modifications):
            for (name, keys) in [
                (EventField.deletions, deletions), (EventField.insertions, insertions),
                (EventField.modifications, modifications),
            ] {
                json.name(name)
                json.beginArray()
                for key in keys { json.string(key) }
                json.endArray()
            }
            guard includesObjects else { return }
            let map = change.ownerIsDeleted ? ValueMap() : try map(snapshot)
            try json.changedObjects(
                insertions: { try write(insertions.map { ($0, map[$0] ?? .null) }, snapshot, json) },
                modifications: { try write(modifications.map { ($0, map[$0] ?? .null) }, snapshot, json) })
        }
    }

    private func map(_ snapshot: any Snapshot) throws -> ValueMap {
        guard case .dictionary(let map) = try snapshot.value(holder.classID, holder.key, property.id) else {
            throw Problem.internalError
        }
        return map
    }

    /// Returns the elements at ascending positions, and reads consecutive ones together.
    private func elements(at positions: [Int], _ snapshot: any Snapshot) throws -> [Value] {
        var elements: [Value] = []
        var rest = positions[...]
        while let first = rest.first {
            let run = zip(rest, first...).prefix { $0 == $1 }.count
            elements += try snapshot.elements(holder.classID, holder.key, property.id, first..<first + run)
            rest = rest.dropFirst(run)
        }
        return elements
    }

    private func write(_ elements: [Value], _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        guard objects != nil else { return try values.write(.list(elements), of: property.id, snapshot, into: json) }
        json.beginArray()
        for element in elements { try write(link: element, snapshot, json) }
        json.endArray()
    }

    private func write(_ entries: [(String, Value)], _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        guard objects != nil else {
            return try values.write(.dictionary(ValueMap(entries)), of: property.id, snapshot, into: json)
        }
        json.beginObject()
        for (key, element) in entries {
            json.name(key)
            try write(link: element, snapshot, json)
        }
        json.endObject()
    }

    private func write(link: Value, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        guard let objects, case .link(let key) = link, try snapshot.exists(objects.classID, key) else {
            return json.null()
        }
        try objects.write([key], of: snapshot, into: json, responseLimit: answerBytes())
    }
}
