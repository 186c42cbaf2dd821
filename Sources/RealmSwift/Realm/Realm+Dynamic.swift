import ObjectModel
import QueryLanguage

extension Realm {
    /// The classes of the realm.
    public var schema: Schema { Schema(rlm.models) }

    /// All objects of a class, by the names of their properties.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        raising { Results(try ResultsCore(rlm, BoundQuery(classID: rlm.bound(named: typeName).id))) }
    }

    /// The object with a primary key; see `object(ofType:forPrimaryKey:)`.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        raising {
            guard let reference = try rlm.find(rlm.bound(named: typeName), primaryKey: key) else { return nil }
            return try rlm.dynamicObject(reference)
        }
    }

    /// See `create(_:value:update:)`.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        raising {
            _ = try rlm.writing(RLMRealm.notWritingRealm)
            let boundClass = try rlm.bound(named: typeName)
            let key = try ObjectBuilder(_Adopter(rlm, update.policy)).create(boundClass, from: value)
            return try rlm.dynamicObject(ObjectReference(boundClass.id, key))
        }
    }
}

extension RLMRealm {
    func bound(named name: String) throws -> BoundClass {
        guard let boundClass = models[name] else { throw RealmException.unmanaged(name) }
        return boundClass
    }

    /// The object with a primary key, which is given by its plain value.
    func find(_ boundClass: BoundClass, primaryKey key: Any) throws -> ObjectReference? {
        guard let primaryKey = boundClass.primaryKey else {
            throw RealmException("\(boundClass.name) does not have a primary key")
        }
        let place = _Place(className: boundClass.name, property: primaryKey.name, type: primaryKey.type)
        guard let value = Conversion.plain(flattened(key), as: primaryKey.type) else {
            throw place.misfit(flattened(key))
        }
        return try self.key(of: boundClass.id, primaryKey: value).map { ObjectReference(boundClass.id, $0) }
    }
}

extension RealmException {
    static func unmanaged(_ name: String) -> RealmException {
        RealmException(
            "Object type '\(name)' is not managed by the Realm. If using a custom `objectClasses` / `objectTypes` array in your configuration, add `\(name)` to the list of `objectClasses` / `objectTypes`."
        )
    }
}
