import Foundation
import ObjectModel

/// An enum that is stored by its raw values.
public protocol PersistableEnum: _RealmCollectionValueInsideOptional, _Persistable, RawRepresentable, CaseIterable,
    Comparable, MinMaxType, _MayNotRestore
where RawValue: _Scalar & Comparable, PersistedType == RawValue.PersistedType {}

extension PersistableEnum {
    public static var _storedType: _StoredType { RawValue._storedType }

    public static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> Self {
        let raw = try RawValue._restored(stored, in: realm)
        // A number out of the raw type's range is not a case, whatever its lower bits are.
        let isWhole = if case .int = stored.value { raw._scalar.value == stored.value } else { true }
        guard isWhole, let value = Self(rawValue: raw) else {
            throw Unrepresentable(message: "Could not convert raw value '\(raw)' to enum type '\(Self.self)'.")
        }
        return value
    }

    public func _stored(by persister: _ObjectPersister) throws -> _Stored { rawValue._scalar }

    public static func _zero() -> Self {
        trapOnError {
            guard let first = allCases.first else { throw RealmException("Enum '\(Self.self)' has no cases.") }
            return first
        }
    }

    public static func _traced(_ trace: _Trace) -> Self { _zero() }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// An enum that is stored by its raw values, in the older syntax of `RealmProperty<Colour?>`. New code uses
/// `PersistableEnum`, which it refines.
public protocol RealmEnum: PersistableEnum, _OptionalRealmPropertyType {}

/// The common part of `CustomPersistable` and `FailableCustomPersistable`: a type that is stored as another one.
public protocol _CustomPersistable: _RealmCollectionValueInsideOptional, _Persistable
where PersistedType: _RealmCollectionValueInsideOptional {
    /// Redeclared so that conforming types need not declare it.
    associatedtype PersistedType

    /// The value that is stored.
    var persistableValue: PersistedType { get }

    static func _fromPersisted(_ value: PersistedType) -> Self?
}

/// A type that is stored as another one, and can be created from each of that type's values.
public protocol CustomPersistable: _CustomPersistable {
    /// Creates a value from the stored one.
    init(persistedValue: PersistedType)
}

/// A type that is stored as another one, but cannot be created from each of that type's values: for such a value an
/// optional is nil, and anything else traps.
public protocol FailableCustomPersistable: _CustomPersistable, _MayNotRestore {
    /// Creates a value from the stored one; nil if none fits.
    init?(persistedValue: PersistedType)
}

extension CustomPersistable {
    public static func _fromPersisted(_ value: PersistedType) -> Self? { Self(persistedValue: value) }
}

extension FailableCustomPersistable {
    public static func _fromPersisted(_ value: PersistedType) -> Self? { Self(persistedValue: value) }

    /// The type may have no value for the zero of its persisted type: any value ends a key path.
    public static func _traced(_ trace: _Trace) -> Self {
        let samples = [PersistedType._zero()] + SampleValues.of(PersistedType.self)
        return samples.lazy.compactMap { _fromPersisted($0) }.first ?? _zero()
    }
}

/// Some stored values of each type.
private enum SampleValues {
    static func of<T: _Storable>(_: T.Type) -> [T] {
        stored(T._storedType.type.base).compactMap { try? T._restored(_Stored($0), in: nil) }
    }

    private static func stored(_ base: BaseType) -> [Value] {
        switch base {
        case .int: [1, -1, 2, 3, 4, 5, 10, 100, 1000].map { .int($0) }
        case .bool: [.bool(true)]
        case .float: [1, -1, 0.5, 10, 100].map { .float($0) }
        case .double: [1, -1, 0.5, 10, 100].map { .double($0) }
        case .decimal128: [1, -1, 10, 100].map { (number: Int64) in .decimal(StoredDecimal(number)) }
        case .string:
            ["a", "A", "ab", "abc", "1", "0", "10", "1.0", "true", "a@b.de", "http://a.de/b", "2000-01-01", "{}", "[]"]
                .map { .string($0) } + [.string("00000000-0000-0000-0000-000000000001")]
        case .data: [[0], [1], [0, 0, 0, 0]].map { .data($0) }
        case .date: [.date(Timestamp(seconds: 0)), .date(Timestamp(seconds: 1_000_000_000))]
        default: []
        }
    }
}

extension _CustomPersistable {
    public static var _storedType: _StoredType { PersistedType._storedType }

    /// A property stored as an embedded object is a link, which can always be null.
    public static var _propertyType: _StoredType {
        var stored = _storedType
        if stored.type.isLink { stored.type.isOptional = true }
        return stored
    }

    public static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> Self {
        let value: PersistedType
        if stored.value.isNull {
            // The embedded object is missing, although its holder's type is not optional.
            value = PersistedType._zero()
        } else {
            value = try PersistedType._restored(stored, in: realm)
        }
        guard let custom = _fromPersisted(value) else {
            throw Unrepresentable(
                message:
                    "Failed to convert persisted value '\(value)' to type '\(Self.self)' in a non-optional context.")
        }
        return custom
    }

    public func _stored(by persister: _ObjectPersister) throws -> _Stored {
        try persistableValue._stored(by: persister)
    }

    public static func _zero() -> Self {
        trapOnError {
            let zero = PersistedType._zero()
            guard let custom = _fromPersisted(zero) else {
                throw RealmException(
                    "Failed to default construct a \(Self.self) using the default value for persisted type \(PersistedType.self). "
                        + "This conversion must either succeed, the property must be optional, "
                        + "or you must explicitly specify a default value for the property.")
            }
            return custom
        }
    }

    /// Accepts values of the type, and those that a property of the persisted type accepts.
    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> Self {
        if let same = value as? Self { return same }
        if context.type.isLink, value.flatMap({ flattened($0) }) == nil || value is NSNull { return _zero() }
        let persisted = try PersistedType._converted(value, context)
        guard let custom = _fromPersisted(persisted) else {
            // An optional is nil then.
            throw Unrepresentable(message: context.typeMismatch(value).message)
        }
        return custom
    }

    /// Ends key paths: properties that the type reads to create its value are not steps of the path.
    public static func _traced(_ trace: _Trace) -> Self { _zero() }
}
