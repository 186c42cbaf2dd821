import ObjectModel

/// Records a key path: each property that is read on the way adds its name.
public final class _Trace {
    private(set) var names: [String] = []
    /// The tracing objects, with the number of names that lead to each.
    private var objects: [(object: ObjectBase, depth: Int)] = []
    /// The object that stands for any element of a collection on the path; nil for one that traces.
    let element: ObjectBase?

    init(element: ObjectBase? = nil) { self.element = element }

    /// Reads a property of a tracing object. If code reads several properties of one object, the last one counts.
    func step<R>(_ slot: Int, of object: ObjectBase, _ read: (_Trace) -> R) -> R {
        if let depth = objects.first(where: { $0.object === object })?.depth {
            names.removeLast(max(0, names.count - depth))
        }
        names.append(object.model.properties[slot].name)
        return read(self)
    }

    func append(_ name: String) { names.append(name) }

    /// Returns an object that stands for any object of a class, which may be known only at run time.
    func object<T: ObjectBase>(_ type: T.Type) -> T {
        let object = type.init()
        object._trace = self
        object.mark(object.model) { ($0 + 1) | PersistedMarks.traced }
        objects.append((object, names.count))
        if object.model.isUnwrapped { object.traceUnwrappedProperties(self) }
        return object
    }
}

/// Conformed to only by `ObjectBase` and its subclasses.
public protocol _ModelObject: ObjectBase {}
extension ObjectBase: _ModelObject {}

/// Returns the dotted name of the property at a key path: `toys.brand` for `\Dog.toys.brand`. Traps for key paths that
/// do not lead to a stored property.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
    trapOnError {
        let trace = _Trace()
        (trace.object(T.self)[keyPath: keyPath] as? any _UnwrappedProperty)?._endTrace()
        guard !trace.names.isEmpty else {
            throw RealmException("The key path \(keyPath) does not lead to a stored property of '\(T.className())'.")
        }
        return trace.names.joined(separator: ".")
    }
}
