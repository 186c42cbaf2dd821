import Basics
package import ObjectModel
import QueryLanguage

/// An object as it was before a migration.
package struct OldObject {
    package let snapshot: any Snapshot
    package let objectClass: ClassSchema
    package let key: ObjectKey

    /// The value of a stored property. Throws `unknownProperty`.
    package func value(_ name: String) throws -> Value {
        try snapshot.value(objectClass.id, key, objectClass.stored(name).id)
    }
}

/// An object as it is in the new version that a migration writes.
package struct NewObject {
    package let transaction: any MigrationTransaction
    package let className: String
    package let key: ObjectKey

    /// The present value of a stored property. Throws `unknownProperty`, `notFound`.
    package func value(_ name: String) throws -> Value {
        let objectClass = try objectClass
        return try transaction.value(objectClass.id, key, objectClass.stored(name).id)
    }

    /// Assigns a property. Throws `unknownProperty` and what `WriteTransaction.set` throws.
    package func set(_ name: String, _ value: Value) throws {
        let objectClass = try objectClass
        try transaction.set(objectClass.id, key, [objectClass.stored(name).id: value])
    }

    package func delete() throws { try transaction.delete(objectClass.id, key) }

    /// Looked up each time, because a rename changes the schema.
    private var objectClass: ClassSchema {
        get throws {
            guard let objectClass = transaction.schema[className] else {
                throw StoreError(.unknownClass, "The new schema has no class '\(className)'.")
            }
            return objectClass
        }
    }
}

extension ClassSchema {
    fileprivate func stored(_ name: String) throws -> PropertySchema {
        guard let property = self[name], !property.type.isComputed else {
            throw StoreError(
                .unknownProperty, "Class '\(self.name)' has no stored property '\(name)'.", property: name,
                hint: storedProperties.map(\.name).nearest(to: name))
        }
        return property
    }
}

extension MigrationTransaction {
    /// Visits the objects of a class in the order that they had before, each in its old and its new state. Objects that
    /// were deleted meanwhile are skipped; objects that the migration created are not visited.
    ///
    /// A class that the new schema does not have has only old objects; a class that the old schema did not have has
    /// only new ones. A class that neither has is not visited at all.
    package func enumerateObjects(
        of className: String, _ body: (_ old: OldObject?, _ new: NewObject?) throws -> Void
    ) throws {
        guard let before = old.schema[className] else {
            guard let after = schema[className] else { return }
            for key in try select(BoundQuery(classID: after.id), .all) where try exists(after.id, key) {
                try body(nil, NewObject(transaction: self, className: className, key: key))
            }
            return
        }
        let keys = try old.select(BoundQuery(classID: before.id), .all)
        let isKept = schema[before.id] != nil
        for key in keys {
            guard try !isKept || exists(before.id, key) else { continue }
            try body(
                OldObject(snapshot: old, objectClass: before, key: key),
                isKept ? NewObject(transaction: self, className: className, key: key) : nil)
        }
    }
}
