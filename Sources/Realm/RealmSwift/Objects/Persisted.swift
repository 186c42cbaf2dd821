import ObjectModel

/// Declares a stored property of a model class.
///
/// In an unmanaged object it holds its value; in a managed object it reads and writes the store.
///
/// ```swift
/// @Persisted(primaryKey: true) var id: ObjectId
/// @Persisted(indexed: true) var year: Int?
/// @Persisted var isLent = false
/// @Persisted var author: Author?
/// @Persisted var keywords: MutableSet<String>
/// @Persisted(originProperty: "book") var loans: LinkingObjects<Loan>
/// ```
@propertyWrapper
public struct Persisted<Value: _Persistable> {
    /// The number of the property in its class, from 1, in a managed object; 0 in an unmanaged one. The highest bit is
    /// set in an object that traces key paths. It is the first field, so that its offset does not depend on the type of
    /// the value.
    @usableFromInline var slot: UInt16 = 0
    @usableFromInline var isPrimaryKey = false
    @usableFromInline var isIndexed = false
    @usableFromInline var content: _PersistedContent<Value>

    @available(
        *, unavailable, message: "@Persisted can only be used as a property of a class that derives from Object."
    )
    public var wrappedValue: Value {
        get { fatalError("not reached") }
        // swift-format-ignore: UnusedSetterValue
        set { fatalError("not reached") }
    }

    /// Declares a property. Without a value an object has nil, false, zero, an empty string or collection, the present
    /// time, a new identifier, or the first case of an enum.
    @inlinable
    public init() { content = .empty }

    /// Declares a default, which is evaluated for each new object.
    @inlinable
    public init(wrappedValue value: Value) { content = .value(value) }

    public static subscript<Owner: ObjectBase>(
        _enclosingInstance object: Owner,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Owner, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        // Without inlining of the accessors, the key paths are evaluated, which takes many times as long.
        @inlinable @inline(__always) get {
            let slot = object[keyPath: storageKeyPath].slot
            if slot == 0 { return object[keyPath: storageKeyPath].unmanaged() }
            return read(object, slot)
        }
        @inlinable @inline(__always) set {
            let slot = object[keyPath: storageKeyPath].slot
            if slot == 0 {
                object[keyPath: storageKeyPath].keep(newValue)
            } else {
                Value._set(object, Int(slot) - 1, newValue)
            }
        }
    }

    @inlinable static func read(_ object: ObjectBase, _ slot: UInt16) -> Value {
        slot < 1 << 15 ? Value._get(object, Int(slot) - 1) : readTracing(object, slot)
    }

    @usableFromInline static func readTracing(_ object: ObjectBase, _ slot: UInt16) -> Value {
        let slot = Int(slot & ~PersistedMarks.traced) - 1
        guard let trace = object._trace else { return Value._get(object, slot) }
        return trace.step(slot, of: object) { trace in
            // A type that cannot be made of every stored value may have none that could stand for any, except the
            // default that the class declares.
            if Value.self is any _MayNotRestore.Type {
                let wrapper = object.address(of: object.model.properties[slot]).assumingMemoryBound(to: Self.self)
                if case .value(let declared) = wrapper.pointee.content { return declared }
            }
            return Value._traced(trace)
        }
    }

    /// Returns the value, and stores a default on the first access.
    @inlinable mutating func unmanaged() -> Value {
        if case .value(let value) = content { return value }
        return unmanagedInitially()
    }

    @inlinable mutating func keep(_ value: Value) { content = .value(Value._assigned(value, content)) }

    @usableFromInline mutating func unmanagedInitially() -> Value {
        let value: Value
        switch content {
        case .value(let value): return value
        case .empty, .origin: value = Value._initial()
        }
        content = .value(value)
        return value
    }
}

/// The contents of an unmanaged object's property.
public enum _PersistedContent<Value> {
    case empty
    case value(Value)
    /// The property whose links a linking-objects property inverts.
    case origin(String)
}

extension _PersistedContent where Value: _HeldCollection & _Persistable {
    /// Returns the property's collection, or a new one, with the elements of another collection.
    func taking(_ elements: Value) -> Value {
        let current = if case .value(let collection) = self { collection } else { Value._initial() }
        if current !== elements, current.accessor == nil { current.replaceElements(with: elements) }
        return current
    }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
    /// Declares the primary key of the class, which is unique and indexed. It can be assigned only in an unmanaged
    /// object.
    @inlinable
    public init(primaryKey: Bool) {
        self.init()
        isPrimaryKey = primaryKey
    }

    /// Declares the primary key of the class, with a default that is evaluated for each new object.
    @inlinable
    public init(wrappedValue value: Value, primaryKey: Bool) {
        content = .value(value)
        isPrimaryKey = primaryKey
    }
}

extension Persisted where Value.PersistedType: _Indexable {
    /// Declares a property with an index: queries for equal values take logarithmic time, and each write of the
    /// property updates the index.
    @inlinable
    public init(indexed: Bool) {
        self.init()
        isIndexed = indexed
    }

    /// Declares a property with an index and a default, which is evaluated for each new object.
    @inlinable
    public init(wrappedValue value: Value, indexed: Bool) {
        content = .value(value)
        isIndexed = indexed
    }
}

extension Persisted where Value: _LinkingObjectsProtocol {
    /// Declares the objects that link here through the property with that name.
    public init(originProperty: String) { content = .origin(originProperty) }
}

extension Persisted: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        self.init()
        // The container applies the decoder's strategies for dates and data, which `Value(from:)` does not see.
        content = .value(try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Throws for properties of managed objects, whose values are in the store.
    public func encode(to encoder: any Encoder) throws {
        switch content {
        case _ where slot != 0:
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "Only unmanaged Realm objects can be encoded using automatic Codable synthesis. "
                        + "You must explicitly define encode(to:) on your model class to support managed Realm objects."
                ))
        default:
            var copy = self
            var container = encoder.singleValueContainer()
            try container.encode(copy.unmanaged())
        }
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional whose key is missing as nil; called by the synthesised decoding of models.
    public func decode<Value: _Persistable & Decodable & ExpressibleByNilLiteral>(
        _ type: Persisted<Value>.Type, forKey key: Key
    ) throws -> Persisted<Value> {
        try decodeIfPresent(type, forKey: key) ?? Persisted(wrappedValue: nil)
    }
}

extension ObjectBase {
    /// Returns the collection in a managed object's property: always the instance that the object had when it became
    /// managed. Frozen objects return a new one, because several threads may read them at once.
    final func collection<Value: _HeldCollection & _Persistable>(
        _ slot: Int, _ make: (PropertyAccessor) -> Value
    ) throws -> Value {
        guard let _realm, let _class, let model = _class.model, model.type == type(of: self) else {
            return make(try PropertyAccessor(self, slot))
        }
        if model.isUnwrapped {
            try _realm.checkConfinement()
            try _realm.check(self)
            return address(of: model.properties[slot]).assumingMemoryBound(to: Value.self).pointee
        }
        guard !_realm.isFrozen else { return make(try PropertyAccessor(self, slot)) }
        // The property was accessed with this type, so the wrapper has it.
        let wrapper = address(of: model.properties[slot]).assumingMemoryBound(to: Persisted<Value>.self)
        if case .value(let held) = wrapper.pointee.content, let accessor = held.accessor as? PropertyAccessor,
            accessor.realm === _realm, accessor.owner == _objectReference, accessor.property.slot == slot,
            accessor.lifetime == _lifetime
        {
            try _realm.checkConfinement()
            try _realm.check(self)
            return held
        }
        let new = make(try PropertyAccessor(self, slot))
        wrapper.pointee.content = .value(new)
        return new
    }
}

/// A collection in a property, which becomes managed with its object.
protocol _HeldCollection: AnyObject {
    var accessor: (any CollectionAccessor)? { get }

    func promote(to accessor: PropertyAccessor)

    /// Replaces the elements of an unmanaged collection with those of another one, which may be managed.
    func replaceElements(with other: Self)
}

/// The arguments of a wrapper's initialiser.
struct PersistedMarks {
    static let traced: UInt16 = 1 << 15

    var isPrimaryKey: Bool
    var isIndexed: Bool
    var origin: String?
    /// Whether the class declares a default.
    var hasDefault: Bool
}

/// The type-erased operations of a wrapper at an address within an object. Addresses come from `ClassModel` and are
/// used only for objects of that class.
protocol _PersistedProperty: SendableMetatype {
    /// Whether the property has no wrapper; see `_UnwrappedProperty`.
    static var isUnwrapped: Bool { get }
    static var valueType: any _Persistable.Type { get }
    static func marks(at address: UnsafeRawPointer) -> PersistedMarks

    /// Returns the value in an unmanaged object.
    static func value(at address: UnsafeMutableRawPointer) -> Any

    /// Assigns a value given by name in an unmanaged object. Throws a `RealmException` for values that do not fit.
    static func assign(_ value: Any?, at address: UnsafeMutableRawPointer, as named: _PropertyContext) throws

    /// Releases the value of an object that has become managed.
    static func release(at address: UnsafeMutableRawPointer)

    /// Returns the value to store when an unmanaged object becomes managed.
    static func stored(at address: UnsafeMutableRawPointer, by persister: _ObjectPersister) throws -> _Stored?
}

extension Persisted: _PersistedProperty {
    static var isUnwrapped: Bool { false }
    static var valueType: any _Persistable.Type { Value.self }

    private static func pointer(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
        address.assumingMemoryBound(to: Self.self)
    }

    static func marks(at address: UnsafeRawPointer) -> PersistedMarks {
        let wrapper = address.assumingMemoryBound(to: Self.self)
        var origin: String?
        var hasDefault = true
        if case .origin(let name) = wrapper.pointee.content { origin = name }
        if case .empty = wrapper.pointee.content { hasDefault = false }
        return PersistedMarks(
            isPrimaryKey: wrapper.pointee.isPrimaryKey, isIndexed: wrapper.pointee.isIndexed, origin: origin,
            hasDefault: hasDefault)
    }

    static func value(at address: UnsafeMutableRawPointer) -> Any {
        pointer(address).pointee.unmanaged()
    }

    static func assign(_ value: Any?, at address: UnsafeMutableRawPointer, as named: _PropertyContext) throws {
        pointer(address).pointee.keep(try Value._converted(value, named))
    }

    static func release(at address: UnsafeMutableRawPointer) { pointer(address).pointee.content = .empty }

    static func stored(at address: UnsafeMutableRawPointer, by persister: _ObjectPersister) throws -> _Stored? {
        try Value._stored(pointer(address).pointee.unmanaged(), by: persister)
    }
}
