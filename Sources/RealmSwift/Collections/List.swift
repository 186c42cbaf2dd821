import ObjectModel
import StoreContract

/// An ordered collection of stored values, a property of an object.
public final class List<Element: RealmCollectionValue>: RealmCollectionImpl {
    private(set) var core: (any CollectionCore)?
    private(set) var unmanaged: [Element] = []

    public init() {}

    init(core: any CollectionCore) { self.core = core }

    /// The element at a position. Traps for one that does not exist.
    public subscript(position: Int) -> Element { element(at: position) }

    /// Adds an element at the end.
    public func append(_ element: Element) {
        raising {
            guard let core = core?.elementsOrLinks else { return unmanaged.append(element) }
            try core.edit { .append(try element._stored(by: $0).value) }
        }
    }

    public static func == (a: List, b: List) -> Bool {
        a === b || (a.core == nil && b.core == nil && a.unmanaged == b.unmanaged)
    }

    public var description: String { "List<\(Element.self)>" }
}

extension CollectionCore {
    /// The property, when the collection is one.
    var elementsOrLinks: PropertyCore? { self as? PropertyCore }
}

extension PropertyCore {
    /// Edits the collection, within a write.
    func edit(_ operation: (_Adopter) throws -> CollectionOperation) throws {
        let transaction = try realm.writing()
        try check()
        try transaction.edit(owner.classID, owner.key, property.id, operation(_Adopter(realm)))
    }
}

extension List: _HasPersistedType {
    public typealias PersistedType = List<Element>
}

extension List: _Persistable {
    public static var _propertyType: _StoredType { Element._storedType.collected(in: .list) }
    public static func _get(_ object: ObjectBase, _ slot: Int) -> List {
        raising { List(core: try PropertyCore(object, slot)) }
    }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: List) {
        raising { try object.assign(slot) { adopter in .list(try value.map { try $0._stored(by: adopter).value }) } }
    }
    public static func _initial() -> List { List() }
    public static func _stored(_ value: List, by adopter: _Adopter) throws -> _Stored? {
        _Stored(.list(try value.map { try $0._stored(by: adopter).value }))
    }
    public static func _traced(_ trace: _Trace) -> List { List() }
    public static func _converted(_ value: Any?, _ place: _Place) throws -> List { List() }
}
