import ObjectModel
import StoreContract

/// Makes objects managed: computes the stored form of values, and adds the unmanaged objects that they link to.
public final class _ObjectPersister {
    let realm: RLMRealm
    let policy: StoreContract.UpdatePolicy
    /// The keys of objects that have become managed, so that each object in a cycle of links is added once.
    private var adopted: [ObjectIdentifier: ObjectKey] = [:]
    /// The objects that are being created from others, so that cycles of links terminate.
    var inCreation: [SourceID: ObjectKey] = [:]
    /// Whether each source is created once, wherever it occurs.
    var createsOnce = false

    /// Whether unmanaged objects become managed; if not, they have no stored form.
    private let isAdopting: Bool

    init(_ realm: RLMRealm, _ policy: StoreContract.UpdatePolicy = .error) {
        self.realm = realm
        self.policy = policy
        isAdopting = true
    }

    /// Finds the stored form of values without adding objects: throws `NotStored` for unmanaged ones.
    init(lookingIn realm: RLMRealm) {
        self.realm = realm
        policy = .error
        isAdopting = false
    }

    struct NotStored: Error {}

    /// Returns the stored form of a link to the object. An unmanaged object becomes managed in place.
    func link(to object: ObjectBase) throws -> Value {
        if let owner = object._realm {
            if let successor = try realm.successor(of: object) { return .link(successor.key) }
            guard owner === realm, let reference = object._objectReference else {
                throw RealmException(
                    "Object is already managed by another Realm. Use create instead to copy it into this Realm.")
            }
            try realm.check(object)
            return .link(reference.key)
        }
        guard isAdopting else { throw NotStored() }
        guard !(object is EmbeddedObject) else { return .embedded(try values(of: object)) }
        return .link(try add(object))
    }

    /// Returns the stored form of a link in a mixed value.
    func reference(to object: ObjectBase) throws -> Value {
        guard !(object is EmbeddedObject), case .link(let key) = try link(to: object) else {
            throw RealmException("AnyRealmValue cannot contain objects of type '\(type(of: object).className())'.")
        }
        if let successor = try realm.successor(of: object) { return .reference(successor) }
        return .reference(try object._objectReference ?? ObjectReference(realm.bound(type(of: object)).id, key))
    }

    /// Makes an unmanaged object managed, and all objects that it links to. Does nothing for an object of the same
    /// realm.
    @discardableResult
    func add(_ object: ObjectBase) throws -> ObjectKey {
        if case .link(let key)? = try object._realm.map({ _ in try link(to: object) }) { return key }
        if let key = adopted[ObjectIdentifier(object)] { return key }
        let boundClass = try realm.bound(type(of: object))
        guard !boundClass.isEmbedded else { throw RealmException("Embedded objects cannot be created directly") }
        let transaction = try realm.writing()
        if let key = try addPlain(object, boundClass, transaction) { return key }
        // Adds the object first, so that the objects that it links to can link back to it.
        var own: [PropertyID: Value] = [:]
        var links: [BoundProperty] = []
        let model = object.model
        for (slot, property) in model.properties.enumerated() where !property.type.isComputed {
            let bound = boundClass.properties[slot]
            if property.type.isLink || property.type.isMixed {
                links.append(bound)
            } else if let value = try property.wrapper.stored(at: object.address(of: property), by: self) {
                own[bound.id] = value.value
            }
        }
        let (key, isNew) = try make(boundClass, own, transaction)
        adopted[ObjectIdentifier(object)] = key
        var rest = isNew ? [:] : own
        for property in links {
            let model = model.properties[property.slot]
            guard let stored = try model.wrapper.stored(at: object.address(of: model), by: self) else { continue }
            if isNew, stored.value == model.type.zeroValue { continue }
            rest[property.id] = stored.value
        }
        if let primaryKey = boundClass.primaryKey { rest[primaryKey.id] = nil }
        try transaction.set(boundClass.id, key, rest, onlyDifferent: isNew || policy == .modified)
        try bind(object, boundClass, key)
        return key
    }

    /// Returns the values of an object that will be embedded.
    private func values(of object: ObjectBase) throws -> [PropertyID: Value] {
        let boundClass = try realm.bound(type(of: object))
        var values: [PropertyID: Value] = [:]
        let model = object.model
        for (slot, property) in model.properties.enumerated() where !property.type.isComputed {
            guard let stored = try property.wrapper.stored(at: object.address(of: property), by: self) else { continue }
            values[boundClass.properties[slot].id] = stored.value
        }
        return values
    }

    /// Finds or creates the object with the primary key in the values.
    func make(
        _ boundClass: BoundClass, _ values: [PropertyID: Value], _ transaction: any WriteTransaction
    ) throws -> (ObjectKey, isNew: Bool) {
        if let primaryKey = boundClass.primaryKey {
            guard let value = values[primaryKey.id] else {
                throw RealmException("Missing value for property '\(boundClass.name).\(primaryKey.name)'")
            }
            if let known = try transaction.key(of: boundClass.id, primaryKey: value) {
                guard policy != .error else {
                    throw RealmException.existingKey(value, of: boundClass)
                }
                return (known, false)
            }
        }
        try realm.checkSubscribed(boundClass)
        return (try transaction.create(boundClass.id, values), true)
    }

    /// Throws if objects of the class cannot be updated. Linked objects need no primary key.
    func check(_ boundClass: BoundClass) throws {
        if policy != .error, boundClass.primaryKey == nil {
            throw RealmException("'\(boundClass.name)' does not have a primary key and can not be updated")
        }
    }

    /// Makes the instance represent the stored object, and binds its embedded objects and collections to the stored
    /// ones.
    private func bind(_ object: ObjectBase, _ boundClass: BoundClass, _ key: ObjectKey) throws {
        let held = boundClass.heldProperties.map { property in
            let value = object.dynamicValue(property.slot)
            return (property, value, property.ownsTarget ? embedded(in: value) : [])
        }
        object.bind(to: realm, boundClass, key)
        // Releases the objects that it linked to while it was unmanaged.
        let model = object.model
        for slot in model.holdingSlots {
            model.properties[slot].wrapper.release(at: object.address(at: model.properties[slot].offset))
        }
        for (property, value, embedded) in held {
            if property.ownsTarget {
                let stored = try realm.value(boundClass.id, key, property.id).linkedKeys
                try bindEmbedded(embedded, stored)
            }
            try (value as? any _HeldCollection)?.promote(to: PropertyAccessor(object, property.slot))
        }
    }

    /// Makes embedded instances represent the stored objects created from them.
    func bindEmbedded(_ instances: [ObjectBase], _ keys: [ObjectKey]) throws {
        for (instance, key) in zip(instances, keys) where instance._realm == nil {
            try bind(instance, realm.bound(type(of: instance)), key)
        }
    }

    /// The embedded objects in the value of an unmanaged object's property, in stored order.
    private func embedded(in value: Any?) -> [ObjectBase] {
        switch value.flatMap({ flattened($0) }) {
        case let object as ObjectBase: [object]
        case let collection as any _UnmanagedElements: collection.unmanagedElements.compactMap { $0 as? ObjectBase }
        default: []
        }
    }

}

/// A collection that provides its elements while it is unmanaged, in the order in which they are stored.
protocol _UnmanagedElements {
    var unmanagedElements: [Any] { get }
}

extension ObjectBase {
    /// Makes embedded instances represent the stored ones after their property was assigned. `values` are in stored
    /// order.
    final func bindEmbedded(_ slot: Int, _ values: @autoclosure () -> [Any]) throws {
        guard let _realm, let _class, _class.properties[slot].ownsTarget else { return }
        let instances = values().compactMap { flattened($0) as? ObjectBase }
        guard instances.contains(where: { $0._realm == nil }) else { return }
        let keys = try _realm.value(_class.id, _objectKey, _class.properties[slot].id).linkedKeys
        try _ObjectPersister(_realm).bindEmbedded(instances, keys)
    }
}

extension RealmException {
    static func existingKey(_ value: Value, of boundClass: BoundClass) -> RealmException {
        RealmException(
            "Attempting to create an object of type '\(boundClass.name)' with an existing primary key value '\(value.text)'."
        )
    }
}

extension Value {
    /// The value in error messages.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value
        case .objectId(let value): value.hex
        case .uuid(let value): value.text
        case .decimal(let value): value.description
        case .date(let value): value.rfc3339
        default: "\(self)"
        }
    }
}
