import ObjectModel

/// Follows a key path: each property that is read on the way adds its name.
public final class _Trace {
    private(set) var names: [String] = []
    /// The objects that trace, with how many names lead to each.
    private var objects: [(object: ObjectBase, depth: Int)] = []
    /// What stands for any element of a collection on the way; nil for one that traces.
    let element: ObjectBase?

    init(element: ObjectBase? = nil) { self.element = element }

    /// Reads a property of an object that traces. Code that reads several of one object leads to the last one.
    func step<R>(_ slot: Int, of object: ObjectBase, _ read: (_Trace) -> R) -> R {
        if let depth = objects.first(where: { $0.object === object })?.depth {
            names.removeLast(max(0, names.count - depth))
        }
        names.append(object.model.properties[slot].name)
        return read(self)
    }

    func append(_ name: String) { names.append(name) }

    /// An object that stands for any of a class, which may be known at run time only.
    func object<T: ObjectBase>(_ type: T.Type) -> T {
        let object = type.init()
        object._trace = self
        object.mark(object.model) { ($0 + 1) | PersistedMarks.traced }
        objects.append((object, names.count))
        if object.model.isBare { object.traceBareProperties(self) }
        return object
    }
}

/// What `ObjectBase` and all classes that derive from it are, and nothing else.
public protocol _ModelObject: ObjectBase {}
extension ObjectBase: _ModelObject {}

/// The name of the property that a key path leads to, with dots: `toys.brand` for `\Dog.toys.brand`. Traps for key paths
/// that lead to no stored property.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
    raising {
        let trace = _Trace()
        (trace.object(T.self)[keyPath: keyPath] as? any _BareProperty)?._endTrace()
        guard !trace.names.isEmpty else {
            throw RealmException("The key path \(keyPath) does not lead to a stored property of '\(T.className())'.")
        }
        return trace.names.joined(separator: ".")
    }
}
