import ObjectModel

/// One property of each element of a collection of objects, in its order: what `@Projected(\Person.dogs.projectTo.name)`
/// gives. It shows the collection as it is when it is asked.
public struct ProjectedCollection<Element: RealmCollectionValue>: RandomAccessCollection, CustomStringConvertible,
    ThreadConfined
{
    /// The object that has the collection.
    private let owner: ObjectBase
    private let slot: Int
    /// From an element on.
    private let names: [String]

    public var startIndex: Int { 0 }
    public var endIndex: Int { raising { try core?.count() ?? unmanaged.count } }
    public var count: Int { endIndex }

    /// The realm that manages the collection; nil when none does.
    public var realm: Realm? { owner.managingRealm }

    /// Whether the object that has the collection is gone.
    public var isInvalidated: Bool { owner.isInvalidated }

    /// Whether the collection stays at one version.
    public var isFrozen: Bool { owner._realm?.isFrozen ?? false }

    /// The collection at the present version, for use on any thread. See `RealmCollection.freeze`.
    public func freeze() -> Self {
        raising { ProjectedCollection(owner: try owner.frozen(), slot: slot, names: names) }
    }

    /// The live collection; nil when the object that has it is gone.
    public func thaw() -> Self? {
        raising { try owner.thawed().map { ProjectedCollection(owner: $0, slot: slot, names: names) } }
    }

    /// The property of one element; assigning it, within a write, assigns that of the element. Traps for a position that
    /// does not exist.
    public subscript(position: Int) -> Element {
        get { raising { try value(of: object(at: position)) } }
        nonmutating set {
            raising {
                var object = try object(at: position)
                for name in names.dropLast() {
                    guard let next = try object.dynamicValue(object.slot(of: name)) as? ObjectBase else {
                        throw RealmException("The object has no '\(name)' whose property could be assigned.")
                    }
                    object = next
                }
                guard let last = names.last else { return }
                try object.setDynamicValue(object.slot(of: last), newValue)
            }
        }
    }

    /// The position of the first element that is equal.
    public func index(of element: Element) -> Int? { firstIndex(of: element) }

    public var description: String {
        (["ProjectedCollection<\(Element.self)> {"] + map { "\t\($0)" } + ["}"]).joined(separator: "\n")
    }

    private var core: PropertyCore? {
        get throws { owner._realm == nil ? nil : try PropertyCore(owner, slot) }
    }

    private var unmanaged: [ObjectBase] {
        func all<S: Sequence>(_ sequence: S) -> [ObjectBase] { sequence.compactMap { $0 as? ObjectBase } }
        return (owner.dynamicValue(slot) as? any Sequence).map { all($0) } ?? []
    }

    private func object(at position: Int) throws -> ObjectBase {
        guard let core = try core else {
            try checkIndex(position, unmanaged.count)
            return unmanaged[position]
        }
        guard case .reference(let reference) = try core.value(at: position) else { throw RealmException.invalidObject }
        return try core.realm.object(reference)
    }

    private func value(of object: ObjectBase) throws -> Element {
        var value: Any? = object
        for name in names {
            guard let object = value as? ObjectBase else { break }
            value = try object.dynamicValue(object.slot(of: name))
        }
        if let element = value as? Element { return element }
        // Null, for an optional element.
        return Element._zero()
    }
}

extension ProjectedCollection: _ProjectedCollection {
    static func projected(from root: ObjectBase, _ names: [String]) throws -> Any {
        var owner = root
        for (index, name) in names.enumerated() {
            let slot = try owner.slot(of: name)
            if owner.model.properties[slot].type.isCollection || owner.model.properties[slot].type.isComputed {
                return ProjectedCollection(owner: owner, slot: slot, names: Array(names.dropFirst(index + 1)))
            }
            guard let next = owner.dynamicValue(slot) as? ObjectBase else { break }
            owner = next
        }
        throw RealmException("The projected key path '\(names.joined(separator: "."))' leads through no collection.")
    }
}
