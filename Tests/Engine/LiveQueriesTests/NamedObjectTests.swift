import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

/// Queries with objects by primary keys, and queries of the objects in one object's property.
struct NamedObjectTests {
    private let store: ModelStore
    private let live: LiveQueries
    private let person: ClassSchema
    private let dog: ClassSchema

    init() throws {
        let schema = try QueryFormTests.schema()
        store = try ModelStore(schema)
        live = try LiveQueries(store)
        person = try #require(schema["Person"])
        dog = try #require(schema["Dog"])
    }

    private func observe(
        _ text: String, of objectClass: ClassSchema, in scope: QueryScope = .all
    ) throws -> (recorder: Recorder, token: LiveToken) {
        var query = try QueryBinder(schema: store.snapshot().schema).bind(text, class: objectClass)
        query.scope = scope
        let recorder = Recorder()
        let token = live.observe(query, deliver: recorder.receive)
        live.settle()
        return (recorder, token)
    }

    @discardableResult
    private func create(_ objectClass: ClassSchema, _ id: Int64, _ values: [String: Value] = [:]) throws -> ObjectKey {
        var inputs = try inputs(objectClass, values)
        inputs[try #require(objectClass["id"]).id] = .int(id)
        let made = inputs
        let key = try store.write { try $0.create(objectClass.id, made) }
        live.settle()
        return key
    }

    private func set(_ objectClass: ClassSchema, _ key: ObjectKey, _ values: [String: Value]) throws {
        let inputs = try inputs(objectClass, values)
        try store.write { try $0.set(objectClass.id, key, inputs) }
        live.settle()
    }

    private func delete(_ objectClass: ClassSchema, _ key: ObjectKey) throws {
        try store.write { try $0.delete(objectClass.id, key) }
        live.settle()
    }

    private func inputs(_ objectClass: ClassSchema, _ values: [String: Value]) throws -> [PropertyID: Value] {
        var inputs: [PropertyID: Value] = [:]
        for (name, value) in values { inputs[try #require(objectClass[name]).id] = value }
        return inputs
    }

    @Test("an object that a query names counts while it exists under its key")
    func appearsLater() throws {
        let (linking, first) = try observe("dog == obj('Dog', 7)", of: person)
        let (others, second) = try observe("NOT dog == obj('Dog', 7)", of: person)
        let other = try create(dog, 1)
        let ada = try create(person, 1, ["dog": .link(other)])
        #expect(linking.keys == [])
        #expect(others.keys == [ada])
        let rex = try create(dog, 7)
        #expect(linking.keys == [], "the new object is linked by nobody yet")
        try set(person, ada, ["dog": .link(rex)])
        #expect(linking.keys == [ada])
        #expect(others.keys == [])
        try delete(dog, rex)
        #expect(linking.keys == [])
        #expect(others.keys == [ada])
        // Another object under the same key is another object.
        let again = try create(dog, 7)
        try set(person, ada, ["dog": .link(again)])
        #expect(linking.keys == [ada])
        #expect(linking.faults + others.faults == [])
        first.cancel()
        second.cancel()
    }

    @Test("an object that is created and linked in one commit is found")
    func appearsLinked() throws {
        let (recorder, token) = try observe("ANY dogs IN {obj('Dog', 7), obj('Dog', 8)}", of: person)
        let ada = try create(person, 1)
        let (dogID, personID) = (dog.id, person.id)
        let id = try #require(dog["id"]).id
        let dogs = try #require(person["dogs"]).id
        try store.write { transaction in
            let rex = try transaction.create(dogID, [id: .int(8)])
            try transaction.set(personID, ada, [dogs: .list([.link(rex)])])
        }
        live.settle()
        #expect(recorder.keys == [ada])
        #expect(recorder.changes.count == 1)
        token.cancel()
    }

    @Test("a list with an object twice is reported edit by edit, and is empty once its holder is deleted")
    func heldList() throws {
        let rex = try create(dog, 1, ["name": .string("Rex")])
        let ace = try create(dog, 2, ["name": .string("Ace")])
        let ada = try create(person, 1, ["dogs": .list([.link(rex), .link(ace), .link(rex)])])
        let bob = try create(person, 2)
        let property = try #require(person["dogs"]).id
        let scope = QueryScope.property(ObjectReference(person.id, ada), property)
        let (all, first) = try observe("TRUEPREDICATE", of: dog, in: scope)
        let (named, second) = try observe("name == 'Rex'", of: dog, in: scope)
        let (sorted, third) = try observe("TRUEPREDICATE SORT(name ASC)", of: dog, in: scope)
        #expect(all.keys == [rex, ace, rex])
        #expect(named.keys == [rex, rex])
        #expect(sorted.keys == [ace, rex, rex])

        try set(person, bob, ["dogs": .list([.link(ace)])])
        #expect(all.changes.isEmpty, "another object's list is no concern")
        try set(dog, rex, ["age": .int(3)])
        #expect(all.takeChanges().map(\.modifications) == [[0, 2]])
        try set(person, ada, ["dogs": .list([.link(rex), .link(rex), .link(ace)])])
        #expect(all.keys == [rex, rex, ace])
        #expect(all.takeChanges().count == 1)
        try set(dog, ace, ["name": .string("Rex")])
        #expect(named.keys == [rex, rex, ace])
        try delete(dog, rex)
        #expect(all.keys == [ace])
        #expect(named.keys == [ace])
        try delete(person, ada)
        for recorder in [all, named, sorted] {
            #expect(recorder.keys == [])
            #expect(recorder.faults == [])
            #expect(recorder.failureCode == nil)
        }
        for token in [first, second, third] { token.cancel() }
    }

    @Test("linking objects are reported when others start or stop linking")
    func linkingObjects() throws {
        let rex = try create(dog, 1)
        let ada = try create(person, 1, ["dogs": .list([.link(rex)])])
        let property = try #require(dog["owners"]).id
        let scope = QueryScope.property(ObjectReference(dog.id, rex), property)
        let (recorder, token) = try observe("age == null OR age > 3", of: person, in: scope)
        let bob = try create(person, 2, ["dogs": .list([.link(rex), .link(rex)])])
        #expect(recorder.keys == [ada, bob, bob])
        try set(person, bob, ["dogs": .list([])])
        #expect(recorder.keys == [ada])
        try set(person, ada, ["age": .int(1)])
        #expect(recorder.keys == [])
        try set(person, ada, ["age": .int(4)])
        try delete(person, ada)
        #expect(recorder.keys == [])
        #expect(recorder.faults == [])
        token.cancel()
    }

    @Test("a place that moves into a shape adds its object to the result")
    func nestedObjects() throws {
        let point = try #require(store.snapshot().schema["Point"])
        let type = try #require(point["type"]).id
        let coordinates = try #require(point["coordinates"]).id
        let there = Value.list([.double(2.35), .double(48.85)])
        let ada = try create(
            person, 1,
            ["place": .embedded([type: .string("Point"), coordinates: .list([.double(0), .double(0)])])])
        let (recorder, token) = try observe("place GEOWITHIN geoCircle([2.0, 48.0], 0.1)", of: person)
        #expect(recorder.keys == [])
        let placeID = try #require(person["place"]).id
        guard case .link(let shape) = try store.snapshot().value(person.id, ada, placeID) else {
            Issue.record("no place")
            return
        }
        try store.write { try $0.set(point.id, shape, [coordinates: there]) }
        live.settle()
        #expect(recorder.keys == [ada])
        try store.write { try $0.set(point.id, shape, [type: .string("Line")]) }
        live.settle()
        #expect(recorder.keys == [])
        token.cancel()
    }

    @Test("a result fails when a property that it reads through a link is removed from the schema")
    func schemaChange() throws {
        let (counted, first) = try observe("SUBQUERY(dogs, $d, $d.toys.@count > 0).@count > 0", of: person)
        let (plain, second) = try observe("age > 0", of: person)
        var classes = try store.snapshot().schema.classes
        for index in classes.indices where classes[index].name == "Dog" {
            classes[index].properties.removeAll { $0.name == "toys" }
        }
        let changed = Schema(version: 2, classes: classes)
        try store.replaceSchema(with: changed)
        live.settle()
        #expect(counted.failureCode == .unknownProperty)
        #expect(plain.failureCode == nil)
        first.cancel()
        second.cancel()
    }
}
