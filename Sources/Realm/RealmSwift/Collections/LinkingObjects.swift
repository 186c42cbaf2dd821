import ObjectModel

/// The objects that link to an object through a property; an object occurs once for each of its links. The collection
/// is live and its order is not specified. It is empty for an unmanaged object.
public struct LinkingObjects<Element: ObjectBase>: RealmCollectionImpl where Element: RealmCollectionValue {
    private let own: (any CollectionAccessor)?
    private let trace: _Trace?
    /// The state of a property declared without `@Persisted`.
    let bare: Bare?
    var accessor: (any CollectionAccessor)? { bare?.accessor ?? own }
    var unmanaged: [Element] { [] }
    var isEmptyForever: Bool { accessor == nil }

    /// The state of a property without `@Persisted`, which is declared with `let` and therefore cannot be assigned.
    final class Bare {
        let property: String
        var accessor: (any CollectionAccessor)?
        var tracing = TraceStart()

        init(_ property: String) { self.property = property }
    }

    init(accessor: any CollectionAccessor) { self.init(accessor: accessor, nil) }

    /// Creates the empty collection of an unmanaged object.
    init() { self.init(accessor: nil, nil) }

    private init(accessor: (any CollectionAccessor)?, _ trace: _Trace?) {
        own = accessor
        self.trace = trace
        bare = nil
    }

    /// Declares the objects that link here through a property, in a class without `@Persisted`: `let owners =
    /// LinkingObjects(fromType: Person.self, property: "dogs")`.
    public init(fromType _: Element.Type, property propertyName: String) {
        own = nil
        trace = nil
        bare = Bare(propertyName)
    }

    private var tracing: _Trace? { bare?.tracing.begin() ?? trace }

    /// The element at a position. Traps if the position does not exist.
    public subscript(position: Int) -> Element {
        tracing.map { Element._traced($0) } ?? element(at: position)
    }

    /// Whether both are copies of the same collection: two reads of one property give collections that are not equal.
    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool { a.accessor === b.accessor }

    public var description: String { describe(0) }

    /// See `List.projectTo`.
    public var projectTo: Element { projected(tracing) }
}

public protocol _LinkingObjectsProtocol {}
extension LinkingObjects: _LinkingObjectsProtocol {}

extension LinkingObjects: _Persistable {
    public typealias PersistedType = LinkingObjects<Element>
    public static var _propertyType: _StoredType {
        _StoredType(.linkingObjects(fromClass: Element.className(), property: ""), linked: Element.self)
    }
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Self {
        trapOnError { LinkingObjects(accessor: try PropertyAccessor(object, slot)) }
    }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Self) {
        stop(RealmException("Linking objects are read-only."))
    }
    public static func _initial() -> Self { LinkingObjects() }
    public static func _stored(_ value: Self, by persister: _ObjectPersister) throws -> _Stored? { nil }
    public static func _traced(_ trace: _Trace) -> Self { LinkingObjects(accessor: nil, trace) }
    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> Self {
        throw context.typeMismatch(value)
    }
}

extension LinkingObjects: _UnwrappedProperty {
    static var _wrapper: any _PersistedProperty.Type { UnwrappedLinkingObjects<Element>.self }

    func _startTrace(_ trace: _Trace, _ name: String) { bare?.tracing = TraceStart(trace: trace, name: name) }
    func _endTrace() { _ = bare?.tracing.begin() }
}
