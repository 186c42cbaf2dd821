import ObjectModel
import QueryLanguage
import StoreContract

/// The schema of the topics about collections and embedded objects: houses with people in every kind of place.
enum HousesFixture {
    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "House", primaryKey: "number",
                properties: [
                    PropertySchema("number", PropertyType(.int)),
                    PropertySchema("colour", PropertyType(.string, isOptional: true)),
                    PropertySchema("main", PropertyType(.link("Person"), isOptional: true)),
                    PropertySchema("owners", PropertyType(.link("Person"), collection: .list)),
                    PropertySchema("guests", PropertyType(.link("Person"), collection: .set)),
                    PropertySchema("roles", PropertyType(.link("Person"), isOptional: true, collection: .map)),
                    PropertySchema("any", PropertyType(.mixed)),
                    PropertySchema("anyList", PropertyType(.mixed, collection: .list)),
                    PropertySchema("anySet", PropertyType(.mixed, collection: .set)),
                    PropertySchema("anyMap", PropertyType(.mixed, collection: .map)),
                    PropertySchema("door", PropertyType(.link("Door"), isOptional: true)),
                    PropertySchema("rooms", PropertyType(.link("Room"), collection: .list)),
                    PropertySchema("sheds", PropertyType(.link("Room"), isOptional: true, collection: .map)),
                    PropertySchema("tags", PropertyType(.string, isOptional: true, collection: .list)),
                    PropertySchema("marks", PropertyType(.int, collection: .set)),
                    PropertySchema("notes", PropertyType(.string, isOptional: true, collection: .map)),
                ]),
            ClassSchema(
                "Person",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("friend", PropertyType(.link("Person"), isOptional: true)),
                    PropertySchema("houses", PropertyType(.linkingObjects(fromClass: "House", property: "owners"))),
                ]),
            ClassSchema(
                "Room", isEmbedded: true,
                properties: [
                    PropertySchema("name", PropertyType(.string, isOptional: true)),
                    PropertySchema("size", PropertyType(.int), defaultValue: .int(7)),
                    PropertySchema("door", PropertyType(.link("Door"), isOptional: true)),
                    PropertySchema("guest", PropertyType(.link("Person"), isOptional: true)),
                ]),
            ClassSchema(
                "Door", isEmbedded: true,
                properties: [
                    PropertySchema("colour", PropertyType(.string, isOptional: true)),
                    PropertySchema("keys", PropertyType(.int, collection: .list)),
                ]),
        ])

    static let house = Class("House")
    static let person = Class("Person")
    static let room = Class("Room")
    static let door = Class("Door")

    /// A class of the schema with the numbers that a fresh store assigns.
    struct Class: Sendable {
        let id: ClassID
        private let properties: [String: PropertyID]

        init(_ name: String) {
            let objectClass = HousesFixture.schema[name]
            id = objectClass?.id ?? ClassID(0)
            properties = Dictionary(
                (objectClass?.properties ?? []).map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
        }

        subscript(name: String) -> PropertyID { properties[name] ?? PropertyID(0) }

        func values(_ named: [String: Value]) -> [PropertyID: Value] {
            Dictionary(named.map { (self[$0.key], $0.value) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// A new room.
    static func room(_ name: String, _ more: [String: Value] = [:]) -> Value {
        .embedded(room.values(more.merging(["name": .string(name)]) { given, _ in given }))
    }

    /// A new door.
    static func door(_ colour: String) -> Value { .embedded(door.values(["colour": .string(colour)])) }

    static func map(_ entries: KeyValuePairs<String, Value>) -> Value {
        .dictionary(ValueMap(entries.map { ($0.key, $0.value) }))
    }
}

extension WriteTransaction {
    @discardableResult
    func house(_ number: Int64, _ values: [String: Value] = [:]) throws -> ObjectKey {
        try create(
            HousesFixture.house.id,
            HousesFixture.house.values(values.merging(["number": .int(number)]) { given, _ in given }))
    }

    @discardableResult
    func person(_ name: String) throws -> ObjectKey {
        try create(HousesFixture.person.id, [HousesFixture.person["name"]: .string(name)])
    }

    @discardableResult
    func edit(_ house: ObjectKey, _ property: String, _ operation: CollectionOperation) throws -> Bool {
        try edit(HousesFixture.house.id, house, HousesFixture.house[property], operation)
    }

    func set(_ house: ObjectKey, _ values: [String: Value]) throws {
        try set(HousesFixture.house.id, house, HousesFixture.house.values(values))
    }
}

extension Snapshot {
    func house(_ key: ObjectKey, _ property: String) throws -> Value {
        try value(HousesFixture.house.id, key, HousesFixture.house[property])
    }

    func objects(_ objectClass: HousesFixture.Class) throws -> [ObjectKey] {
        try select(BoundQuery(classID: objectClass.id), .all)
    }
}

extension Store {
    /// The changes that one piece of work made.
    func changes(
        of work: @escaping @Sendable (any WriteTransaction) throws -> Void
    ) throws -> [ClassID: ClassChanges] {
        let before = try snapshot().version
        try write(work)
        let sets = try changes(after: before) ?? []
        try requireEqual(sets.count, 1, "the number of change sets of one piece of work")
        return sets.first?.classes ?? [:]
    }
}
