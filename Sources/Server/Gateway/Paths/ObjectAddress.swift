import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract

/// The key of an object in a path: its primary key, or its object key if the class has no primary key.
enum ObjectAddress: Hashable, Sendable {
    case primaryKey(Value)
    case objectKey(ObjectKey)

    /// Throws 400 for text that is not a valid key of the class.
    init(_ text: String, _ objectClass: ClassSchema) throws(Problem) {
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

    func find(_ objectClass: ClassSchema, in context: any ReadContext) throws -> ObjectKey? {
        switch self {
        case .primaryKey(let value): try context.key(of: objectClass.id, primaryKey: value)
        case .objectKey(let key): try context.exists(objectClass.id, key) ? key : nil
        }
    }

    func notFound(_ objectClass: ClassSchema) -> Problem {
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
        return "/v1/objects/\(percentEncoded(objectClass.name))/\(pathSegment(text))"
    }
}

/// Returns a path segment that clients do not change: they remove `.` and `..` from paths, and some remove empty
/// segments.
func pathSegment(_ text: String) -> String { ["", ".", ".."].contains(text) ? "%FF" + text : percentEncoded(text) }

/// Encodes everything except letters, digits and `-._~` as `%XX`.
func percentEncoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            encoded.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            let hex = String(byte, radix: 16, uppercase: true)
            encoded += byte < 16 ? "%0\(hex)" : "%\(hex)"
        }
    }
    return encoded
}
