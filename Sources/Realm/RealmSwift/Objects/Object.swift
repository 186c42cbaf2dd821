import ObjectModel

/// The base class of stored top-level types: see `ObjectBase`.
///
/// ```swift
/// final class Book: Object {
///     @Persisted(primaryKey: true) var isbn: String
///     @Persisted var title: String
///     @Persisted var author: Author?
/// }
/// ```
open class Object: ObjectBase, ThreadConfined {
    /// Creates an unmanaged object whose properties have their defaults.
    public required init() { super.init() }

    /// Creates an unmanaged object from a dictionary by property names, an array in the order of declaration, or
    /// another object. Properties without a value keep their default. Traps for values that do not fit.
    public convenience init(value: Any) {
        self.init()
        trapOnError { try fill(from: value) }
    }

    /// The realm that manages the object; nil for an unmanaged object, and after `Realm.delete` of this instance.
    public var realm: Realm? { managingRealm }

    /// The schema of the class.
    public var objectSchema: ObjectSchema { ownSchema }

    /// The name of the primary key, if it is not declared by `@Persisted(primaryKey: true)`. To be overridden.
    open class func primaryKey() -> String? { nil }

    /// The properties that are not stored. It exists so that such code compiles, and has no effect: properties without
    /// `@Persisted` are never stored.
    open class func ignoredProperties() -> [String] { [] }

    /// The names of properties that are indexed besides those with `@Persisted(indexed: true)`; other names are
    /// ignored. To be overridden.
    open class func indexedProperties() -> [String] { [] }

    /// Returns whether both are the same instance, or are valid, managed by the same realm, and represent the same
    /// stored object.
    public func isSameObject(as object: Object?) -> Bool { isSame(as: object) }

    /// Reads a property by name or, within a write, assigns it. Traps for names that do not exist.
    open subscript(key: String) -> Any? {
        get { trapOnError { try namedValue(slot(of: key)) } }
        set { trapOnError { try setDynamicValue(slot(of: key), newValue) } }
    }
}

/// The base class of embedded types. An embedded object belongs to one property or collection element of another
/// object, and is deleted with it.
open class EmbeddedObject: ObjectBase, ThreadConfined {
    /// Creates an unmanaged object whose properties have their defaults.
    public required init() { super.init() }

    /// See `Object.init(value:)`.
    public convenience init(value: Any) {
        self.init()
        trapOnError { try fill(from: value) }
    }

    /// See `Object.realm`.
    public var realm: Realm? { managingRealm }

    /// See `Object.objectSchema`.
    public var objectSchema: ObjectSchema { ownSchema }

    /// See `Object.ignoredProperties`.
    open class func ignoredProperties() -> [String] { [] }

    /// See `Object.isSameObject`.
    public func isSameObject(as object: EmbeddedObject?) -> Bool { isSame(as: object) }

    /// See `Object.subscript`.
    open subscript(key: String) -> Any? {
        get { trapOnError { try namedValue(slot(of: key)) } }
        set { trapOnError { try setDynamicValue(slot(of: key), newValue) } }
    }
}

extension Object {
    /// Returns a list by its property's name, with dynamic objects as elements. If the elements are plain values, they
    /// can be counted and removed, but not read. Traps for a property that is not a list.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        trapOnError { List(accessor: try dynamicCollection(propertyName, .list)) }
    }

    /// Returns a set by its property's name; see `dynamicList`. Traps for a property that is not a set.
    public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        trapOnError { MutableSet(accessor: try dynamicCollection(propertyName, .set)) }
    }

    /// Returns a map by its property's name; see `dynamicList`. Traps for a property that is not a map.
    public func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
        trapOnError { Map(accessor: try dynamicCollection(propertyName, .map)) }
    }
}

extension ObjectBase {
    /// Returns the accessor of a managed object's property that is a collection.
    final func dynamicCollection(_ name: String, _ kind: CollectionKind) throws -> PropertyAccessor {
        let slot = try slot(of: name)
        let (_, boundClass) = try managed()
        let type = boundClass.properties[slot].type
        guard type.collection == kind else {
            throw RealmException("Property '\(boundClass.name).\(name)' of type '\(type)' is not a \(kind).")
        }
        return try PropertyAccessor(self, slot)
    }

    /// The schema of the class; nil for the base classes, which are not stored.
    public class func sharedSchema() -> ObjectSchema? {
        if self == Object.self || self == EmbeddedObject.self || self == AsymmetricObject.self { return nil }
        return trapOnError { ObjectSchema(try ClassModel.of(self)) }
    }

    final var ownSchema: ObjectSchema {
        guard let _class, _class.model?.type != type(of: self) else { return ObjectSchema(model) }
        return ObjectSchema(_class)
    }

    final func isSame(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        if self === other { return true }
        guard let _realm, _realm === other._realm, _objectReference == other._objectReference else { return false }
        return !isInvalidated && !other.isInvalidated
    }
}

extension ObjectBase: Hashable {
    /// See `isEqual`.
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool { a.isEqual(b) }

    public final func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    private var comparesByRow: Bool { _class?.primaryKey != nil || _realm?.isFrozen == true }

    final func counts(as other: ObjectBase) -> Bool {
        if self === other { return true }
        return comparesByRow && other.comparesByRow && isSame(as: other)
    }

    final var ownHash: Int {
        if _keyHash != 0 { return _keyHash }
        if let (key, className) = hashedKey {
            var own = Hasher()
            own.combine(className)
            own.combine(key)
            let hash = own.finalize() | 1
            // The keys of unmanaged objects can change, and several threads may call this on a frozen object.
            if _realm != nil, _realm?.isFrozen == false { _keyHash = hash }
            return hash
        }
        return comparesByRow ? _objectReference.hashValue : ObjectIdentifier(self).hashValue
    }

    /// The value of the primary key; nil if the class has none, and for a deleted object whose key was not read before.
    private var hashedKey: (key: Value, className: String)? {
        if let _class {
            return _class.primaryKey.flatMap { key in (try? stored(key.slot)).map { ($0, _class.name) } }
        }
        guard let model = try? ClassModel.of(type(of: self)), let key = model.primaryKey else { return nil }
        return (Conversion.plain(key.wrapper.value(at: address(of: key)), as: key.type) ?? .null, model.name)
    }
}

extension ObjectBase: _RealmCollectionValueInsideOptional {
    public typealias PersistedType = ObjectBase

    public static var _storedType: _StoredType { _StoredType(.link(className()), linked: self) }

    public static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> Self {
        guard let realm, case .reference(let reference) = stored.value,
            let object = try realm.object(reference, as: self) as? Self
        else {
            throw Unrepresentable(message: "The stored value '\(stored.value)' is not of type \(Self.self).")
        }
        return object
    }

    public func _stored(by persister: _ObjectPersister) throws -> _Stored { _Stored(try persister.link(to: self)) }

    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Self? {
        if let linked = object.cellLink(slot) { return linked as? Self }
        return trapOnError {
            guard let realm = object._realm, case .reference(let reference) = object.storedValue(slot) else {
                return nil
            }
            return try _restored(_Stored(.reference(reference)), in: realm)
        }
    }

    public static func _zero() -> Self { self.init() }

    public static func _traced(_ trace: _Trace) -> Self { trace.object(self) }

    /// Returns an object itself, or an unmanaged object created from other values.
    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> Self {
        if let object = value as? Self { return object }
        guard let value, !(value is ObjectBase) else { throw context.typeMismatch(value) }
        let object = self.init()
        try object.fill(from: value)
        return object
    }
}

extension Optional: _ObjectHolder where Wrapped: ObjectBase {}
protocol _ObjectHolder {}
