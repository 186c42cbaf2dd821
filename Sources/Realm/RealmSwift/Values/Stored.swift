public import Foundation
import ObjectModel

/// A value in its stored form, between a model and the store.
public struct _Stored: Sendable {
    var value: Value
    /// The path to the value, if it is a collection within a stored mixed value.
    var path: NestedPath?

    init(_ value: Value) { self.value = value }

    init(_ value: Value, at path: NestedPath?) {
        self.value = value
        self.path = path
    }
}

/// The type of a property in a schema.
public struct _StoredType {
    var type: StoredType
    /// The model class that links refer to, or whose links a linking-objects property inverts.
    var linked: ObjectBase.Type?

    init(_ base: BaseType, isOptional: Bool = false, linked: ObjectBase.Type? = nil) {
        type = StoredType(base, isOptional: isOptional)
        self.linked = linked
    }

    /// Returns the type of a collection of values of this type.
    func collected(in kind: CollectionKind) -> _StoredType {
        var collected = self
        collected.type.collection = kind
        return collected
    }
}

/// A type whose values are stored as values of another type, often of the type itself.
public protocol _HasPersistedType: SendableMetatype {
    /// The type in which values are compared, sorted and summed.
    associatedtype PersistedType
}

/// A type that can occur in schemas: of stored values, and of the properties that hold them.
public protocol _RealmSchemaDiscoverable: _HasPersistedType {}

/// A type whose values can be stored, as properties or as elements of collections.
public protocol _Storable: _RealmSchemaDiscoverable {
    static var _storedType: _StoredType { get }

    /// Creates a value from its stored form. Throws if the stored form has another type.
    static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> Self

    /// Returns the stored form of the value; `persister` adds unmanaged objects that it links to.
    func _stored(by persister: _ObjectPersister) throws -> _Stored

    /// The default value: null if the type is optional, else zero, false or empty.
    static func _zero() -> Self

    /// Returns a placeholder for the value of a property while a key path is traced.
    static func _traced(_ trace: _Trace) -> Self

    /// Converts an untyped value, as in a dictionary: see `Conversion`. Throws for values that do not fit.
    static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> Self
}

/// A type that properties can have.
public protocol _Persistable: _RealmSchemaDiscoverable {
    static var _propertyType: _StoredType { get }

    /// Reads a managed object's property. Traps if the value has another type, or if the object is invalid.
    static func _get(_ object: ObjectBase, _ slot: Int) -> Self

    /// Assigns a managed object's property. Traps if that is not allowed.
    static func _set(_ object: ObjectBase, _ slot: Int, _ value: Self)

    /// Returns the value of an unmanaged object's property that has no declared default.
    static func _initial() -> Self

    /// Returns the new content of an unmanaged object's property that is assigned a value. A collection stays the same
    /// instance and copies the elements.
    static func _assigned(_ value: Self, _ old: _PersistedContent<Self>) -> Self

    /// Returns the stored form of an unmanaged object's value when the object becomes managed; nil if nothing is
    /// stored.
    static func _stored(_ value: Self, by persister: _ObjectPersister) throws -> _Stored?

    /// See `_Storable._traced`.
    static func _traced(_ trace: _Trace) -> Self

    /// See `_Storable._converted`.
    static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> Self
}

/// A type whose values can be elements of collections.
public protocol RealmCollectionValue: Hashable, _Storable {}

/// A type whose values can be elements of collections, also as optionals.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue {
    /// Implements `_Persistable._get` for an optional of the type.
    static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Self?

    /// Implements `_Persistable._set` for an optional of the type.
    static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Self?)
}

extension _RealmCollectionValueInsideOptional {
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Self? {
        trapOnError { try Self?._restored(_Stored(object.storedValue(slot)), in: object._realm) }
    }

    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Self?) {
        trapOnError {
            if let embedded = value as? EmbeddedObject, embedded._realm != nil {
                if let realm = object._realm { _ = try object.writing(in: realm) }
                // The present value may be assigned again, which changes nothing.
                if try object.owns(embedded, at: slot) { return }
                throw RealmException("Can't set link to existing managed embedded object")
            }
            try object.assign(slot) { try value._stored(by: $0).value }
            try object.bindEmbedded(slot, [value as Any])
        }
    }
}

/// A type that `min` and `max` accept.
public protocol MinMaxType {}

/// A type that `sum` and `average` accept.
public protocol AddableType {
    /// Returns the sum of no values.
    static func _noSum() -> Self
}

/// A type that collections can be sorted by.
public protocol SortableType {}

/// A type that a primary key can have.
public protocol _PrimaryKey {}

/// A type that can be indexed.
public protocol _Indexable {}

/// A type that the keys of a map can have: String.
public protocol _MapKey: Hashable, Comparable, SendableMetatype {
    var _key: String { get }
    init(_key: String)
}

extension String: _MapKey {
    public var _key: String { self }
    public init(_key: String) { self = _key }
}

/// An optional.
public protocol OptionalProtocol {
    /// The type of the value.
    associatedtype Wrapped
    var _wrapped: Wrapped? { get }
    static func _wrap(_ wrapped: Wrapped?) -> Self
}

extension Optional: OptionalProtocol {
    public var _wrapped: Wrapped? { self }
    public static func _wrap(_ wrapped: Wrapped?) -> Wrapped? { wrapped }
}

/// The property or element that an untyped value is meant for, for error messages.
public struct _PropertyContext {
    var className: String
    var property: String
    var type: StoredType

    /// Returns Realm's error: `Invalid value 'x' of type 'y' for 'int' property 'Dog.age'.`
    func typeMismatch(_ value: Any?) -> RealmException {
        guard let value else {
            return RealmException(
                "Invalid value 'nil' of type 'Optional<Any>' for '\(typeText)' property '\(className).\(property)'.")
        }
        return RealmException(
            "Invalid value '\(value)' of type '\(Swift.type(of: value))' for '\(typeText)' property '\(className).\(property)'."
        )
    }

    private var typeText: String {
        let base = PropertyKind(type.base).text + (type.isOptional ? "?" : "")
        switch type.collection {
        case .single: return base
        case .list: return base + " list"
        case .set: return base + " set"
        case .map: return base + " map"
        }
    }
}

/// A stored value that the type has no value for, such as the raw value of an enum case that was removed.
struct Unrepresentable: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

extension _Persistable {
    @inlinable
    public static func _assigned(_ value: Self, _ old: _PersistedContent<Self>) -> Self { value }
}

extension _Persistable where Self: _Storable {
    public static var _propertyType: _StoredType { _storedType }

    public static func _get(_ object: ObjectBase, _ slot: Int) -> Self {
        trapOnError { try _restored(_Stored(object.storedValue(slot)), in: object._realm) }
    }

    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Self) {
        trapOnError {
            try object.assign(slot) { try value._stored(by: $0).value }
            try object.bindEmbedded(slot, [value])
        }
    }

    public static func _initial() -> Self { _zero() }

    public static func _stored(_ value: Self, by persister: _ObjectPersister) throws -> _Stored? {
        try value._stored(by: persister)
    }
}

extension _Storable {
    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> Self {
        if let same = value as? Self { return same }
        guard let stored = Conversion.plain(value, as: context.type) else { throw context.typeMismatch(value) }
        do {
            return try _restored(_Stored(stored), in: nil)
        } catch is Unrepresentable {
            throw context.typeMismatch(value)
        }
    }
}

// Foundation classes that aggregates can return, though properties cannot have these types.

extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
    public typealias PersistedType = NSNumber

    public static func _noSum() -> Self { self.init(integerLiteral: 0) }
}

extension NSDate: _HasPersistedType, MinMaxType {
    public typealias PersistedType = NSDate
}
