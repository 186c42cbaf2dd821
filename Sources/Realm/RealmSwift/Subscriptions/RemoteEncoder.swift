import JSONCoding
import ObjectModel
import StoreContract

/// Encodes values of the local store for the gateway: links as primary keys, embedded objects inline.
struct RemoteEncoder {
    private let schema: StoredSchema
    private let read: (ObjectReference, PropertyID) throws -> Value

    init(transaction: any WriteTransaction) {
        schema = transaction.schema
        read = { try transaction.value($0.classID, $0.key, $1) }
    }

    /// Encodes values of an earlier state.
    init(_ reads: any ObjectReads) {
        schema = reads.schema
        read = { try reads.value($0.classID, $0.key, $1) }
    }

    /// Encodes the whole value of a property.
    func json(_ value: Value, _ property: PropertySchema) throws -> JSONValue {
        let json = JSONWriter(capacity: 128)
        write(value, property, into: json)
        return try JSONValue.parse(json.bytes)
    }

    private func write(_ value: Value, _ property: PropertySchema, into json: JSONWriter) {
        json.value(value, isMixed: property.type.isMixed) { link in
            switch link {
            case .link(let key):
                guard let target = property.targetClass.flatMap({ schema[$0] }) else { return json.null() }
                if target.isEmbedded { return write(target, key, into: json) }
                writeKey(ObjectReference(target.id, key), into: json)
            case .reference(let target):
                guard let objectClass = schema[target.classID] else { return json.null() }
                json.link(class: objectClass.name) { writeKey(target, into: json) }
            default: json.null()
            }
        }
    }

    private func writeKey(_ object: ObjectReference, into json: JSONWriter) {
        guard let primaryKey = schema[object.classID]?.primaryKeyProperty, let key = try? read(object, primaryKey.id)
        else { return json.null() }
        json.value(key)
    }

    private func write(_ objectClass: ClassSchema, _ key: ObjectKey, into json: JSONWriter) {
        json.beginObject()
        for property in objectClass.storedProperties {
            json.name(property.name)
            write((try? read(ObjectReference(objectClass.id, key), property.id)) ?? .null, property, into: json)
        }
        json.endObject()
    }
}
