import ObjectModel

/// Base class of stored top-level types: see `ObjectBase`.
open class Object: ObjectBase, ThreadConfined {
    public required init() { super.init() }

    /// An unmanaged object filled from a dictionary by property names, an array in the order of declaration, or another
    /// object. Names that are not given keep their default. Traps for what does not fit.
    public convenience init(value: Any) {
        self.init()
        raising { try fill(from: value) }
    }

    /// The realm that manages the object; nil when none does, and after `Realm.delete` of this instance.
    public var realm: Realm? { managingRealm }

    /// The schema of the class.
    public var objectSchema: ObjectSchema { ownSchema }

    /// Names the primary key of classes without `@Persisted`: kept so that such code compiles. It has no effect.
    open class func primaryKey() -> String? { nil }

    /// Properties that are not stored, which here are all without `@Persisted`: kept so that such code compiles.
    open class func ignoredProperties() -> [String] { [] }

    /// Properties to index in classes without `@Persisted`: kept so that such code compiles. It has no effect.
    open class func indexedProperties() -> [String] { [] }

    /// Whether the instance, valid and managed by the same realm, shows the same stored object, or is the same one.
    public func isSameObject(as object: Object?) -> Bool { isSame(as: object) }

    /// Reads or, within a write, assigns a property by its name. Traps for names that do not exist.
    open subscript(key: String) -> Any? {
        get { raising { try namedValue(slot(of: key)) } }
        set { raising { try setDynamicValue(slot(of: key), newValue) } }
    }
}

/// Base class of types that belong to one owner each, a property or an element of another object, and go with it.
open class EmbeddedObject: ObjectBase, ThreadConfined {
    public required init() { super.init() }

    /// See `Object.init(value:)`.
    public convenience init(value: Any) {
        self.init()
        raising { try fill(from: value) }
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
        get { raising { try namedValue(slot(of: key)) } }
        set { raising { try setDynamicValue(slot(of: key), newValue) } }
    }
}

extension Object {
    /// A list by the property's name, whose elements are used by the names of theirs. Traps for a property that is no list.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        raising { List(accessor: try dynamicCollection(propertyName, .list)) }
    }

    /// A set by the property's name, whose elements are used by the names of theirs. Traps for a property that is no set.
    public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        raising { MutableSet(accessor: try dynamicCollection(propertyName, .set)) }
    }

    /// A map by the property's name, whose values are used by the names of theirs. Traps for a property that is no map.
    public func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
        raising { Map(accessor: try dynamicCollection(propertyName, .map)) }
    }
}

extension ObjectBase {
    /// What the collection of objects in a managed object's property leads to.
    final func dynamicCollection(_ name: String, _ kind: CollectionKind) throws -> PropertyAccessor {
        let slot = try slot(of: name)
        let (_, boundClass) = try managed()
        let type = boundClass.properties[slot].type
        guard type.collection == kind, type.isLink else {
            throw RealmException(
                "Property '\(boundClass.name).\(name)' of type '\(type)' is not a \(kind) of objects.")
        }
        return try PropertyAccessor(self, slot)
    }

    /// The schema of the class; nil for the base classes, which store nothing.
    public class func sharedSchema() -> ObjectSchema? {
        if self == Object.self || self == EmbeddedObject.self { return nil }
        return raising { ObjectSchema(try ClassModel.of(self)) }
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
            // Keys of unmanaged objects change, and several threads may ask a frozen one.
            if _realm != nil, _realm?.isFrozen == false { _keyHash = hash }
            return hash
        }
        return comparesByRow ? _objectReference.hashValue : ObjectIdentifier(self).hashValue
    }

    /// The value of the primary key; nil when the class has none, and when a deleted object's is not known any more.
    private var hashedKey: (key: Value, className: String)? {
        if let _class {
            return _class.primaryKey.flatMap { key in (try? stored(key.slot)).map { ($0, _class.name) } }
        }
        guard let model = try? ClassModel.of(type(of: self)), let key = model.primaryKey else { return nil }
        return (Conversion.plain(key.wrapper.value(at: place(of: key)), as: key.type) ?? .null, model.name)
    }
}

extension ObjectBase: _RealmCollectionValueInsideOptional {
    public typealias PersistedType = ObjectBase

    public static var _storedType: _StoredType { _StoredType(.link(className()), linked: self) }

    public static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> Self {
        guard let realm, case .reference(let reference) = stored.value,
            let object = try realm.object(reference, as: self) as? Self
        else {
            throw Unrepresentable(message: "The stored value '\(stored.value)' is no \(Self.self).")
        }
        return object
    }

    public func _stored(by persister: _ObjectPersister) throws -> _Stored { _Stored(try persister.link(to: self)) }

    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Self? {
        if let linked = object.cellLink(slot) { return linked as? Self }
        return raising {
            guard let realm = object._realm, case .reference(let reference) = object.storedValue(slot) else {
                return nil
            }
            return try _restored(_Stored(.reference(reference)), in: realm)
        }
    }

    public static func _zero() -> Self { self.init() }

    public static func _traced(_ trace: _Trace) -> Self { trace.object(self) }

    /// An object as it is, or an unmanaged one filled from what is given.
    public static func _converted(_ value: Any?, _ place: _Place) throws -> Self {
        if let object = value as? Self { return object }
        guard let value, !(value is ObjectBase) else { throw place.misfit(value) }
        let object = self.init()
        try object.fill(from: value)
        return object
    }
}

extension Optional: _ObjectHolder where Wrapped: ObjectBase {}
protocol _ObjectHolder {}
