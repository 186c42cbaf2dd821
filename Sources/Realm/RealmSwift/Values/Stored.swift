import ObjectModel

/// A value on its way between a model and the store.
public struct _Stored: Sendable {
    var value: Value
    /// Where the value lies, if it is a collection within a mixed value that is stored.
    var place: NestedPlace?

    init(_ value: Value) { self.value = value }

    init(_ value: Value, at place: NestedPlace?) {
        self.value = value
        self.place = place
    }
}

/// What a property of a Swift type is in a schema.
public struct _StoredType {
    var type: StoredType
    /// The model class that links lead to, or whose links a linking-objects property looks at.
    var linked: ObjectBase.Type?

    init(_ base: BaseType, isOptional: Bool = false, linked: ObjectBase.Type? = nil) {
        type = StoredType(base, isOptional: isOptional)
        self.linked = linked
    }

    /// The type of a collection of values of this type.
    func collected(in kind: CollectionKind) -> _StoredType {
        var collected = self
        collected.type.collection = kind
        return collected
    }
}

/// A type whose values are stored as values of another one, often itself.
public protocol _HasPersistedType: SendableMetatype {
    /// The type in which values are compared, sorted and added up.
    associatedtype PersistedType
}

/// A type that schemas know: of stored values, and of the properties that hold them.
public protocol _RealmSchemaDiscoverable: _HasPersistedType {}

/// A type whose values are stored as they are, as properties or as elements of collections.
public protocol _Storable: _RealmSchemaDiscoverable {
    static var _storedType: _StoredType { get }

    /// The value that was stored. Throws when it is none of this type.
    static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> Self

    /// What is stored for the value; `persister` makes objects managed that it leads to.
    func _stored(by persister: _ObjectPersister) throws -> _Stored

    /// The value of a property that nothing was said about: null where there is one, else zero, false or empty.
    static func _zero() -> Self

    /// Stands for the value of a property while a key path is traced.
    static func _traced(_ trace: _Trace) -> Self

    /// A value given by name, as in a dictionary: see `Conversion`. Throws for what does not fit.
    static func _converted(_ value: Any?, _ place: _Place) throws -> Self
}

/// A type that properties may have.
public protocol _Persistable: _RealmSchemaDiscoverable {
    static var _propertyType: _StoredType { get }

    /// The value of a managed object's property. Traps when it is none of this type, or the object is invalid.
    static func _get(_ object: ObjectBase, _ slot: Int) -> Self

    /// Assigns a managed object's property. Traps where that is not allowed.
    static func _set(_ object: ObjectBase, _ slot: Int, _ value: Self)

    /// The value of an unmanaged object's property that has no declared default.
    static func _initial() -> Self

    /// What an unmanaged object's property has once the value was assigned. Collections stay the same instances, and take
    /// the elements over.
    static func _kept(_ value: Self, _ old: _PersistedContent<Self>) -> Self

    /// What is stored when an unmanaged object with this value becomes managed; nil for nothing.
    static func _stored(_ value: Self, by persister: _ObjectPersister) throws -> _Stored?

    /// See `_Storable._traced`.
    static func _traced(_ trace: _Trace) -> Self

    /// See `_Storable._converted`.
    static func _converted(_ value: Any?, _ place: _Place) throws -> Self
}

/// A type whose values can be elements of collections.
public protocol RealmCollectionValue: Hashable, _Storable {}

/// A type whose values can be elements of collections, and optional.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue {
    /// What `_Persistable._get` does for an optional of the type.
    static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Self?

    /// What `_Persistable._set` does for an optional of the type.
    static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Self?)
}

extension _RealmCollectionValueInsideOptional {
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Self? {
        raising { try Self?._restored(_Stored(object.storedValue(slot)), in: object._realm) }
    }

    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Self?) {
        raising {
            try object.assign(slot) { try value._stored(by: $0).value }
            try object.bindEmbedded(slot, [value as Any])
        }
    }
}

/// A type with an order, for `min` and `max`.
public protocol MinMaxType {}

/// A type with a sum, for `sum` and `average`.
public protocol AddableType {
    /// The sum of no values.
    static func _noSum() -> Self
}

extension AddableType {
    /// The sum of no values.
    public init() { self = ._noSum() }
}

/// A type that collections can be sorted by.
public protocol SortableType {}

/// A type that a primary key may have.
public protocol _PrimaryKey {}

/// A type that can be indexed.
public protocol _Indexable {}

/// A type that a map's keys may have, which is String.
public protocol _MapKey: Hashable, Comparable, SendableMetatype {
    var _key: String { get }
    init(_key: String)
}

extension String: _MapKey {
    public var _key: String { self }
    public init(_key: String) { self = _key }
}

/// Something that may be missing.
public protocol OptionalProtocol {
    associatedtype Wrapped
    var _wrapped: Wrapped? { get }
    static func _wrap(_ wrapped: Wrapped?) -> Self
}

extension Optional: OptionalProtocol {
    public var _wrapped: Wrapped? { self }
    public static func _wrap(_ wrapped: Wrapped?) -> Wrapped? { wrapped }
}

/// Where a value belongs that is given by name: for messages.
public struct _Place {
    var className: String
    var property: String
    var type: StoredType

    /// As Realm says it: `Invalid value 'x' of type 'y' for 'int' property 'Dog.age'.`
    func misfit(_ value: Any?) -> RealmException {
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

/// A stored value that the type read has no value for, such as the number of an enum's case that is gone.
struct Unrepresentable: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

extension _Persistable {
    @inlinable
    public static func _kept(_ value: Self, _ old: _PersistedContent<Self>) -> Self { value }
}

extension _Persistable where Self: _Storable {
    public static var _propertyType: _StoredType { _storedType }

    public static func _get(_ object: ObjectBase, _ slot: Int) -> Self {
        raising { try _restored(_Stored(object.storedValue(slot)), in: object._realm) }
    }

    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Self) {
        raising {
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
    public static func _converted(_ value: Any?, _ place: _Place) throws -> Self {
        if let same = value as? Self { return same }
        guard let stored = Conversion.plain(value, as: place.type) else { throw place.misfit(value) }
        do {
            return try _restored(_Stored(stored), in: nil)
        } catch is Unrepresentable {
            throw place.misfit(value)
        }
    }
}
