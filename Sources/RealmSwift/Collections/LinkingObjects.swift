import ObjectModel

/// The objects that link to one through a property.
public struct LinkingObjects<Element: ObjectBase>: RealmCollectionImpl where Element: RealmCollectionValue {
    let core: (any CollectionCore)?
    var unmanaged: [Element] { [] }

    /// Of an unmanaged object: empty.
    init() { core = nil }
    init(core: any CollectionCore) { self.core = core }

    public subscript(position: Int) -> Element { element(at: position) }

    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool { a.core === b.core }

    public var description: String { "LinkingObjects<\(Element.self)>" }
}

public protocol _LinkingObjectsProtocol {}
extension LinkingObjects: _LinkingObjectsProtocol {}

extension LinkingObjects: _Persistable {
    public typealias PersistedType = LinkingObjects<Element>
    public static var _propertyType: _StoredType {
        _StoredType(.linkingObjects(fromClass: Element.className(), property: ""), linked: Element.self)
    }
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Self {
        raising { LinkingObjects(core: try PropertyCore(object, slot)) }
    }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Self) {
        stop(RealmException("Linking objects are read-only."))
    }
    public static func _initial() -> Self { LinkingObjects() }
    public static func _stored(_ value: Self, by adopter: _Adopter) throws -> _Stored? { nil }
    public static func _traced(_ trace: _Trace) -> Self { LinkingObjects() }
    public static func _converted(_ value: Any?, _ place: _Place) throws -> Self { throw place.misfit(value) }
}
