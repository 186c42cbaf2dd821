package import ObjectModel

/// Errors about objects and properties that do not exist.
extension StoreError {
    package static func unknownClass(_ id: ClassID) -> StoreError {
        StoreError(
            .unknownClass, "The schema no longer has a class with number \(id.rawValue). Look the class up again.")
    }

    package static func unknownProperty(_ id: PropertyID, in objectClass: ClassSchema) -> StoreError {
        StoreError(
            .unknownProperty,
            "Class '\(objectClass.name)' has no stored property with number \(id.rawValue). Look the property up again."
        )
    }

    package static func notFound(_ key: ObjectKey, in objectClass: ClassSchema) -> StoreError {
        StoreError(.notFound, "There is no object of class '\(objectClass.name)' with object key \(key.rawValue).")
    }

    package static func notACollection(_ property: PropertySchema, in objectClass: ClassSchema) -> StoreError {
        StoreError(
            .notACollection,
            "Property '\(objectClass.name).\(property.name)' of type '\(property.type)' is not a collection that supports this operation.",
            property: property.name)
    }
}
