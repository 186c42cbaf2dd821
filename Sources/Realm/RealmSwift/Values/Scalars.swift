public import Foundation
import ObjectModel

/// A type whose values are stored as one case of `Value`.
public protocol _Scalar: _RealmCollectionValueInsideOptional, _Persistable where PersistedType == Self {
    static func _scalar(_ stored: _Stored) -> Self?
    var _scalar: _Stored { get }
}

extension _Scalar {
    public static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> Self {
        guard let value = _scalar(stored) else {
            throw Unrepresentable(message: "The stored value '\(stored.value)' is not of type \(Self.self).")
        }
        return value
    }

    public func _stored(by persister: _ObjectPersister) throws -> _Stored { _scalar }

    public static func _traced(_ trace: _Trace) -> Self { _zero() }
}

/// An integer type. All are stored in 64 bits.
public protocol _StoredInteger: _Scalar, BinaryInteger, MinMaxType, AddableType, SortableType, _PrimaryKey, _Indexable {
}

extension _StoredInteger {
    public static var _storedType: _StoredType { _StoredType(.int) }
    public static func _zero() -> Self { 0 }
    public static func _noSum() -> Self { 0 }
    public var _scalar: _Stored { _Stored(.int(Int64(self))) }

    /// Numbers out of range, which a program with a wider type or a gateway's client may have stored, lose their upper
    /// bits, as in Realm.
    public static func _scalar(_ stored: _Stored) -> Self? {
        guard case .int(let number) = stored.value else { return nil }
        return Self(truncatingIfNeeded: number)
    }

    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> Self {
        if let same = value as? Self { return same }
        guard case .int(let number)? = Conversion.plain(value, as: context.type), let exact = Self(exactly: number)
        else { throw context.typeMismatch(value) }
        return exact
    }
}

extension Int: _StoredInteger { public typealias PersistedType = Int }
extension Int8: _StoredInteger { public typealias PersistedType = Int8 }
extension Int16: _StoredInteger { public typealias PersistedType = Int16 }
extension Int32: _StoredInteger { public typealias PersistedType = Int32 }
extension Int64: _StoredInteger { public typealias PersistedType = Int64 }

extension Bool: _Scalar, _PrimaryKey, _Indexable {
    public typealias PersistedType = Bool
    public static var _storedType: _StoredType { _StoredType(.bool) }
    public static func _zero() -> Bool { false }
    public var _scalar: _Stored { _Stored(.bool(self)) }

    public static func _scalar(_ stored: _Stored) -> Bool? {
        guard case .bool(let value) = stored.value else { return nil }
        return value
    }
}

extension Float: _Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Float
    public static var _storedType: _StoredType { _StoredType(.float) }
    public static func _zero() -> Float { 0 }
    public static func _noSum() -> Float { 0 }
    public var _scalar: _Stored { _Stored(.float(self)) }

    public static func _scalar(_ stored: _Stored) -> Float? {
        switch stored.value {
        case .float(let value): value
        // Sums of floats are doubles.
        case .double(let value): Float(value)
        default: nil
        }
    }
}

extension Double: _Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Double
    public static var _storedType: _StoredType { _StoredType(.double) }
    public static func _zero() -> Double { 0 }
    public static func _noSum() -> Double { 0 }
    public var _scalar: _Stored { _Stored(.double(self)) }

    public static func _scalar(_ stored: _Stored) -> Double? {
        guard case .double(let value) = stored.value else { return nil }
        return value
    }
}

extension String: _Scalar, SortableType, _PrimaryKey, _Indexable {
    public typealias PersistedType = String
    public static var _storedType: _StoredType { _StoredType(.string) }
    public static func _zero() -> String { "" }
    public var _scalar: _Stored { _Stored(.string(self)) }

    public static func _scalar(_ stored: _Stored) -> String? {
        guard case .string(let value) = stored.value else { return nil }
        return value
    }
}

extension Data: _Scalar, SortableType {
    public typealias PersistedType = Data
    public static var _storedType: _StoredType { _StoredType(.data) }
    public static func _zero() -> Data { Data() }
    public var _scalar: _Stored { _Stored(.data(Array(self))) }

    public static func _scalar(_ stored: _Stored) -> Data? {
        guard case .data(let bytes) = stored.value else { return nil }
        return Data(bytes)
    }
}

extension Date: _Scalar, MinMaxType, SortableType, _Indexable {
    public typealias PersistedType = Date
    public static var _storedType: _StoredType { _StoredType(.date) }
    /// The present time, unlike the store's own default, which is 1970.
    public static func _zero() -> Date { Date() }
    public var _scalar: _Stored { _Stored(.date(Timestamp(self))) }

    public static func _scalar(_ stored: _Stored) -> Date? {
        guard case .date(let time) = stored.value else { return nil }
        return Date(time)
    }
}

extension UUID: _Scalar, _PrimaryKey, _Indexable {
    public typealias PersistedType = UUID
    public static var _storedType: _StoredType { _StoredType(.uuid) }
    public static func _zero() -> UUID { UUID() }
    public var _scalar: _Stored { _Stored(.uuid(UUIDValue(self))) }

    public static func _scalar(_ stored: _Stored) -> UUID? {
        guard case .uuid(let value) = stored.value else { return nil }
        return UUID(value)
    }
}

extension ObjectId: _Scalar, _PrimaryKey, _Indexable {
    public typealias PersistedType = ObjectId
    public static var _storedType: _StoredType { _StoredType(.objectId) }
    public static func _zero() -> ObjectId { .generate() }
    public var _scalar: _Stored { _Stored(.objectId(raw)) }

    public static func _scalar(_ stored: _Stored) -> ObjectId? {
        guard case .objectId(let value) = stored.value else { return nil }
        return ObjectId(raw: value)
    }
}

extension Decimal128: _Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Decimal128
    public static var _storedType: _StoredType { _StoredType(.decimal128) }
    public static func _zero() -> Self { Self(raw: .zero) }
    public static func _noSum() -> Self { Self(raw: .zero) }
    public var _scalar: _Stored { _Stored(.decimal(raw)) }

    public static func _scalar(_ stored: _Stored) -> Self? {
        guard case .decimal(let value) = stored.value else { return nil }
        return Self(raw: value)
    }
}
