import EmbeddedStore
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

@Suite("Queries about objects that link here from lists, sets and maps")
struct CollectionLinkTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func schema(_ links: String) -> Schema {
        let type = PropertyType(text: links) ?? PropertyType(.int)
        return Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Dog",
                    properties: [
                        PropertySchema("name", PropertyType(.string)), PropertySchema("friends", type),
                        PropertySchema("fans", PropertyType(.linkingObjects(fromClass: "Dog", property: "friends"))),
                    ])
            ])
    }

    @Test("every store finds the same", arguments: ["Dog[]", "Dog<>", "Dog?{}", "Dog?"])
    func queries(_ links: String) throws {
        let schema = Self.schema(links)
        let (dog, name, friends) = (ClassID(1), PropertyID(1), PropertyID(2))
        let stores: [any Store] = [
            try EmbeddedStore.open(path: directory.store, schema: schema, options: smallClusters()),
            try ModelStore(schema),
        ]
        defer { for store in stores { store.close() } }
        let seed = UInt64.random(in: 0..<1 << 40)
        print("collection links seed \(seed)")
        for store in stores {
            try store.write { transaction in
                var random = SeededRandom(seed: seed)
                let keys = try (0..<150).map { try transaction.create(dog, [name: .string("n\($0 % 7)")]) }
                for key in keys {
                    let targets = (0..<random.below(4)).map { _ in Value.link(keys[random.below(150)]) }
                    let value: Value =
                        switch links {
                        case "Dog[]": .list(targets)
                        case "Dog<>": .set(targets)
                        case "Dog?": targets.first ?? .null
                        default: .dictionary(ValueMap(targets.enumerated().map { ("k\($0.offset)", $0.element) }))
                        }
                    try transaction.set(dog, key, [friends: value])
                }
                for key in keys where random.oneIn(9) { try transaction.delete(dog, key) }
            }
        }
        let binder = QueryBinder(schema: schema)
        for filter in [
            "fans.@count > 1", "fans.@count == 0", "ANY fans.name == 'n3'", "fans.name BEGINSWITH 'n'",
            "ALL fans.name != 'n1'", "NONE fans.name IN {'n2', 'n5'}", "@links.Dog.friends.@count == 2",
            "ANY fans.fans.name == 'n4'", "fans.@count > 0 SORT(name DESC) LIMIT(9)",
        ] {
            let query = try binder.bind(filter, class: schema.classes[0])
            let answers = try stores.map { try $0.snapshot().select(query, Window()) }
            #expect(answers[0] == answers[1], "\(filter)")
        }
        let some = try binder.bind("ANY fans.name == 'n3'", class: schema.classes[0])
        #expect(try !stores[0].snapshot().select(some, Window()).isEmpty)
    }
}
