import ObjectModel
import StoreContract

/// Makes objects managed: what is stored for a value, together with the unmanaged objects that it leads to.
public final class _ObjectPersister {
    let realm: RLMRealm
    let policy: StoreContract.UpdatePolicy
    /// What became of unmanaged objects, so that those that link in a circle are made once.
    private var adopted: [ObjectIdentifier: ObjectKey] = [:]
    /// What is being created from other objects, so that those that link in a circle come to an end.
    var inCreation: [SourceID: ObjectKey] = [:]

    /// Whether unmanaged objects become managed; else they have no stored form.
    private let isAdopting: Bool

    init(_ realm: RLMRealm, _ policy: StoreContract.UpdatePolicy = .error) {
        self.realm = realm
        self.policy = policy
        isAdopting = true
    }

    /// Only looks for what is stored already: throws `NotStored` for unmanaged objects.
    init(lookingIn realm: RLMRealm) {
        self.realm = realm
        policy = .error
        isAdopting = false
    }

    struct NotStored: Error {}

    /// What is stored for a link to the object. Makes an unmanaged one managed, in place.
    func link(to object: ObjectBase) throws -> Value {
        if let owner = object._realm {
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

    /// The same in a mixed value.
    func reference(to object: ObjectBase) throws -> Value {
        guard !(object is EmbeddedObject), case .link(let key) = try link(to: object) else {
            throw RealmException("AnyRealmValue cannot contain objects of type '\(type(of: object).className())'.")
        }
        return .reference(try object._objectReference ?? ObjectReference(realm.bound(type(of: object)).id, key))
    }

    /// Makes an unmanaged object managed, and all that it reaches. One that the realm manages stays as it is.
    @discardableResult
    func add(_ object: ObjectBase) throws -> ObjectKey {
        if case .link(let key)? = try object._realm.map({ _ in try link(to: object) }) { return key }
        if let key = adopted[ObjectIdentifier(object)] { return key }
        let boundClass = try realm.bound(type(of: object))
        guard !boundClass.isEmbedded else { throw RealmException("Embedded objects cannot be created directly") }
        let transaction = try realm.writing()
        if let key = try addPlain(object, boundClass, transaction) { return key }
        // First the object alone, so that those which it links to can link to it.
        var own: [PropertyID: Value] = [:]
        var links: [BoundProperty] = []
        let model = object.model
        for (slot, property) in model.properties.enumerated() where !property.type.isComputed {
            let bound = boundClass.properties[slot]
            if property.type.isLink || property.type.isMixed {
                links.append(bound)
            } else if let value = try property.wrapper.stored(at: object.place(of: property), by: self) {
                own[bound.id] = value.value
            }
        }
        let (key, isNew) = try make(boundClass, own, transaction)
        adopted[ObjectIdentifier(object)] = key
        var rest = isNew ? [:] : own
        for property in links {
            let model = model.properties[property.slot]
            guard let stored = try model.wrapper.stored(at: object.place(of: model), by: self) else { continue }
            if isNew, stored.value == model.type.zeroValue { continue }
            rest[property.id] = stored.value
        }
        if let primaryKey = boundClass.primaryKey { rest[primaryKey.id] = nil }
        try transaction.set(boundClass.id, key, rest, onlyDifferent: isNew || policy == .modified)
        try bind(object, boundClass, key)
        return key
    }

    /// The values of an object that is to be embedded.
    private func values(of object: ObjectBase) throws -> [PropertyID: Value] {
        let boundClass = try realm.bound(type(of: object))
        var values: [PropertyID: Value] = [:]
        let model = object.model
        for (slot, property) in model.properties.enumerated() where !property.type.isComputed {
            guard let stored = try property.wrapper.stored(at: object.place(of: property), by: self) else { continue }
            values[boundClass.properties[slot].id] = stored.value
        }
        return values
    }

    /// Finds or creates the object with the values' primary key.
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

    /// Throws when an object of the class cannot be updated. Objects that it links to need not have a primary key.
    func check(_ boundClass: BoundClass) throws {
        if policy != .error, boundClass.primaryKey == nil {
            throw RealmException("'\(boundClass.name)' does not have a primary key and can not be updated")
        }
    }

    /// Makes the instance show the stored object, the instances of embedded objects in it theirs, and its collections
    /// those that are stored.
    private func bind(_ object: ObjectBase, _ boundClass: BoundClass, _ key: ObjectKey) throws {
        let held = boundClass.heldProperties.map { property in
            let value = object.dynamicValue(property.slot)
            return (property, value, property.ownsTarget ? embedded(in: value) : [])
        }
        object.bind(to: realm, boundClass, key)
        // What it linked to while it was unmanaged is not kept in memory by it any more.
        let model = object.model
        for property in model.properties where property.type.collection == .single {
            guard property.type.isLink || property.type.isMixed else { continue }
            property.wrapper.release(at: object.place(of: property))
        }
        for (property, value, embedded) in held {
            if property.ownsTarget {
                let stored = try realm.value(boundClass.id, key, property.id).linkedKeys
                try bindEmbedded(embedded, stored)
            }
            try (value as? any _HeldCollection)?.promote(to: PropertyAccessor(object, property.slot))
        }
    }

    /// Makes instances show the stored objects that were made of them.
    func bindEmbedded(_ instances: [ObjectBase], _ keys: [ObjectKey]) throws {
        for (instance, key) in zip(instances, keys) where instance._realm == nil {
            try bind(instance, realm.bound(type(of: instance)), key)
        }
    }

    /// The embedded instances in the value of an unmanaged object's property, in stored order.
    private func embedded(in value: Any?) -> [ObjectBase] {
        switch value.flatMap({ flattened($0) }) {
        case let object as ObjectBase: [object]
        case let collection as any _UnmanagedElements: collection.unmanagedElements.compactMap { $0 as? ObjectBase }
        default: []
        }
    }

}

/// A collection that can tell what it holds while it is unmanaged, in the order in which it is stored.
protocol _UnmanagedElements {
    var unmanagedElements: [Any] { get }
}

extension ObjectBase {
    /// After a property that holds embedded objects was assigned: makes their instances show the stored ones. `values`
    /// are in stored order.
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
    /// For messages.
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
