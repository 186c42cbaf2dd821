package import HTTPServer
package import JSONCoding
package import ObjectCoding
package import ObjectModel
package import StoreContract
import WireProtocol

/// The key of an object in a path: its primary key, or its object key if the class has no primary key.
package enum ObjectAddress: Hashable, Sendable {
    case primaryKey(Value)
    case objectKey(ObjectKey)

    /// Throws 400 for text that is not a valid key of the class.
    package init(_ text: String, _ objectClass: ClassSchema) throws(Problem) {
        let type = objectClass.primaryKeyProperty?.type ?? PropertyType(.int)
        guard let value = ValueCoding.decode(keyText: text, as: type) else {
            let name = objectClass.primaryKey.map { "The key '\($0)' of a" } ?? "The object key of a"
            throw Problem(
                .objectInvalidKey,
                "\(name) \(objectClass.name) is \(PropertyType(type.base).inWords), not '\(text)'.",
                property: objectClass.primaryKey)
        }
        if objectClass.primaryKey == nil, case .int(let number) = value {
            self = .objectKey(ObjectKey(number))
        } else {
            self = .primaryKey(value)
        }
    }

    package func find(_ objectClass: ClassSchema, in context: any ReadContext) throws -> ObjectKey? {
        try find(objectClass.id, in: context)
    }

    package func find(_ classID: ClassID, in context: any ReadContext) throws -> ObjectKey? {
        switch self {
        case .primaryKey(let value): try context.key(of: classID, primaryKey: value)
        case .objectKey(let key): try context.exists(classID, key) ? key : nil
        }
    }

    package func notFound(_ objectClass: ClassSchema) -> Problem {
        let what =
            switch self {
            case .primaryKey(let value): "the primary key \(keyText(of: value))"
            case .objectKey(let key): "the key \(key.rawValue)"
            }
        return Problem(
            StoreError.Code.notFound, "There is no \(objectClass.name) with \(what).")
    }

    /// Returns the path of an object.
    static func path(_ objectClass: ClassSchema, _ key: ObjectKey, _ primaryKey: Value?) -> String {
        let text =
            switch primaryKey {
            case nil: String(key.rawValue)
            case .int(let value)?: String(value)
            case .string(let value)?: value
            case .objectId(let value)?: value.hex
            case .uuid(let value)?: value.text
            case let other?: keyText(of: other)
            }
        return "/v1/objects/\(Endpoint.encoded(objectClass.name))/\(pathSegment(text))"
    }
}

/// Returns a path segment that clients do not change: they remove `.` and `..` from paths, and some remove empty
/// segments.
func pathSegment(_ text: String) -> String { ["", ".", ".."].contains(text) ? "%FF" + text : Endpoint.encoded(text) }

/// The class and key in a path.
package struct AddressedObject: Sendable {
    let schema: Schema
    package let objectClass: ClassSchema
    package let address: ObjectAddress

    package init(_ path: PathParameters, _ snapshot: any Snapshot) throws(Problem) {
        try self.init(path, snapshot.schema)
    }

    init(_ path: PathParameters, _ schema: Schema) throws(Problem) {
        self.schema = schema
        objectClass = try schema.named(path["class"] ?? "")
        address = try ObjectAddress(path["key"] ?? "", objectClass)
    }
}

extension AddressedObject {
    /// Returns the body without the `$key` that reads of a class without primary key include, so that the result of a
    /// read can be sent back. Throws 409 if it is not the path's.
    package func withoutObjectKey(_ body: JSONValue) throws(Problem) -> JSONValue {
        guard case .objectKey(let key) = address, case .object(var object) = body, let given = object["$key"] else {
            return body
        }
        guard given == .int(key.rawValue) else {
            throw Problem(
                StoreError.Code.keyImmutable,
                "The body's '$key' is \(given.inWords), the path's \(key.rawValue). Leave it out of the body.",
                property: "$key")
        }
        object.members.removeAll { $0.name == "$key" }
        return .object(object)
    }

    /// Adds the primary key of the path to the body of a `PUT`. Throws 409 if the body has another.
    package func adoptKey(_ input: inout ObjectInput) throws(Problem) {
        guard let property = objectClass.primaryKeyProperty, case .primaryKey(let key) = address else { return }
        if let given = input.values[property.id], given != key {
            throw Problem(
                StoreError.Code.keyImmutable,
                "The body's '\(property.name)' is \(keyText(of: given)), the path's \(keyText(of: key)). Leave it out of the body.",
                property: property.name)
        }
        input.values[property.id] = key
    }
}
