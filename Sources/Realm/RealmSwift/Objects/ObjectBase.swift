import Foundation
import ObjectModel
import StoreContract

/// What all stored objects have in common: `Object` and `EmbeddedObject`.
///
/// An instance is unmanaged until it is added to a realm; then it shows the stored object at the realm's version, and
/// belongs to the realm's thread, queue or actor.
open class ObjectBase {
    /// Nil in an unmanaged object.
    final var _realm: RLMRealm?
    /// What the realm's schema has for the class; nil in an unmanaged object.
    final var _class: BoundClass?
    final var _objectKey = ObjectKey(-1)
    /// The lifetime of the realm's objects that this one belongs to; see `RLMRealm.Lifetime`.
    final var _lifetime = RLMRealm.Lifetime()
    /// Where its values are; see `RowLocation`.
    final var _rowLocation = RowLocation()
    /// Whether `Realm.delete` was given this instance.
    final var _isDeletedHere = false
    /// The hash of its primary key, when a managed object has been asked for it; else 0.
    final var _keyHash = 0
    /// Set while key paths are traced.
    @usableFromInline final var _trace: _Trace?

    public required init() {}

    /// The name of the class in schemas: `_realmObjectName`, else that of the Swift class without what it is nested in.
    open class func className() -> String { _realmObjectName() ?? String(describing: self) }

    /// Another name for the class in schemas; nil for its own. To be overridden.
    open class func _realmObjectName() -> String? { nil }

    /// See `Object.propertiesMapping`.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Whether realms whose configuration names no classes have this one.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// See `Object.isInvalidated`.
    open var isInvalidated: Bool { _realm.map { !$0.contains(self) } ?? false }

    /// Whether an object counts as this one, as `==` has it: the same stored object for classes with a primary key and for
    /// frozen objects, else the same instance. To be overridden with `hash`, as on Apple's systems.
    open func isEqual(_ object: Any?) -> Bool { (object as? ObjectBase).map(counts) ?? false }

    /// For classes with a primary key goes by the key, so that it is the same before and after an object is added; for
    /// others by the instance. An object that is deleted keeps the hash that it was asked for before.
    open var hash: Int { ownHash }

    /// `Class { name = value; … }`, with objects within it indented, to a depth of five.
    open var description: String { describe(0) }

    /// The realm that manages the object, for users: none after it was deleted by this instance.
    final var managingRealm: Realm? { _isDeletedHere && isInvalidated ? nil : _realm.map { Realm($0) } }

    // MARK: The stored object

    final var _objectReference: ObjectReference? { _class.map { ObjectReference($0.id, _objectKey) } }

    /// The realm and class of a managed object. Throws for an unmanaged or invalid one.
    final func managed() throws -> (realm: RLMRealm, class: BoundClass) {
        guard let _realm, let _class else { throw RealmException("The object is not managed by a Realm.") }
        try _realm.check(self)
        return (_realm, _class)
    }

    /// One stored value. Throws when the object is not valid.
    final func stored(_ slot: Int) throws -> Value {
        guard let _realm, let _class else { throw RealmException("The object is not managed by a Realm.") }
        do {
            try _realm.checkConfinement()
            try _realm.checkLifetime(self)
            let property = _class.properties[slot]
            return property.reference(try _realm.value(_class.id, _objectKey, property.id))
        } catch let error as StoreError where error.code == .notFound {
            throw RealmException.invalidObject
        }
    }

    final func storedValue(_ slot: Int) -> Value {
        if let _class, let value = cell(slot) { return _class.properties[slot].reference(value) }
        return raising { try stored(slot) }
    }

    /// Assigns a property of a managed object, within a write.
    final func assign(_ slot: Int, _ value: (_ObjectPersister) throws -> Value) throws {
        guard let _realm, let _class else { throw RealmException("The object is not managed by a Realm.") }
        let transaction = try _realm.writing()
        try _realm.check(self)
        let property = _class.properties[slot]
        let new = try value(_ObjectPersister(_realm))
        if property.isPrimaryKey, _realm.file != nil, new != (try stored(slot)) {
            throw RealmException("Primary key can't be changed after an object is inserted.")
        }
        try transaction.set(_class.id, _objectKey, [property.id: new])
    }

    /// Makes this instance show a stored object.
    final func bind(to realm: RLMRealm, _ boundClass: BoundClass, _ key: ObjectKey) {
        bind(to: realm, boundClass, key, realm.lifetime(of: ObjectReference(boundClass.id, key)))
    }

    final func bind(
        to realm: RLMRealm, _ boundClass: BoundClass, _ key: ObjectKey, _ lifetime: RLMRealm.Lifetime
    ) {
        _realm = realm
        _class = boundClass
        _objectKey = key
        _lifetime = lifetime
        makePlace(in: realm)
        guard let model = boundClass.model, model.type == type(of: self) else { return }
        mark(model) { $0 + 1 }
        if model.isBare { bindBareProperties(model, to: realm, boundClass) }
    }

    /// Numbers the wrappers of the model's properties.
    final func mark(_ model: ClassModel, _ number: (UInt16) -> UInt16) {
        let base = Unmanaged.passUnretained(self).toOpaque()
        for (index, offset) in model.offsets.enumerated() {
            // A wrapper's number is its first field.
            (base + offset).storeBytes(of: number(UInt16(truncatingIfNeeded: index)), as: UInt16.self)
        }
        withExtendedLifetime(self) {}
    }

    /// The place of a property's wrapper.
    final func place(of property: PropertyModel) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + property.offset
    }

    /// The model of the object's class. Traps for a class that cannot be stored.
    final var model: ClassModel { raising { try ClassModel.of(type(of: self)) } }

    // MARK: Values by name

    /// The names of the properties, by slot.
    var propertyNames: [String] { model.properties.map(\.name) }

    /// The value of the property in that slot of the class's model, nil for null.
    func dynamicValue(_ slot: Int) -> Any? {
        let property = model.properties[slot]
        func get<Value: _Persistable>(_: Value.Type) -> Any { Value._get(self, slot) }
        let value = _realm == nil ? property.wrapper.value(at: place(of: property)) : get(property.wrapper.valueType)
        return flattened(value)
    }

    /// Assigns the property. Throws for what does not fit.
    func setDynamicValue(_ slot: Int, _ value: Any?) throws {
        let property = model.properties[slot]
        let named = property.place(in: model.name)
        guard _realm != nil else {
            if property.type.isComputed {
                throw RealmException("Linking objects property '\(model.name).\(property.name)' is read-only.")
            }
            return try property.wrapper.assign(value, at: place(of: property), as: named)
        }
        try checkAssignment(slot, value)
        func set<Value: _Persistable>(_: Value.Type) throws {
            Value._set(self, slot, try Value._converted(value, named))
        }
        try set(property.wrapper.valueType)
    }

    /// Throws when a managed object's property cannot be assigned by name now, or not this.
    final func checkAssignment(_ slot: Int, _ value: Any?) throws {
        guard let _realm, let _class else { return }
        _ = try _realm.writing()
        try _realm.check(self)
        let property = _class.properties[slot]
        if property.type.isComputed {
            throw RealmException("Linking objects property '\(_class.name).\(property.name)' is read-only.")
        }
        // Within a migration keys may be assigned.
        guard property.isPrimaryKey, _realm.file != nil else { return }
        let place = _Place(className: _class.name, property: property.name, type: property.type)
        guard let new = Conversion.plain(value, as: property.type) else { throw place.misfit(value) }
        if new != (try stored(slot)) {
            throw RealmException("Primary key can't be changed to '\(new.text)' after an object is inserted.")
        }
    }

    /// The slot of a property. Throws for a name that the class does not have.
    final func slot(of name: String) throws -> Int {
        guard let slot = slotIfKnown(of: name) else {
            throw RealmException("Invalid property name '\(name)' for class '\(_class?.name ?? model.name)'.")
        }
        return slot
    }

    func slotIfKnown(of name: String) -> Int? { model.slot(of: name) }
}

/// A value without the optional around it.
func flattened(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalProtocol else { return value }
    func unwrap<O: OptionalProtocol>(_ optional: O) -> Any? { optional._wrapped }
    return unwrap(optional)
}

extension RealmException {
    static let invalidObject = RealmException("Object has been deleted or invalidated.")
}

extension ObjectBase: CustomStringConvertible {
    /// How deep objects within objects are written out.
    private static let deepest = 5

    final func describe(_ depth: Int) -> String {
        guard depth < Self.deepest else { return "<Maximum depth exceeded>" }
        let name = _class?.name ?? type(of: self).className()
        if _realm != nil, isInvalidated { return "[invalid object]" }
        var lines = ["\(name) {"]
        for (slot, property) in propertyNames.enumerated() {
            let value = Self.text(of: dynamicValue(slot), depth + 1)
            lines.append("\t\(property) = \(value.replacingOccurrences(of: "\n", with: "\n\t"));")
        }
        lines.append("}")
        return lines.joined(separator: "\n")
    }

    /// The text of a value within an object or a collection.
    static func text(of value: Any?, _ depth: Int) -> String {
        switch value.flatMap({ flattened($0) }) {
        case nil: "(null)"
        case let object as ObjectBase: object.describe(depth)
        case let data as Data:
            "<\(data.prefix(24).map { String(format: "%02x", $0) }.joined()) — \(data.count) total bytes>"
        case let collection as any _DescribedCollection: collection.describe(depth)
        case let other?: String(describing: other)
        }
    }
}

/// A collection that writes itself out within an object.
protocol _DescribedCollection {
    func describe(_ depth: Int) -> String
}

/// Values by name, with the names that objects have for it on Apple's systems.
extension ObjectBase {
    /// What a property's value is to those who know it by name: see `KeyValuePath.plain`. Nil for null.
    final func namedValue(_ slot: Int) -> Any? {
        let value = dynamicValue(slot).map(KeyValuePath.plain)
        return value is NSNull ? nil : value
    }

    /// A property's value by its name, nil for null. Traps for a name that the class does not have.
    public func value(forKey key: String) -> Any? { raising { try KeyValuePath.value(of: key, in: self) } }

    /// A value by names with dots between them, which lead through links and collections; see
    /// `RealmCollection.value(forKeyPath:)`. Nil behind a null link.
    public func value(forKeyPath keyPath: String) -> Any? {
        raising { try KeyValuePath.value(at: keyPath, of: self) }
    }

    /// Assigns a property by its name, within a write when the object is managed. Traps for a name that the class does not
    /// have and for a value that does not fit.
    public func setValue(_ value: Any?, forKey key: String) { raising { try setDynamicValue(slot(of: key), value) } }

    /// Assigns a property of what the names before the last one lead to. Does nothing behind a null link.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        raising {
            guard let dot = keyPath.lastIndex(of: ".") else { return try setDynamicValue(slot(of: keyPath), value) }
            let key = String(keyPath[keyPath.index(after: dot)...])
            switch try KeyValuePath.value(at: String(keyPath[..<dot]), of: self) {
            case nil: return
            case let object as ObjectBase: try object.setDynamicValue(object.slot(of: key), value)
            case let map as any RealmKeyedCollection: map.setValue(value, forKey: key)
            case let collection as any RealmCollection: collection.setValue(value, forKey: key)
            case let other?: throw KeyValuePath.unknown(key, in: other)
            }
        }
    }
}
