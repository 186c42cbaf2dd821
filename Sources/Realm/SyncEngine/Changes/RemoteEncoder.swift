import JSONCoding
import ObjectModel
import StoreContract
import WireProtocol

/// Encodes values of the local store for the gateway: links as primary keys, embedded objects inline.
struct RemoteEncoder {
    private let context: any ReadContext
    private let schema: Schema

    init(_ context: any ReadContext) {
        self.context = context
        schema = context.schema
    }

    /// Encodes the whole value of a property.
    func json(_ value: Value, _ property: PropertySchema) -> JSONValue {
        JSONValue(value, isMixed: property.type.isMixed) { link in
            switch link {
            case .link(let key):
                guard let target = property.targetClass.flatMap({ schema[$0] }) else { return .null }
                return target.isEmbedded ? json(target, key) : json(keyOf: ObjectReference(target.id, key))
            case .reference(let target):
                guard let objectClass = schema[target.classID] else { return .null }
                return .link(class: objectClass.name, key: json(keyOf: target))
            default: return .null
            }
        }
    }

    /// Encodes one element of a list.
    func element(_ value: Value, _ property: PropertySchema) -> JSONValue {
        json(.list([value]), property).elements.first ?? .null
    }

    private func json(keyOf object: ObjectReference) -> JSONValue {
        guard let primaryKey = schema[object.classID]?.primaryKeyProperty,
            let key = try? context.value(object, primaryKey.id)
        else { return .null }
        return JSONValue(key) { _ in .null }
    }

    /// Encodes an embedded object.
    private func json(_ objectClass: ClassSchema, _ key: ObjectKey) -> JSONValue {
        .object(
            JSONObject(
                objectClass.storedProperties.map { property in
                    let value = (try? context.value(objectClass.id, key, property.id)) ?? .null
                    return .init(name: property.name, value: json(value, property))
                }))
    }
}
