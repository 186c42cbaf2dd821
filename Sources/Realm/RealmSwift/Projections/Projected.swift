import ObjectModel

/// A property of a projection: what a key path from the projected object leads to. It is read, and written, through the
/// object.
///
/// A path through `projectTo`, as `\Person.dogs.projectTo.name`, gives a `ProjectedCollection`.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    let path: AnyKeyPath

    /// Traps when it is used and the path leads to no stored property.
    public init(_ projectedKeyPath: KeyPath<Root, Value>) { path = projectedKeyPath }

    /// Of a path that leads through a collection's elements.
    public init<Element: RealmCollectionValue>(_ projectedKeyPath: KeyPath<Root, Element>)
    where Value == ProjectedCollection<Element> {
        path = projectedKeyPath
    }

    @available(
        *, unavailable, message: "@Projected can only be used as a property of a class that derives from Projection."
    )
    public var wrappedValue: Value {
        get { fatalError("not reached") }
        // swift-format-ignore: UnusedSetterValue
        set { fatalError("not reached") }
    }

    public static subscript<Owner: Projection<Root>>(
        _enclosingInstance projection: Owner,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Owner, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        get { raising { try projection[keyPath: storageKeyPath].value(in: projection.rootObject) } }
        set {
            raising {
                let path = projection[keyPath: storageKeyPath].path
                guard let writable = path as? ReferenceWritableKeyPath<Root, Value> else {
                    throw RealmException("The projected property '\(path)' cannot be assigned.")
                }
                projection.rootObject[keyPath: writable] = newValue
            }
        }
    }

    /// The value that the path leads to.
    func value(in root: Root) throws -> Value {
        if let path = path as? KeyPath<Root, Value> { return root[keyPath: path] }
        let names = try tracedNames(path, Root.self)
        if let trace = root._trace { for name in names { trace.append(name) } }
        guard let collection = Value.self as? any _ProjectedCollection.Type,
            let value = try collection.projected(from: root, names, path) as? Value
        else { throw RealmException("The key path '\(path)' cannot be projected.") }
        return value
    }
}

extension Projected: _ProjectedProperty {
    func names() throws -> [String] { try tracedNames(path, Root.self) }
    func anyValue(in root: ObjectBase) throws -> Any? {
        guard let root = root as? Root else { return nil }
        return flattened(try value(in: root))
    }
}

/// A wrapper whatever its types are.
protocol _ProjectedProperty {
    /// The names of the properties on the way.
    func names() throws -> [String]
    func anyValue(in root: ObjectBase) throws -> Any?
}

/// The names of the properties that a key path of a model class goes through. Throws when there is none.
func tracedNames<Root: ObjectBase>(_ path: AnyKeyPath, _: Root.Type) throws -> [String] {
    let trace = _Trace()
    if let path = path as? PartialKeyPath<Root> {
        (trace.object(Root.self)[keyPath: path] as? any _BareProperty)?._endTrace()
    }
    guard !trace.names.isEmpty else {
        throw RealmException(
            "@Projected property '\(path)' does not lead to a stored property of '\(Root.className())'.")
    }
    return trace.names
}

protocol _ProjectedCollection {
    static func projected<Root: ObjectBase>(from root: Root, _ names: [String], _ path: AnyKeyPath) throws -> Any
}
