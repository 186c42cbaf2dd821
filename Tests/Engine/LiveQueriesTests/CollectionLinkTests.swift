import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

/// Links in lists, sets and maps reach as far as single ones.
struct CollectionLinkTests {
    @Test(
        "a change behind a link in a collection modifies the element, with and without key paths",
        arguments: ["Dog[]", "Dog<>", "Dog?{}"], [[], ["friends.name"], ["fans.name"]])
    func modified(_ links: String, _ keyPaths: [String]) throws {
        let type = try #require(PropertyType(text: links))
        let schema = DogFriendsFixture.schema(type)
        let (dog, name, friends) = (DogFriendsFixture.dog, DogFriendsFixture.name, DogFriendsFixture.friends)
        let store = try ModelStore(schema)
        let live = try LiveQueries(store)
        // Ada has Rex among her friends, and he has none.
        let (rex, ada) = try store.write { transaction in
            let rex = try transaction.create(dog, [name: .string("Rex")])
            // A list contains him twice, a map under two keys.
            let value = DogFriendsFixture.value(type, [rex, rex])
            return (rex, try transaction.create(dog, [name: .string("Ada"), friends: value]))
        }
        let recorder = Recorder()
        let token = live.observe(
            BoundQuery(classID: dog), keyPaths: try keyPaths.map { try LiveKeyPath($0, in: dog, of: schema) },
            deliver: recorder.receive)
        live.settle()
        for (key, others) in [(rex, [ada]), (ada, [rex])] {
            try store.write { try $0.set(dog, key, [name: .string("new")]) }
            live.settle()
            var expected: Set<ObjectKey> = []
            switch keyPaths.first {
            case nil: expected = key == rex ? [rex, ada] : [ada]
            case "friends.name": expected = key == rex ? Set(others) : []
            default: expected = key == ada ? Set(others) : []
            }
            let modified = recorder.takeChanges().flatMap(\.modifications).map { [rex, ada][$0] }
            #expect(Set(modified) == expected && modified.count == expected.count)
        }
        #expect(recorder.faults.isEmpty)
        token.cancel()
        store.close()
    }
}
