import ObjectModel

/// A property of a class without `@Persisted`: `let age = RealmProperty<Int?>()` stores its `value`. Classes with
/// `@Persisted` do not store it: declare `@Persisted var age: Int?` there.
public final class RealmProperty<Value: RealmPropertyType & _Persistable>: CustomStringConvertible {
    private var unmanaged = Value._initial()
    private var accessor: PropertyAccessor?
    private weak var object: ObjectBase?
    private var tracing = TraceStart()

    /// Creates an unmanaged property with the default of its type: nil, zero or empty.
    public init() {}

    /// The value. If the object is managed, it can be assigned only within a write.
    public var value: Value {
        get {
            if let trace = tracing.begin() { return Value._traced(trace) }
            guard let accessor else { return unmanaged }
            return Value._get(owner(accessor), accessor.property.slot)
        }
        set {
            guard let accessor else { return unmanaged = newValue }
            Value._set(owner(accessor), accessor.property.slot, newValue)
        }
    }

    /// Returns the object, or another instance of the stored object if the first was released.
    private func owner(_ accessor: PropertyAccessor) -> ObjectBase {
        if let object { return object }
        return trapOnError {
            try accessor.check()
            return try accessor.realm.object(accessor.owner)
        }
    }

    public var description: String { String(describing: value) }
}

/// A type that `RealmProperty` accepts.
public protocol RealmPropertyType {}
/// A type that `RealmProperty` accepts as an optional.
public protocol _OptionalRealmPropertyType {}

extension AnyRealmValue: RealmPropertyType {}
extension Optional: RealmPropertyType where Wrapped: _OptionalRealmPropertyType {}
extension Int: _OptionalRealmPropertyType {}
extension Int8: _OptionalRealmPropertyType {}
extension Int16: _OptionalRealmPropertyType {}
extension Int32: _OptionalRealmPropertyType {}
extension Int64: _OptionalRealmPropertyType {}
extension Float: _OptionalRealmPropertyType {}
extension Double: _OptionalRealmPropertyType {}
extension Bool: _OptionalRealmPropertyType {}

extension RealmProperty: Equatable where Value: Equatable {
    /// Whether the values are equal.
    public static func == (a: RealmProperty, b: RealmProperty) -> Bool { a.value == b.value }
}

extension RealmProperty: Decodable where Value: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        unmanaged = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension RealmProperty: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension RealmProperty: _UnwrappedProperty {
    static var _wrapper: any _PersistedProperty.Type { UnwrappedValue<RealmProperty>.self }

    func _startTrace(_ trace: _Trace, _ name: String) { tracing = TraceStart(trace: trace, name: name) }
    func _endTrace() { _ = tracing.begin() }

    fileprivate func assign(_ value: Value) { unmanaged = value }

    fileprivate func bind(_ object: ObjectBase, _ accessor: PropertyAccessor) {
        self.object = object
        self.accessor = accessor
    }
}

/// The type-erased `RealmProperty`, for queries.
public protocol _RealmPropertyProtocol {
    associatedtype Value
}
extension RealmProperty: _RealmPropertyProtocol {}

extension Query where T: _RealmPropertyProtocol {
    /// The value of the property.
    public var value: Query<T.Value> { Query<T.Value>(node) }
}

/// A wrapper of a class without `@Persisted`: a `RealmProperty`, or one that has it.
private protocol UnwrappedHolder {
    associatedtype Stored: RealmPropertyType & _Persistable
    var property: RealmProperty<Stored> { get }
}

extension RealmProperty: UnwrappedHolder {
    fileprivate var property: RealmProperty { self }
}

private enum UnwrappedValue<Holder: UnwrappedHolder>: _UnwrappedPropertyBinding {
    static var isUnwrapped: Bool { true }
    static var valueType: any _Persistable.Type { Holder.Stored.self }

    private static func instance(_ address: UnsafeRawPointer) -> RealmProperty<Holder.Stored> {
        address.assumingMemoryBound(to: Holder.self).pointee.property
    }

    static func marks(at address: UnsafeRawPointer) -> PersistedMarks {
        PersistedMarks(isPrimaryKey: false, isIndexed: false, origin: nil, hasDefault: true)
    }

    static func value(at address: UnsafeMutableRawPointer) -> Any { instance(address).value }

    static func assign(_ value: Any?, at address: UnsafeMutableRawPointer, as named: _PropertyContext) throws {
        instance(address).assign(try Holder.Stored._converted(value, named))
    }

    static func stored(at address: UnsafeMutableRawPointer, by persister: _ObjectPersister) throws -> _Stored? {
        try Holder.Stored._stored(instance(address).value, by: persister)
    }

    static func bind(at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ accessor: PropertyAccessor) {
        instance(address).bind(object, accessor)
    }

    static func startTrace(at address: UnsafeMutableRawPointer, _ trace: _Trace, _ name: String) {
        instance(address)._startTrace(trace, name)
    }
}

// MARK: RealmOptional

/// A property of a class without `@Persisted` that may be null: `let age = RealmOptional<Int>()` stores its `value`.
/// The same as `RealmProperty<Int?>`, which came after it in Realm.
public final class RealmOptional<Value: RealmOptionalType>: CustomStringConvertible {
    fileprivate let property = RealmProperty<Value?>()

    /// Creates an unmanaged property with a value.
    public init(_ value: Value? = nil) { property.value = value }

    /// The value. If the object is managed, it can be assigned only within a write.
    public var value: Value? {
        get { property.value }
        set { property.value = newValue }
    }

    public var description: String { property.description }
}

/// A type that `RealmOptional` accepts.
public protocol RealmOptionalType: _OptionalRealmPropertyType, _RealmCollectionValueInsideOptional {}

extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}
extension Bool: RealmOptionalType {}

extension RealmOptional: Equatable where Value: Equatable {
    /// Whether the values are equal.
    public static func == (a: RealmOptional, b: RealmOptional) -> Bool { a.value == b.value }
}

extension RealmOptional: Decodable where Value: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value?.self))
    }
}

extension RealmOptional: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws { try property.encode(to: encoder) }
}

extension RealmOptional: UnwrappedHolder {}

extension RealmOptional: _UnwrappedProperty {
    static var _wrapper: any _PersistedProperty.Type { UnwrappedValue<RealmOptional>.self }

    func _startTrace(_ trace: _Trace, _ name: String) { property._startTrace(trace, name) }
    func _endTrace() { property._endTrace() }
}
