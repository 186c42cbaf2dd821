import Foundation
import ObjectModel
import QueryOperators
import RealmInstances
import StoreContract
import Synchronization

/// The common base class of stored objects: `Object` and `EmbeddedObject`.
///
/// An instance is unmanaged until it is added to a realm. From then on it shows the stored object at the realm's
/// version, and is confined to the realm's thread, queue or actor.
open class ObjectBase {
    /// The realm; nil for an unmanaged object.
    final var _realm: RLMRealm?
    /// The class in the realm's schema; nil for an unmanaged object. Not retained, which takes time for each object of
    /// many: the realm is, and keeps its classes.
    final unowned(unsafe) var _class: BoundClass?
    final var _objectKey = ObjectKey(-1)
    /// The validity of this instance; see `RLMRealm.Lifetime`.
    final var _lifetime = RLMRealm.Lifetime()
    // The location of the object's values, which makes a read take some nanoseconds.
    //
    // The pointers here do not retain what they point to. They are valid while `_locationCount` equals the count of the
    // realm's read epoch, and are not used otherwise: until the count increases, `RowAccessorCache` retains the accessors
    // and the instance retains its snapshot, and the object retains its realm, which owns the epoch.
    //
    // The realm's own thread alone accesses it. For a frozen object there is no epoch; one thread determines the location,
    // and all threads read it once `_frozenState` says that it is there. The pointers are then valid as long as the realm:
    // `FrozenRows` retains what they point to.
    //
    // These are properties of their own, and not of one struct, because the program would check each access to the struct
    // for others while it runs.

    /// The count of the read epoch when the location was determined; 0 for never.
    final var _locationCount: UInt = 0
    /// Only while the realm is not writing, and not for a frozen object.
    final var _rowsInPlace: RowsInPlace?
    final unowned(unsafe) var _rowCells: (any RowAccessor)?
    final var _row = 0
    /// The realm's read epoch; nil for objects without a location.
    final var _readEpoch: UnsafePointer<ReadEpoch>?
    /// Only for a frozen object.
    final var _frozenColumns: FrozenColumns?
    /// The text of the property that was read last, if it was read twice in a row: making a string takes longer than all
    /// else that a read does. Valid as long as the location. Nil for frozen objects, which several threads read.
    final var _recentlyReadText: String?
    /// The slot of the property that was read last, if it is one of texts; -1 for none.
    final var _recentlyReadSlot = -1
    /// Whether this frozen object has its location; see `FrozenState`.
    final let _frozenState = Atomic<UInt8>(FrozenState.unknown)
    /// Whether this instance was passed to `Realm.delete`.
    final var _isDeletedHere = false
    /// The hash of the primary key, once computed for a managed object; else 0.
    final var _keyHash = 0
    /// The trace, while key paths are traced.
    @usableFromInline final var _trace: _Trace?

    /// Creates an unmanaged object whose properties have their defaults.
    public required init() {}

    /// The name of the class in schemas: `_realmObjectName`, else the name of the Swift class, after those of the model
    /// classes that it is declared in: `Outer_Inner`. Other types around it leave no trace. A file that has the class by
    /// its own name alone, as earlier versions stored it, keeps that name.
    open class func className() -> String { _realmObjectName() ?? NestedName.of(self) }

    /// The name of the class in schemas if it differs from Swift's; nil by default. To be overridden.
    open class func _realmObjectName() -> String? { nil }

    /// See `Object.propertiesMapping`.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Whether configurations that list no classes include this class.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// See `Object.isInvalidated`.
    open var isInvalidated: Bool { _realm.map { !$0.contains(self) } ?? false }

    /// Returns whether an object is equal to this one; `==` calls it. Objects of classes with a primary key and frozen
    /// objects are equal if they are the same stored object; other objects are equal only to themselves. Overridable
    /// together with `hash`, as on Apple's platforms.
    open func isEqual(_ object: Any?) -> Bool { (object as? ObjectBase).map(counts) ?? false }

    /// The hash. For a class with a primary key it depends on the key, so that adding an object does not change it; for
    /// others it depends on the instance. A deleted object keeps a hash that was computed before.
    open var hash: Int { ownHash }

    /// `Class { name = value; … }`, with nested objects indented, to a depth of five, and without linking objects.
    open var description: String { describe(0) }

    /// Called by `value(forKey:)` with a name that the class does not have. Traps unless it is overridden.
    open func value(forUndefinedKey key: String) -> Any? { trapOnError { throw unknownName(key) } }

    /// Called by `setValue(_:forKey:)` with a name that the class does not have. Traps unless it is overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) { trapOnError { throw unknownName(key) } }

    /// The realm for the public interface: nil after this instance deleted the object.
    final var managingRealm: Realm? { _isDeletedHere && isInvalidated ? nil : _realm.map { Realm($0) } }

    // MARK: The stored object

    final var _objectReference: ObjectReference? { _class.map { ObjectReference($0.id, _objectKey) } }

    /// Returns the realm and class of a managed object. Throws for an unmanaged or invalid object.
    final func managed() throws -> (realm: RLMRealm, class: BoundClass) {
        guard let _realm, let _class else { throw RealmException("The object is not managed by a Realm.") }
        try _realm.check(self)
        return (_realm, _class)
    }

    /// Reads a stored value. Throws if the object is invalid.
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
        return trapOnError { try stored(slot) }
    }

    /// Assigns a property of a managed object, within a write.
    final func assign(_ slot: Int, _ value: (_ObjectPersister) throws -> Value) throws {
        guard let _realm, let _class else { throw RealmException("The object is not managed by a Realm.") }
        let transaction = try writing(in: _realm)
        let property = _class.properties[slot]
        let new = try value(_ObjectPersister(_realm))
        if property.isPrimaryKey, _realm.file != nil { throw RealmException("Cannot modify primary key") }
        try transaction.set(_class.id, _objectKey, [property.id: new])
    }

    /// Whether the embedded object is the present value of the property.
    final func owns(_ embedded: EmbeddedObject, at slot: Int) throws -> Bool {
        guard let _realm, embedded._realm === _realm, let reference = embedded._objectReference else { return false }
        return try stored(slot) == .reference(reference)
    }

    /// Returns the open write transaction to assign a property in. Throws for an object that no longer exists, wherever
    /// that is tried, and then if there is no transaction.
    final func writing(in realm: RLMRealm) throws -> any WriteTransaction {
        try realm.check(self)
        if realm.isFrozen, realm.file != nil {
            throw RealmException(
                "Attempting to modify a frozen object - call thaw on the Object instance first.")
        }
        return try realm.writing()
    }

    /// Makes this instance represent a stored object.
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
        resetLocation(in: realm)
        guard let model = boundClass.model, model.type == type(of: self) else { return }
        mark(model) { $0 + 1 }
        if model.isUnwrapped { bindUnwrappedProperties(model, to: realm, boundClass) }
    }

    /// Numbers the wrappers of the model's properties.
    final func mark(_ model: ClassModel, _ number: (UInt16) -> UInt16) {
        let base = Unmanaged.passUnretained(self).toOpaque()
        for (index, offset) in model.offsets.enumerated() {
            // The number is the first field of a wrapper.
            (base + offset).storeBytes(of: number(UInt16(truncatingIfNeeded: index)), as: UInt16.self)
        }
        withExtendedLifetime(self) {}
    }

    /// Returns the address of a property's wrapper.
    final func address(of property: PropertyModel) -> UnsafeMutableRawPointer { address(at: property.offset) }

    /// Returns the address of the wrapper at an offset of the object's model: without a copy of the property's description.
    @inline(__always)
    final func address(at offset: Int) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + offset
    }

    /// The model of the object's class. Traps for a class that cannot be stored.
    final var model: ClassModel { trapOnError { try ClassModel.of(type(of: self)) } }

    // MARK: Values by name

    /// The names of the stored properties with their slots.
    var storedProperties: [(slot: Int, name: String)] {
        model.properties.enumerated().filter { !$0.element.type.isComputed }.map {
            (slot: $0.offset, name: $0.element.name)
        }
    }

    /// Returns the value of the property in a slot of the class's model; nil for null.
    func dynamicValue(_ slot: Int) -> Any? {
        let property = model.properties[slot]
        func get<Value: _Persistable>(_: Value.Type) -> Any { Value._get(self, slot) }
        let value = _realm == nil ? property.wrapper.value(at: address(of: property)) : get(property.wrapper.valueType)
        return flattened(value)
    }

    /// Assigns the property. Throws for values that do not fit.
    func setDynamicValue(_ slot: Int, _ value: Any?) throws {
        let property = model.properties[slot]
        let named = property.context(in: model.name)
        guard _realm != nil else {
            if property.type.isComputed {
                throw RealmException("Linking objects property '\(model.name).\(property.name)' is read-only.")
            }
            return try property.wrapper.assign(value, at: address(of: property), as: named)
        }
        try checkAssignment(slot, value)
        func set<Value: _Persistable>(_: Value.Type) throws {
            Value._set(self, slot, try Value._converted(value, named))
        }
        try set(property.wrapper.valueType)
    }

    /// Throws if a managed object's property cannot be assigned by name at present, or not this value.
    final func checkAssignment(_ slot: Int, _ value: Any?) throws {
        guard let _realm, let _class else { return }
        _ = try writing(in: _realm)
        let property = _class.properties[slot]
        if property.type.isComputed {
            throw RealmException("Linking objects property '\(_class.name).\(property.name)' is read-only.")
        }
        // A migration may assign primary keys.
        guard property.isPrimaryKey, _realm.file != nil else { return }
        let context = _PropertyContext(className: _class.name, property: property.name, type: property.type)
        guard let new = Conversion.plain(value, as: property.type) else { throw context.typeMismatch(value) }
        throw RealmException("Primary key can't be changed to '\(new.text)' after an object is inserted.")
    }

    /// Returns the slot of a property. Throws if the class has no property with that name.
    final func slot(of name: String) throws -> Int {
        guard let slot = slotIfKnown(of: name) else { throw unknownName(name) }
        return slot
    }

    private final func unknownName(_ name: String) -> RealmException {
        RealmException("Invalid property name '\(name)' for class '\(_class?.name ?? model.name)'.")
    }

    func slotIfKnown(of name: String) -> Int? { model.slot(of: name) }
}

/// Unwraps nested optionals.
func flattened(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalProtocol else { return value }
    func unwrap<O: OptionalProtocol>(_ optional: O) -> Any? { optional._wrapped }
    return unwrap(optional)
}

extension RealmException {
    static let invalidObject = RealmException("Object has been deleted or invalidated.")
}

extension ObjectBase: CustomStringConvertible {
    /// The depth to which nested objects are printed.
    private static let deepest = 5

    final func describe(_ depth: Int) -> String {
        guard depth < Self.deepest else { return "<Maximum depth exceeded>" }
        let name = _class?.name ?? type(of: self).className()
        if _realm != nil, isInvalidated { return "[invalid object]" }
        var lines = ["\(name) {"]
        for (slot, property) in storedProperties {
            let value = Self.text(of: dynamicValue(slot), depth + 1)
            lines.append("\t\(property) = \(value.replacingOccurrences(of: "\n", with: "\n\t"));")
        }
        lines.append("}")
        return lines.joined(separator: "\n")
    }

    /// Returns the description of a value within an object or a collection: as it is stored, and numbers as Foundation's
    /// `NSNumber` prints them on Apple's platforms.
    static func text(of value: Any?, _ depth: Int, null: String = "(null)") -> String {
        switch value.flatMap({ flattened($0) }) {
        case nil, is NSNull: null
        case let object as ObjectBase: object.describe(depth)
        case let data as Data:
            "<\(data.prefix(24).map { String(format: "%02x", $0) }.joined()) — \(data.count) total bytes>"
        case let collection as any _DescribedCollection: collection.describe(depth)
        case let mixed as AnyRealmValue: text(of: mixed.content, depth, null: null)
        case let value as any PersistableEnum: text(of: QueryValue.persisted(value), depth)
        case let value as any _CustomPersistable: text(of: QueryValue.persisted(value), depth)
        case let flag as Bool: flag ? "1" : "0"
        case let number as Float: String(format: "%.7g", Double(number))
        case let number as Double: String(format: "%.16g", number)
        case let other?: String(describing: other)
        }
    }
}

/// A collection that prints itself within an object's description.
protocol _DescribedCollection {
    func describe(_ depth: Int) -> String
}

/// Key-value coding, with the names of `NSObject`.
extension ObjectBase {
    /// The value of a property for key-value coding: see `KeyValuePath.plain`. Nil for null.
    final func namedValue(_ slot: Int) -> Any? {
        let value = dynamicValue(slot).map(KeyValuePath.plain)
        return value is NSNull ? nil : value
    }

    /// Returns a property's value by name; nil for null. Traps if the class has no such property.
    public func value(forKey key: String) -> Any? { trapOnError { try KeyValuePath.value(of: key, in: self) } }

    /// Returns the value at a dotted path, which may lead through links and collections; see
    /// `RealmCollection.value(forKeyPath:)`. Nil if a link on the path is null.
    public func value(forKeyPath keyPath: String) -> Any? {
        trapOnError { try KeyValuePath.value(at: keyPath, of: self) }
    }

    /// Assigns a property by name, within a write if the object is managed. Traps if the class has no such property,
    /// and for values that do not fit.
    public func setValue(_ value: Any?, forKey key: String) {
        trapOnError {
            guard let slot = slotIfKnown(of: key) else { return setValue(value, forUndefinedKey: key) }
            try setDynamicValue(slot, value)
        }
    }

    /// Returns the values of several properties by name, `NSNull` for null; see `value(forKey:)`.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? KeyValuePath.null) }) { first, _ in first }
    }

    /// Assigns several properties by name; see `setValue(_:forKey:)`.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// Assigns the property at a dotted path. Does nothing if a link on the path is null.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        trapOnError {
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
