import ObjectModel
import StoreContract
import Synchronization

/// A class that shows properties of a stored object, and of objects that it links to, under names of its own. It holds
/// no data: reads and writes go to the object.
///
/// Declare the properties with `@Projected`, and query with `realm.objects(MyProjection.self)`. Sorts and filters of
/// the results use the names of the object's properties.
///
/// ```swift
/// final class BookCard: Projection<Book> {
///     @Projected(\Book.title) var title
///     @Projected(\Book.author?.name) var author
/// }
/// let cards = realm.objects(BookCard.self)
/// ```
open class Projection<Root: ObjectBase>: RealmCollectionValue, RealmFetchable, ThreadConfined, CustomStringConvertible {
    public typealias PersistedType = Root

    /// The projected object.
    public let rootObject: Root

    /// Traps if a projected property does not lead to a stored one.
    public required init(projecting object: Root) {
        rootObject = object
        // A tracing object is what finds the paths.
        if object._trace == nil { ProjectionCheck.check(self) }
    }

    /// The realm that manages the object; nil for an unmanaged one.
    public var realm: Realm? { rootObject.managingRealm }

    /// Whether the object was deleted.
    public var isInvalidated: Bool { rootObject.isInvalidated }

    /// Whether the object is frozen at one version.
    public var isFrozen: Bool { rootObject._realm?.isFrozen ?? false }

    /// Returns the projection of the frozen object, for use on any thread. See `Object.freeze`.
    public func freeze() -> Self { trapOnError { Self(projecting: try rootObject.frozen()) } }

    /// Returns the projection of the live object; nil if it was deleted. See `Object.thaw`.
    public func thaw() -> Self? { trapOnError { try rootObject.thawed().map { Self(projecting: $0) } } }

    /// `Projection<Class> <address> { name(\.path) = value; … }`, with the projected properties and their paths. The
    /// values are printed as Swift's `print` does, other than in the description of an object.
    open var description: String {
        let lines = trapOnError {
            try ownProperties.map { property in
                let path = try property.wrapper.names().joined(separator: ".")
                return "\t\(property.label)(\\.\(path)) = \(try property.wrapper.text(in: rootObject));"
            }
        }
        let address = Unmanaged.passUnretained(rootObject).toOpaque()
        return "\(type(of: self))<\(type(of: rootObject))> <\(address)> {\n\t\(lines.joined(separator: "\n"))\n}"
    }

    /// Whether both project the same stored object, or the same instance.
    public static func == (a: Projection, b: Projection) -> Bool {
        a.rootObject == b.rootObject || a.rootObject.isSame(as: b.rootObject)
    }

    /// Returns whether the other one is valid, of the same realm, and projects the same stored object.
    public func isSameObject(as other: Projection?) -> Bool { rootObject.isSame(as: other?.rootObject) }

    public func hash(into hasher: inout Hasher) {
        // Equal projections may have different instances of the stored object.
        if let reference = rootObject._objectReference { hasher.combine(reference) } else { hasher.combine(rootObject) }
    }

    // MARK: As values of collections

    public static var _objectType: ObjectBase.Type { Root.self }

    public static func _checkFetched() {
        if !ProjectionCheck.isDone(Self.self) { _ = Self(projecting: Root()) }
    }

    public static var _storedType: _StoredType { Root._storedType }

    public static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> Self {
        Self(projecting: try Root._restored(stored, in: realm))
    }

    public func _stored(by persister: _ObjectPersister) throws -> _Stored {
        _Stored(try persister.link(to: rootObject))
    }

    public static func _zero() -> Self { Self(projecting: Root()) }

    public static func _traced(_ trace: _Trace) -> Self { Self(projecting: trace.object(Root.self)) }
}

extension Projection: KeypathSortable {}

extension Projection {
    /// A property declared with `@Projected`.
    struct Own {
        let label: String
        let wrapper: any _ProjectedProperty
    }

    /// The properties in declaration order, those of base classes first.
    var ownProperties: [Own] {
        var mirrors: [Mirror] = []
        var mirror: Mirror? = Mirror(reflecting: self)
        while let present = mirror {
            mirrors.insert(present, at: 0)
            mirror = present.superclassMirror
        }
        return mirrors.flatMap { mirror in
            mirror.children.compactMap { child in
                guard let label = child.label, let wrapper = child.value as? any _ProjectedProperty else { return nil }
                return Own(label: label.hasPrefix("_") ? String(label.dropFirst()) : label, wrapper: wrapper)
            }
        }
    }
}

/// Looks for projected properties that lead to no stored one, in each class of projections once.
enum ProjectionCheck {
    private static let known = Mutex<Set<ObjectIdentifier>>([])

    static func isDone(_ type: AnyClass) -> Bool { known.withLock { $0.contains(ObjectIdentifier(type)) } }

    static func check<Root: ObjectBase>(_ projection: Projection<Root>) {
        guard !isDone(type(of: projection)) else { return }
        trapOnError {
            // What is only computed is evaluated when it is read: the program's own code may need real values.
            for property in projection.ownProperties where property.wrapper.isStoredVariable {
                _ = try property.wrapper.names()
            }
        }
        _ = known.withLock { $0.insert(ObjectIdentifier(type(of: projection))) }
    }
}

extension Projection: _ReferencePayloadSource {
    func referencePayload() throws -> any _ReferencePayload {
        ProjectionReferencePayload<Root>(object: try rootObject.referencePayload(), type: Self.self)
    }
}

/// A reference to the projection of a managed object.
private struct ProjectionReferencePayload<Root: ObjectBase>: _ReferencePayload {
    let object: any _ReferencePayload
    let type: Projection<Root>.Type

    var pin: PinnedVersion { object.pin }

    func resolved(in realm: RLMRealm) throws -> Any? {
        (try object.resolved(in: realm) as? Root).map { type.init(projecting: $0) }
    }
}

/// Returns the dotted name of the stored properties at a projection's key path, from the object's class. Traps for key
/// paths that do not lead to a stored property.
public func _name<Root: ObjectBase, P: Projection<Root>>(for keyPath: PartialKeyPath<P>) -> String {
    trapOnError {
        let trace = _Trace()
        _ = P._traced(trace)[keyPath: keyPath]
        guard !trace.names.isEmpty else {
            throw RealmException("The key path \(keyPath) does not lead to a stored property of '\(Root.className())'.")
        }
        return trace.names.joined(separator: ".")
    }
}
