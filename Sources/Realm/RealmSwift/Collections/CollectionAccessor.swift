import LiveQueries
import ViewMaintenance
import ObjectModel
import QueryLanguage
import RealmInstances

/// The type-erased implementation of a managed collection: everything that does not depend on the elements' Swift type.
protocol CollectionAccessor: AnyObject {
    var realm: RLMRealm { get }

    /// Whether the collection can no longer be used: after `Realm.invalidate`, or because its owner was deleted.
    var isInvalidated: Bool { get }

    /// Throws on another thread than the realm's, and for an invalidated collection.
    func check() throws

    /// Returns the number of elements, at the realm's version or with the changes of the open write.
    func count() throws -> Int

    /// Returns an element. Throws if the position does not exist.
    func value(at position: Int) throws -> Value

    /// Returns all present elements in order; iterations use it.
    func values() throws -> [Value]

    /// Returns the keys of all present elements in order, if they are objects of one class; nil if `values` must be
    /// used.
    func objectKeys() throws -> (ClassID, [ObjectKey])?

    /// Returns a query for the elements if they are objects; nil for other values.
    func objectQuery() throws -> BoundQuery?

    /// The collection that contains the elements if they are plain values; nil for objects.
    var elements: (any ValuesSource)? { get }

    /// Returns the identity of the collection, for other threads and versions.
    func payload() throws -> CollectionReferencePayload

    /// Resolves key paths of the elements by Swift names; none for nil, for an empty list, and for plain values.
    func keyPaths(_ texts: [String]?) throws -> [LiveKeyPath]

    /// Observes the collection on the realm's thread, queue or actor. Throws wherever `observe` of a collection traps.
    func observe(_ keyPaths: [String]?, _ deliver: @escaping (CollectionNotification) -> Void) throws -> InstanceToken

    /// Returns whether both accessors are of the same stored collection.
    func isSame(as other: any CollectionAccessor) -> Bool

    /// Returns the path to an element that is a collection; nil if elements are not, or cannot be edited.
    func nestedPath(_ step: NestedPath.Step) -> NestedPath?

    /// The name of the kind of collection in Realm's messages.
    var kindName: String { get }
}

extension CollectionAccessor {
    func isSame(as other: any CollectionAccessor) -> Bool { self === other }
    func nestedPath(_ step: NestedPath.Step) -> NestedPath? { nil }
    func objectKeys() throws -> (ClassID, [ObjectKey])? { nil }
    var kindName: String { "RLMResults" }

    /// Returns an element for conversion to Swift. Throws if the position does not exist.
    func stored(at position: Int) throws -> _Stored {
        let value = try value(at: position)
        return _Stored(value, at: value.isNested ? nestedPath(.index(position)) : nil)
    }

    /// Returns all elements for conversion to Swift.
    func allStored() throws -> [_Stored] {
        let values = try values()
        guard nestedPath(.index(0)) != nil else { return values.map { _Stored($0) } }
        return values.enumerated().map { _Stored($1, at: $1.isNested ? nestedPath(.index($0)) : nil) }
    }

    /// Returns the first position of a value that is equal in the total order of values.
    func position(of value: Value) throws -> Int? {
        try values().firstIndex { Value.order($0, value) == 0 }
    }
}

extension Value {
    /// Whether the collection lies within a mixed value.
    var isNested: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }
}

extension ResultsAccessor: CollectionAccessor {
    func value(at position: Int) throws -> Value {
        let keys = try objects()
        try checkIndex(position, keys.count)
        return .reference(ObjectReference(query.classID, keys[position]))
    }

    func values() throws -> [Value] {
        try objects().map { .reference(ObjectReference(query.classID, $0)) }
    }

    func objectKeys() throws -> (ClassID, [ObjectKey])? { (query.classID, try objects()) }

    func objectQuery() throws -> BoundQuery? { query }

    var elements: (any ValuesSource)? { nil }
}

/// A list, set, map or linking-objects property of a managed object.
final class PropertyAccessor: CollectionAccessor {
    let realm: RLMRealm
    /// The object that owns the property.
    let owner: ObjectReference
    let property: BoundProperty
    let lifetime: RLMRealm.Lifetime

    init(_ object: ObjectBase, _ slot: Int) throws {
        let (realm, boundClass) = try object.managed()
        self.realm = realm
        owner = ObjectReference(boundClass.id, object._objectKey)
        property = boundClass.properties[slot]
        lifetime = object._lifetime
    }

    /// Creates the accessor for a property of an object that is becoming managed.
    init(_ realm: RLMRealm, _ owner: ObjectReference, _ property: BoundProperty, _ lifetime: RLMRealm.Lifetime) {
        self.realm = realm
        self.owner = owner
        self.property = property
        self.lifetime = lifetime
    }

    /// Creates the accessor for the property with a stored name.
    init(_ realm: RLMRealm, _ owner: ObjectReference, column: String) throws {
        guard let property = try realm.bound(owner.classID).properties.first(where: { $0.column == column }) else {
            throw RealmException.invalidObject
        }
        self.realm = realm
        self.owner = owner
        self.property = property
        lifetime = realm.lifetime(of: owner)
    }

    func isSame(as other: any CollectionAccessor) -> Bool {
        guard let other = other as? PropertyAccessor else { return false }
        return realm === other.realm && owner == other.owner && property.id == other.property.id
    }

    func nestedPath(_ step: NestedPath.Step) -> NestedPath? {
        guard property.type.isMixed, property.type.collection != .set else { return nil }
        return NestedPath(owner, property, [step], lifetime)
    }

    var kindName: String {
        switch property.type.collection {
        case .list: "RLMArray"
        case .set: "RLMSet"
        case .map: "RLMDictionary"
        case .single: "RLMResults"
        }
    }

    var isInvalidated: Bool {
        // Elsewhere it is not known whether the owner exists.
        !realm.isCurrent(lifetime) || realm.isConfinedHere && (try? realm.exists(owner)) != true
    }

    func check() throws {
        try realm.checkConfinement()
        guard realm.isCurrent(lifetime), try realm.exists(owner) else { throw RealmException.invalidObject }
    }

    func count() throws -> Int {
        try check()
        if property.type.isComputed { return try origins().count }
        return try realm.elementCount(owner, property.id)
    }

    func value(at position: Int) throws -> Value {
        try checkIndex(position, count())
        if property.type.isComputed { return try origins()[position] }
        guard let value = try realm.elements(owner, property.id, position..<position + 1).first else {
            throw RealmException.invalidObject
        }
        return property.reference(value)
    }

    func values() throws -> [Value] {
        try check()
        if property.type.isComputed { return try origins() }
        return try realm.elements(owner, property.id, 0..<Int.max).map(property.reference)
    }

    private func origins() throws -> [Value] {
        guard let origin = property.targetClass, let link = property.originProperty else { return [] }
        return try realm.backlinks(to: owner, from: origin, link).map { .reference(ObjectReference(origin, $0)) }
    }

    func objectQuery() throws -> BoundQuery? {
        try check()
        guard property.type.isLink || property.type.isComputed, let target = property.targetClass else { return nil }
        return BoundQuery(classID: target, scope: .property(owner, property.id))
    }

    var elements: (any ValuesSource)? { property.type.isLink || property.type.isComputed ? nil : self }
}
