import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("Queries of linking objects through lists, sets and maps")
struct CollectionLinkTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    @Test("every store finds the same", arguments: ["Dog[]", "Dog<>", "Dog?{}", "Dog?"])
    func queries(_ links: String) throws {
        let type = try #require(PropertyType(text: links))
        let schema = DogFriendsFixture.schema(type)
        let stores: [any Store] = [
            try EmbeddedStore.open(path: directory.store, schema: schema, options: smallClusters()),
            try ModelStore(schema),
        ]
        defer { for store in stores { store.close() } }
        let seed = TestSeed.of(links)
        print("collection links seed \(seed)")
        for store in stores {
            try store.write { transaction in
                var random = SeededRandom(seed: seed)
                let keys = try (0..<150).map {
                    try transaction.create(DogFriendsFixture.dog, [DogFriendsFixture.name: .string("n\($0 % 7)")])
                }
                for key in keys {
                    let targets = (0..<random.below(4)).map { _ in keys[random.below(150)] }
                    try transaction.set(
                        DogFriendsFixture.dog, key, [DogFriendsFixture.friends: DogFriendsFixture.value(type, targets)])
                }
                for key in keys where random.oneIn(9) { try transaction.delete(DogFriendsFixture.dog, key) }
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
