public import Dispatch
import ObjectModel

/// One property of each element of a collection of objects, in the collection's order: the value of
/// `@Projected(\Person.dogs.projectTo.name)`. It shows the present state of the collection. For a map it contains the
/// values in the order of their keys.
public struct ProjectedCollection<Element: RealmCollectionValue>: RandomAccessCollection, CustomStringConvertible,
    ThreadConfined
{
    /// The object that owns the collection.
    private let owner: ObjectBase
    private let slot: Int
    /// The names of the properties on the path from an element.
    private let names: [String]
    /// Reads the projected value of an element.
    private let read: (ObjectBase) throws -> Element

    public var startIndex: Int { 0 }
    public var endIndex: Int { trapOnError { try accessor?.count() ?? unmanaged.count } }
    public var count: Int { endIndex }

    /// The realm that manages the collection; nil for an unmanaged one.
    public var realm: Realm? { owner.managingRealm }

    /// Whether the object that owns the collection was deleted.
    public var isInvalidated: Bool { owner.isInvalidated }

    /// Whether the collection is frozen at one version.
    public var isFrozen: Bool { owner._realm?.isFrozen ?? false }

    /// Returns the collection frozen at the present version, for use on any thread. See `RealmCollection.freeze`.
    public func freeze() -> Self {
        trapOnError { ProjectedCollection(owner: try owner.frozen(), slot: slot, names: names, read: read) }
    }

    /// Returns the live collection; nil if its owner was deleted.
    public func thaw() -> Self? {
        trapOnError { try owner.thawed().map { ProjectedCollection(owner: $0, slot: slot, names: names, read: read) } }
    }

    /// The property of one element. Assigning it, within a write, assigns the element's property. Traps if the position
    /// does not exist.
    public subscript(position: Int) -> Element {
        get { trapOnError { try value(of: object(at: position)) } }
        nonmutating set {
            trapOnError {
                var object = try object(at: position)
                for name in names.dropLast() {
                    object =
                        try object.flatMap { try $0.dynamicValue($0.slot(of: name)).flatMap { flattened($0) } }
                        as? ObjectBase
                }
                guard let last = names.last else { return }
                guard let object else {
                    throw RealmException("There is no object at \(position) whose '\(last)' could be assigned.")
                }
                try object.setDynamicValue(object.slot(of: last), newValue)
            }
        }
    }

    /// Returns the position of the first equal element.
    public func index(of element: Element) -> Int? { firstIndex(of: element) }

    public var description: String {
        let lines = enumerated().map { "\t[\($0)] \($1)" }
        return (["ProjectedCollection<\(Element.self)> {"] + lines + ["}"]).joined(separator: "\n")
    }

    private var accessor: PropertyAccessor? {
        get throws { owner._realm == nil ? nil : try PropertyAccessor(owner, slot) }
    }

    private var unmanaged: [ObjectBase?] {
        guard let collection = owner.dynamicValue(slot) as? any _UnmanagedElements else { return [] }
        return collection.unmanagedElements.map { flattened($0) as? ObjectBase }
    }

    /// Nil for a null, which maps can contain.
    private func object(at position: Int) throws -> ObjectBase? {
        guard let accessor = try accessor else {
            try checkIndex(position, unmanaged.count)
            return unmanaged[position]
        }
        guard case .reference(let reference) = try accessor.value(at: position) else { return nil }
        return try accessor.realm.object(reference)
    }

    /// For a null, returns null if the type is optional, else the default value.
    private func value(of object: ObjectBase?) throws -> Element { try object.map(read) ?? Element._zero() }
}

extension ProjectedCollection {
    /// Calls the block with `initial` in a later turn, and with an `update` after each version in which elements were
    /// added or removed, or their projected property changed. With key paths, changes of these properties of the
    /// elements' class count instead. The same threads, queues and traps apply as for `RealmCollection.observe`.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken {
        trapOnError {
            guard let accessor = try accessor else { throw RealmException.unobservable }
            let projected = [names.joined(separator: ".")]
            let paths = keyPaths.flatMap { $0.isEmpty ? nil : $0 } ?? projected
            return try CollectionObservation.begin(accessor, paths, on: queue) { seen, notification in
                trapOnError {
                    guard let seen = seen as? PropertyAccessor, try seen.realm.exists(seen.owner) else { return }
                    let owner = seen.realm === self.owner._realm ? self.owner : try seen.realm.object(seen.owner)
                    block(
                        RealmCollectionChange(
                            ProjectedCollection(owner: owner, slot: slot, names: names, read: read), notification))
                }
            }
        }
    }
}

extension ProjectedCollection: _ProjectedCollection {
    static func projected<Root: ObjectBase>(from root: Root, _ names: [String], _ path: AnyKeyPath) throws -> Any {
        guard let path = path as? KeyPath<Root, Element> else {
            throw RealmException("The key path '\(path)' cannot be projected.")
        }
        // Evaluates the whole path on the element: the path may end in a computed property.
        let read = { (element: ObjectBase) in
            let trace = _Trace(element: element)
            return trace.object(Root.self)[keyPath: path]
        }
        if root._trace != nil { return ProjectedCollection(owner: root, slot: 0, names: names, read: read) }
        var owner: ObjectBase = root
        for (index, name) in names.enumerated() {
            let slot = try owner.slot(of: name)
            if owner.model.properties[slot].type.isCollection || owner.model.properties[slot].type.isComputed {
                return ProjectedCollection(
                    owner: owner, slot: slot, names: Array(names.dropFirst(index + 1)), read: read)
            }
            guard let next = owner.dynamicValue(slot) as? ObjectBase else { break }
            owner = next
        }
        throw RealmException(
            "The projected key path '\(names.joined(separator: "."))' does not lead through a collection.")
    }
}
