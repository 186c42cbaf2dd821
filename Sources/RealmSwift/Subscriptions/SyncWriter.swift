import JSONCoding
import ObjectModel
import StoreContract

/// Writes values of the local store as the gateway takes them: links as primary keys, embedded objects within.
struct SyncWriter {
    let transaction: any WriteTransaction

    /// The value of a property as a whole.
    func json(_ value: Value, _ property: PropertySchema) throws -> JSONValue {
        let json = JSONWriter(capacity: 128)
        write(value, property, into: json)
        return try JSONValue.parse(json.bytes)
    }

    private func write(_ value: Value, _ property: PropertySchema, into json: JSONWriter) {
        json.value(value, isMixed: property.type.isMixed) { link in
            switch link {
            case .link(let key):
                guard let target = property.targetClass.flatMap({ transaction.schema[$0] }) else { return json.null() }
                if target.isEmbedded { return write(target, key, into: json) }
                writeKey(ObjectReference(target.id, key), into: json)
            case .reference(let target):
                guard let objectClass = transaction.schema[target.classID] else { return json.null() }
                json.link(class: objectClass.name) { writeKey(target, into: json) }
            default: json.null()
            }
        }
    }

    private func writeKey(_ object: ObjectReference, into json: JSONWriter) {
        if let name = try? transaction.name(of: object) { json.value(name.key) } else { json.null() }
    }

    private func write(_ objectClass: ClassSchema, _ key: ObjectKey, into json: JSONWriter) {
        json.beginObject()
        for property in objectClass.storedProperties {
            json.name(property.name)
            write((try? transaction.value(objectClass.id, key, property.id)) ?? .null, property, into: json)
        }
        json.endObject()
    }
}
