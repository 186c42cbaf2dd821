public import Foundation
import ObjectModel

/// A value of any type that a property can hold, except sets and embedded objects.
///
/// Two values are equal if they have the same case and equal contents, although the database compares numbers of
/// different types by value. Lists and dictionaries may be nested about a hundred levels deep. Those of a managed
/// object show the stored ones and can be edited within a write; each edit costs as much as writing the property's
/// whole value.
///
/// ```swift
/// try realm.write { edition.remark = .string("signed") }
/// switch edition.remark {
/// case .string(let text): print(text)
/// case .object(let object): print(object)
/// default: print(edition.remark.intValue ?? 0)
/// }
/// ```
public enum AnyRealmValue: Hashable {
    /// Null.
    case none
    /// An integer.
    case int(Int)
    /// True or false.
    case bool(Bool)
    /// A number of 32 bits.
    case float(Float)
    /// A number of 64 bits.
    case double(Double)
    /// A string.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// A link to an object of any class.
    case object(Object)
    /// An object identifier.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A UUID.
    case uuid(UUID)
    /// A dictionary of such values; `fromDictionary` makes one.
    case dictionary(Map<String, AnyRealmValue>)
    /// A list of such values; `fromArray` makes one.
    case list(List<AnyRealmValue>)

    /// Returns a new, unmanaged dictionary with these entries.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        .dictionary(Map(unmanaged: dictionary.map { ($0.key, $0.value) }))
    }

    /// Returns a new, unmanaged list with these elements.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue { .list(List(unmanaged: array)) }

    // MARK: The value by type; nil if it has another type

    /// The integer; nil for every other case. Numbers are not converted.
    public var intValue: Int? {
        if case .int(let value) = self { value } else { nil }
    }
    /// The truth value; nil for every other case.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }
    /// The `Float`; nil for every other case. Numbers are not converted.
    public var floatValue: Float? {
        if case .float(let value) = self { value } else { nil }
    }
    /// The `Double`; nil for every other case. Numbers are not converted.
    public var doubleValue: Double? {
        if case .double(let value) = self { value } else { nil }
    }
    /// The string; nil for every other case.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }
    /// The bytes; nil for every other case.
    public var dataValue: Data? {
        if case .data(let value) = self { value } else { nil }
    }
    /// The date; nil for every other case.
    public var dateValue: Date? {
        if case .date(let value) = self { value } else { nil }
    }
    /// The object identifier; nil for every other case.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { value } else { nil }
    }
    /// The decimal number; nil for every other case. Numbers are not converted.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { value } else { nil }
    }
    /// The UUID; nil for every other case.
    public var uuidValue: UUID? {
        if case .uuid(let value) = self { value } else { nil }
    }
    /// The dictionary; nil for every other case.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }
    /// The list; nil for every other case.
    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { value } else { nil }
    }

    /// Returns the object if it has that class; else nil.
    public func object<T: Object>(_ objectType: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }

    /// A managed object as a dynamic object.
    public var dynamicObject: DynamicObject? {
        guard case .object(let object) = self else { return nil }
        if let dynamic = object as? DynamicObject { return dynamic }
        guard let realm = object._realm, let reference = object._objectReference else { return nil }
        return trapOnError {
            try realm.check(object)
            return try realm.object(reference, as: DynamicObject.self) as? DynamicObject
        }
    }

    /// The value, with unmanaged copies of its collections.
    var detached: AnyRealmValue {
        switch self {
        case .list(let list): .fromArray(list.map(\.detached))
        case .dictionary(let map):
            .dictionary(Map(unmanaged: map.asKeyValueSequence().map { ($0.key, $0.value.detached) }))
        default: self
        }
    }

    /// The value without its case; nil for null.
    var content: Any? {
        switch self {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .dictionary(let value): value
        case .list(let value): value
        }
    }
}

extension AnyRealmValue: RealmCollectionValue, _Persistable, MinMaxType, AddableType, SortableType, _Indexable {
    public typealias PersistedType = AnyRealmValue
    public static var _storedType: _StoredType { _StoredType(.mixed) }
    public static func _zero() -> AnyRealmValue { .none }
    public static func _noSum() -> AnyRealmValue { .decimal128(Decimal128()) }
    public static func _traced(_ trace: _Trace) -> AnyRealmValue { .none }

    public static func _get(_ object: ObjectBase, _ slot: Int) -> AnyRealmValue {
        trapOnError {
            let value = try object.stored(slot)
            let path = value.isNested ? try NestedPath(object, slot) : nil
            return try _restored(_Stored(value, at: path), in: object._realm)
        }
    }

    /// Returns unmanaged copies of lists and dictionaries whose location in the store is not known.
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
            // Within a migration all objects are dynamic.
            let type = realm?.file == nil ? DynamicObject.self : ObjectBase.self
            guard let realm, let object = try realm.object(reference, as: type) as? Object else { return .none }
            return .object(object)
        case .list(let values):
            if let realm, let path = stored.path {
                return .list(List(accessor: NestedAccessor(realm, path, isList: true)))
            }
            return .fromArray(try values.map { try _restored(_Stored($0), in: realm) })
        case .dictionary(let map):
            if let realm, let path = stored.path {
                return .dictionary(Map(accessor: NestedAccessor(realm, path, isList: false)))
            }
            return .dictionary(
                Map(unmanaged: try map.entries.map { ($0.key, try _restored(_Stored($0.value), in: realm)) }))
        default: throw Unrepresentable(message: "The stored value '\(stored.value)' is not an AnyRealmValue.")
        }
    }

    /// Copies lists and dictionaries.
    public func _stored(by persister: _ObjectPersister) throws -> _Stored {
        switch self {
        case .none: return _Stored(.null)
        case .int(let value): return value._scalar
        case .bool(let value): return value._scalar
        case .float(let value): return value._scalar
        case .double(let value): return value._scalar
        case .string(let value): return value._scalar
        case .data(let value): return value._scalar
        case .date(let value): return value._scalar
        case .object(let value): return _Stored(try persister.reference(to: value))
        case .objectId(let value): return value._scalar
        case .decimal128(let value): return value._scalar
        case .uuid(let value): return value._scalar
        case .list(let list): return _Stored(.list(try list.map { try $0._stored(by: persister).value }))
        case .dictionary(let map): return _Stored(try map.stored(by: persister))
        }
    }

    /// Returns a value of any type; nil becomes null, and arrays and dictionaries become lists and dictionaries.
    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> AnyRealmValue {
        guard let value = value.flatMap({ flattened($0) }), !(value is NSNull) else { return .none }
        switch value {
        case let mixed as AnyRealmValue: return mixed
        case let object as Object: return .object(object)
        case let list as List<AnyRealmValue>: return .list(list)
        case let map as Map<String, AnyRealmValue>: return .dictionary(map)
        default: break
        }
        if let entries = Entries(value) {
            return .dictionary(Map(unmanaged: try entries.pairs.map { ($0.key, try _converted($0.value, context)) }))
        }
        if let array = value as? [Any] { return .fromArray(try array.map { try _converted($0, context) }) }
        guard let plain = Conversion.natural(value) else { throw context.typeMismatch(value) }
        return try _restored(_Stored(plain), in: nil)
    }
}
