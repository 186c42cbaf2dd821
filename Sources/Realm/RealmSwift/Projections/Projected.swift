import ObjectModel

/// Declares a property of a projection: the value at a key path from the projected object. Reads and writes go to the
/// object.
///
/// A path through `projectTo`, such as `\Person.dogs.projectTo.name`, gives a `ProjectedCollection`.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    let path: AnyKeyPath

    /// Traps on use if the path leads to no stored property.
    public init(_ projectedKeyPath: KeyPath<Root, Value>) { path = projectedKeyPath }

    /// Declares a path through a collection's elements.
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
        get { trapOnError { try projection[keyPath: storageKeyPath].value(in: projection.rootObject) } }
        set {
            trapOnError {
                let path = projection[keyPath: storageKeyPath].path
                guard let writable = path as? ReferenceWritableKeyPath<Root, Value> else {
                    throw RealmException("The projected property '\(path)' cannot be assigned.")
                }
                projection.rootObject[keyPath: writable] = newValue
            }
        }
    }

    /// Returns the value at the end of the path.
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
    var isStoredVariable: Bool { path is ReferenceWritableKeyPath<Root, Value> }
    func names() throws -> [String] { try tracedNames(path, Root.self) }
    func anyValue(in root: ObjectBase) throws -> Any? {
        guard let root = root as? Root else { return nil }
        return flattened(try value(in: root))
    }

    func text(in root: ObjectBase) throws -> String {
        guard let root = root as? Root else { return "nil" }
        return String(describing: try value(in: root))
    }
}

/// The type-erased wrapper.
protocol _ProjectedProperty {
    /// Whether the path ends in a variable, and not in something that is only computed.
    var isStoredVariable: Bool { get }
    /// Returns the names of the properties on the path.
    func names() throws -> [String]
    func anyValue(in root: ObjectBase) throws -> Any?

    /// The value as Swift prints it.
    func text(in root: ObjectBase) throws -> String
}

/// Returns the names of the properties on a key path of a model class. Throws if there is none.
func tracedNames<Root: ObjectBase>(_ path: AnyKeyPath, _: Root.Type) throws -> [String] {
    let trace = _Trace()
    if let path = path as? PartialKeyPath<Root> {
        (trace.object(Root.self)[keyPath: path] as? any _UnwrappedProperty)?._endTrace()
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
