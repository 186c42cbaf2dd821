public import Foundation
import ObjectModel

/// A value of any kind that a property can hold.
public enum AnyRealmValue: Hashable {
    case none
    case int(Int)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case object(Object)
    case objectId(ObjectId)
    case decimal128(Decimal128)
    case uuid(UUID)
}

extension AnyRealmValue: RealmCollectionValue, _Persistable, MinMaxType, AddableType, SortableType, _Indexable {
    public typealias PersistedType = AnyRealmValue
    public static var _storedType: _StoredType { _StoredType(.mixed) }
    public static func _zero() -> AnyRealmValue { .none }
    public static func _noSum() -> AnyRealmValue { .decimal128(Decimal128()) }
    public static func _traced(_ trace: _Trace) -> AnyRealmValue { .none }

    public static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> AnyRealmValue {
        switch stored.value {
        case .null: return .none
        case .int(let value): return .int(Int(value))
        case .bool(let value): return .bool(value)
        case .float(let value): return .float(value)
        case .double(let value): return .double(value)
        case .string(let value): return .string(value)
        case .data(let value): return .data(Data(value))
        case .date(let value): return .date(Date(value))
        case .objectId(let value): return .objectId(ObjectId(raw: value))
        case .decimal(let value): return .decimal128(Decimal128(raw: value))
        case .uuid(let value): return .uuid(UUID(value))
        case .reference(let reference):
            guard let realm, let object = try realm.object(reference) as? Object else { return .none }
            return .object(object)
        default: throw Unrepresentable(message: "The stored value '\(stored.value)' is no AnyRealmValue.")
        }
    }

    public func _stored(by adopter: _Adopter) throws -> _Stored {
        switch self {
        case .none: return _Stored(.null)
        case .int(let value): return value._scalar
        case .bool(let value): return value._scalar
        case .float(let value): return value._scalar
        case .double(let value): return value._scalar
        case .string(let value): return value._scalar
        case .data(let value): return value._scalar
        case .date(let value): return value._scalar
        case .object(let value): return _Stored(try adopter.reference(to: value))
        case .objectId(let value): return value._scalar
        case .decimal128(let value): return value._scalar
        case .uuid(let value): return value._scalar
        }
    }
}
