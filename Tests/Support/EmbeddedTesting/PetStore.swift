package import EmbeddedStore
package import ObjectModel
package import RepositoryFiles
package import StoreContract

extension TestDirectory {
    package var store: String { file("store") }
}

/// Small clusters, so that few objects reach their boundaries.
package func smallClusters() -> EmbeddedStoreOptions {
    var options = EmbeddedStoreOptions()
    options.clusterCapacity = 64
    return options
}

package let petSchema = Schema(
    version: 1,
    classes: [
        ClassSchema(
            "Person", primaryKey: "id",
            properties: [
                PropertySchema("id", PropertyType(.int)),
                PropertySchema("name", PropertyType(.string), isIndexed: true),
                PropertySchema("pets", PropertyType(.linkingObjects(fromClass: "Dog", property: "owner"))),
            ]),
        ClassSchema(
            "Dog", primaryKey: "name",
            properties: [
                PropertySchema("name", PropertyType(.string)),
                PropertySchema("age", PropertyType(.int, isOptional: true), isIndexed: true),
                PropertySchema("weight", PropertyType(.double), defaultValue: .double(1.5)),
                PropertySchema("born", PropertyType(.date, isOptional: true)),
                PropertySchema("owner", PropertyType(.link("Person"), isOptional: true)),
            ]),
    ])

/// The numbers of the pet schema, as the store assigned them.
package struct Pets: Sendable {
    package let person: ClassSchema
    package let dog: ClassSchema

    package init(_ store: any Store) throws {
        let schema = try store.snapshot().schema
        guard let person = schema["Person"], let dog = schema["Dog"] else { throw StoreError(.unknownClass, "no pets") }
        self.person = person
        self.dog = dog
    }

    package func person(_ name: String) -> PropertyID { person[name]?.id ?? PropertyID(0) }
    package func dog(_ name: String) -> PropertyID { dog[name]?.id ?? PropertyID(0) }
}

package func openPets(_ path: String, options: EmbeddedStoreOptions = smallClusters()) throws -> (EmbeddedStore, Pets) {
    let store = try EmbeddedStore.open(path: path, options: options)
    if try store.snapshot().schema != petSchema.adoptingIdentities(of: try store.snapshot().schema) {
        try store.replaceSchema(with: petSchema)
    }
    return (store, try Pets(store))
}

/// The code of the store error that `body` throws, or nil.
package func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
