package import ObjectModel
import StoreContract

extension Value {
    /// The value as text for a message; long strings are truncated.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .int(let value): String(value)
        case .float(let value): String(value)
        case .double(let value): String(value)
        case .string(let value): value.shortened()
        case .date(let value): value.rfc3339
        case .objectId(let value): value.hex
        case .uuid(let value): value.text
        case .link(let value): "object \(value.rawValue)"
        case .data, .decimal, .reference, .list, .set, .dictionary, .embedded: typeName
        }
    }
}
