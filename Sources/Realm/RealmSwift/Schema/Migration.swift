import ObjectModel
import QueryLanguage
import StoreContract

/// An object during a migration, accessed by property names.
public typealias MigrationObject = DynamicObject

/// The block of `Migration.enumerateObjects`, called with the object before and after the migration.
public typealias MigrationObjectEnumerateBlock = (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// The parameter of a migration block, which converts data from one schema to another. It is valid only within the
/// block.
///
/// ```swift
/// configuration.schemaVersion = 2
/// configuration.migrationBlock = { migration, oldVersion in
///     guard oldVersion < 2 else { return }
///     migration.enumerateObjects(ofType: "Book") { old, new in
///         new?["title"] = (old?["name"] as? String ?? "").trimmingCharacters(in: .whitespaces)
///     }
/// }
/// ```
public struct Migration {
    private let old: RLMRealm
    private let new: RLMRealm
    private let use: Use

    /// The transaction while the block runs. A copy of the migration does not keep the file open.
    private final class Use {
        var transaction: (any MigrationTransaction)?
        /// Why a property could not be renamed. The migration fails with it when the block has ended.
        var failure: StoreError?
        init(_ transaction: any MigrationTransaction) { self.transaction = transaction }
    }

    private var transaction: any MigrationTransaction {
        get throws {
            guard let transaction = use.transaction else { throw RealmException("The migration has ended.") }
            return transaction
        }
    }

    init(_ transaction: any MigrationTransaction, _ configuration: Realm.Configuration) throws {
        use = Use(transaction)
        old = try RLMRealm(migrating: configuration, old: transaction.old, nil)
        // The new objects have Swift's names, as the configuration's classes do.
        new = try RLMRealm(migrating: configuration, old: transaction.old, transaction, after: old)
    }

    /// Throws if the block asked for a renaming that is not possible: `renameProperty` itself cannot throw.
    func check() throws {
        if let failure = use.failure { throw failure }
    }

    /// Ends the use of the migration's objects.
    func end() {
        old.endMigration()
        new.endMigration()
        use.transaction = nil
    }

    /// The schema of the file, with stored names.
    public var oldSchema: Schema { Schema(old.models) }

    /// The schema of the configuration, with Swift's names.
    public var newSchema: Schema { Schema(new.models) }

    /// The class of the configuration with the name. The file keeps classes that the configuration does not name, but
    /// they do not belong to the new schema.
    private func newClass(_ typeName: String) -> BoundClass? {
        new.models[typeName].flatMap { $0.model == nil ? nil : $0 }
    }

    /// Calls the block for each object of a class that existed before the migration, in the order of creation, with the
    /// object under the old schema, with stored names, and under the new one, with Swift's names. The new object is nil
    /// if the new schema does not have the class; the old object is nil if the old schema did not have it. Objects that
    /// the block creates and objects already deleted are skipped. Does nothing for an unknown class.
    public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
        trapOnError {
            // The migration has failed: the new objects do not have what the block expects in them.
            guard use.failure == nil else { return }
            let newClass = newClass(typeName)
            let oldClass = old.models[newClass?.storedName ?? typeName]
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
        trapOnError {
            let newClass = try known(typeName)
            let key = try ObjectBuilder(_ObjectPersister(new)).create(newClass, from: value)
            return try new.dynamicObject(ObjectReference(newClass.id, key))
        }
    }

    /// Deletes an object of the new schema.
    public func delete(_ object: MigrationObject) {
        trapOnError {
            guard object._realm === new, let reference = object._objectReference else {
                throw RealmException("Only objects of the new schema can be deleted within a migration.")
            }
            if try transaction.exists(reference.classID, reference.key) {
                try transaction.delete(reference.classID, reference.key)
            }
        }
    }

    /// Deletes all objects of a class, and the class itself if the new schema does not have it. Returns whether the
    /// class existed.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        trapOnError { try transaction.deleteData(of: storedName(typeName)) }
    }

    /// Keeps the data of a property under another name; both are stored names. Call it before the property is read or
    /// assigned.
    ///
    /// If the property does not exist, still exists in the new schema, or has another type there, the migration fails:
    /// `enumerateObjects` does nothing from then on, and opening the realm throws `Realm.Error` with the reason.
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        trapOnError {
            do {
                try transaction.renameProperty(of: storedName(typeName), from: oldName, to: newName)
                try new.reloadModels()
            } catch let error as StoreError where error.code == .migrationFailed {
                use.failure = use.failure ?? error
            }
        }
    }

    private func storedName(_ typeName: String) -> String { new.models[typeName]?.storedName ?? typeName }

    private func known(_ typeName: String) throws -> BoundClass {
        guard let boundClass = newClass(typeName) else {
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
