import ObjectModel
import QueryLanguage
import StoreContract

/// An object as migrations see it: by the names of its properties.
public typealias MigrationObject = DynamicObject

/// What `Migration.enumerateObjects` calls: the object as it was, and as it will be.
public typealias MigrationObjectEnumerateBlock = (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// What a migration block is given to bring data from one schema to another. It is of use only within the block.
public struct Migration {
    private let old: RLMRealm
    private let new: RLMRealm
    private let transaction: any MigrationTransaction

    init(_ transaction: any MigrationTransaction, _ configuration: Realm.Configuration) throws {
        self.transaction = transaction
        old = try RLMRealm(migrating: configuration, old: transaction.old, nil)
        new = try RLMRealm(migrating: configuration, old: transaction.old, transaction)
    }

    /// The schema of the file, with stored names.
    public var oldSchema: Schema { Schema(old.models) }

    /// The schema of the configuration, with stored names.
    public var newSchema: Schema { Schema(new.models) }

    /// Calls the block for each object of a class that was there before the migration, in the order of creation, with the
    /// object under the old schema and under the new one. Of a class that the new schema does not have there is no new
    /// object, and of one that the old did not have no old one. Objects that the block creates are not visited, and
    /// deleted ones are left out. Nothing happens for unknown classes.
    public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
        raising {
            let oldClass = old.models[typeName]
            let newClass = new.models[typeName]
            let keys =
                if let oldClass {
                    try old.select(.init(classID: oldClass.id))
                } else if let newClass {
                    try new.select(.init(classID: newClass.id))
                } else {
                    [ObjectKey]()
                }
            for key in keys {
                var present: DynamicObject?
                if let newClass {
                    guard try new.exists(ObjectReference(newClass.id, key)) else { continue }
                    present = try new.dynamicObject(ObjectReference(newClass.id, key))
                }
                block(try oldClass.map { try old.dynamicObject(ObjectReference($0.id, key)) }, present)
            }
        }
    }

    /// Creates an object under the new schema.
    @discardableResult
    public func create(_ typeName: String, value: Any = [String: Any]()) -> MigrationObject {
        raising {
            let newClass = try known(typeName)
            let key = try ObjectBuilder(_ObjectPersister(new)).create(newClass, from: value)
            return try new.dynamicObject(ObjectReference(newClass.id, key))
        }
    }

    /// Deletes an object, given as it is under the new schema.
    public func delete(_ object: MigrationObject) {
        raising {
            guard object._realm === new, let reference = object._objectReference else {
                throw RealmException("Only objects of the new schema can be deleted within a migration.")
            }
            if try transaction.exists(reference.classID, reference.key) {
                try transaction.delete(reference.classID, reference.key)
            }
        }
    }

    /// Empties a class, and drops it if the new schema does not have it. Says whether it existed.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        raising { try transaction.deleteData(of: typeName) }
    }

    /// Keeps the data of a property under another name; both are stored names. Before the property is touched.
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        raising {
            try transaction.renameProperty(of: typeName, from: oldName, to: newName)
            try new.reloadModels()
        }
    }

    private func known(_ typeName: String) throws -> BoundClass {
        guard let boundClass = new.models[typeName] else {
            throw RealmException("Object type '\(typeName)' is not managed by the Realm.")
        }
        return boundClass
    }
}

extension RLMRealm {
    func dynamicObject(_ reference: ObjectReference) throws -> DynamicObject {
        guard let object = try object(reference, as: DynamicObject.self) as? DynamicObject else {
            throw RealmException.invalidObject
        }
        return object
    }
}
