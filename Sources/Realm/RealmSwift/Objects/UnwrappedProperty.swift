import ObjectModel

// Properties without `@Persisted`, Realm's older syntax: `let dogs = List<Dog>()`, `let age = RealmProperty<Int?>()`,
// `let owners = LinkingObjects(fromType: Person.self, property: "dogs")`. The object keeps the same instances when it
// becomes managed, and binds them to the stored properties. A class with one `@Persisted` property stores only such.

/// The type of a property without `@Persisted`.
protocol _UnwrappedProperty {
    static var _wrapper: any _PersistedProperty.Type { get }

    /// Makes key paths through the instance record the property's name.
    func _startTrace(_ trace: _Trace, _ name: String)

    /// Called when a key path ends at the instance.
    func _endTrace()
}

/// The operations on such a property when its object becomes managed, and when key paths are traced.
protocol _UnwrappedPropertyBinding: _PersistedProperty {
    static func bind(at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ accessor: PropertyAccessor)
    static func startTrace(at address: UnsafeMutableRawPointer, _ trace: _Trace, _ name: String)
}

/// The trace that a collection belongs to, and the name that the first step through it records.
struct TraceStart {
    var trace: _Trace?
    var name: String?

    mutating func begin() -> _Trace? {
        if let name { trace?.append(name) }
        name = nil
        return trace
    }
}

extension ObjectBase {
    /// Binds the instances in the object's properties to the stored values.
    final func bindUnwrappedProperties(_ model: ClassModel, to realm: RLMRealm, _ boundClass: BoundClass) {
        let owner = ObjectReference(boundClass.id, _objectKey)
        for (property, bound) in zip(model.properties, boundClass.properties) {
            let accessor = PropertyAccessor(realm, owner, bound, _lifetime)
            (property.wrapper as? any _UnwrappedPropertyBinding.Type)?.bind(at: address(of: property), self, accessor)
        }
    }

    final func traceUnwrappedProperties(_ trace: _Trace) {
        for property in model.properties {
            (property.wrapper as? any _UnwrappedPropertyBinding.Type)?.startTrace(
                at: address(of: property), trace, property.name)
        }
    }
}

extension _UnwrappedPropertyBinding {
    /// Does nothing: the bound instance reads from the store.
    static func release(at address: UnsafeMutableRawPointer) {}
}

/// The wrapper of a list, set or map.
enum UnwrappedCollection<Value: _HeldCollection & _Persistable & _UnwrappedProperty>: _UnwrappedPropertyBinding {
    static var isUnwrapped: Bool { true }
    static var valueType: any _Persistable.Type { Value.self }

    private static func instance(_ address: UnsafeRawPointer) -> Value {
        address.assumingMemoryBound(to: Value.self).pointee
    }

    static func marks(at address: UnsafeRawPointer) -> PersistedMarks {
        PersistedMarks(isPrimaryKey: false, isIndexed: false, origin: nil, hasDefault: true)
    }

    static func value(at address: UnsafeMutableRawPointer) -> Any { instance(address) }

    static func assign(_ value: Any?, at address: UnsafeMutableRawPointer, as named: _PropertyContext) throws {
        _ = _PersistedContent.value(instance(address)).taking(try Value._converted(value, named))
    }

    static func stored(at address: UnsafeMutableRawPointer, by persister: _ObjectPersister) throws -> _Stored? {
        try Value._stored(instance(address), by: persister)
    }

    static func bind(at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ accessor: PropertyAccessor) {
        instance(address).promote(to: accessor)
    }

    static func startTrace(at address: UnsafeMutableRawPointer, _ trace: _Trace, _ name: String) {
        instance(address)._startTrace(trace, name)
    }
}

/// The wrapper of linking objects.
enum UnwrappedLinkingObjects<Element: ObjectBase & RealmCollectionValue>: _UnwrappedPropertyBinding {
    static var isUnwrapped: Bool { true }
    static var valueType: any _Persistable.Type { LinkingObjects<Element>.self }

    private static func instance(_ address: UnsafeRawPointer) -> LinkingObjects<Element> {
        address.assumingMemoryBound(to: LinkingObjects<Element>.self).pointee
    }

    static func marks(at address: UnsafeRawPointer) -> PersistedMarks {
        PersistedMarks(
            isPrimaryKey: false, isIndexed: false, origin: instance(address).bare?.property, hasDefault: true)
    }

    static func value(at address: UnsafeMutableRawPointer) -> Any { instance(address) }

    static func assign(_ value: Any?, at address: UnsafeMutableRawPointer, as named: _PropertyContext) throws {
        throw named.typeMismatch(value)
    }

    static func stored(at address: UnsafeMutableRawPointer, by persister: _ObjectPersister) throws -> _Stored? { nil }

    static func bind(at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ accessor: PropertyAccessor) {
        instance(address).bare?.accessor = accessor
    }

    static func startTrace(at address: UnsafeMutableRawPointer, _ trace: _Trace, _ name: String) {
        instance(address)._startTrace(trace, name)
    }
}
