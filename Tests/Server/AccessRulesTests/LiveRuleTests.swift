import AccessRules
import EmbeddedStore
import ViewMaintenance
import LiveQueries
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import Testing
import TestBasics

/// Compares live results of restricted queries under random changes with fresh reads. A failure names its seed.
@Suite("live results under rules")
struct LiveRuleTests {
    @Test("an observer holds what is there for it after every commit", arguments: 0..<2 * TestRun.length)
    func history(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let seed = random.seed
        let world = try RandomWorld(&random, commits: 30)
        let live = try LiveQueries(world.store)
        let access = world.view.access(under: try world.store.snapshot().schema)
        let queries = RandomQueries(access.visibleSchema, forms: .all)
        var observed: [(query: BoundQuery, keys: HeldKeys, token: LiveToken)] = []
        for _ in 0..<25 {
            var query = queries.query(&random)
            // The gateway checks whether the holder is visible.
            query.scope = .all
            let held = HeldKeys()
            observed.append((query, held, live.observe(access.restrict(query)) { held.receive($0) }))
        }
        var history = RandomHistory(try world.store.snapshot().schema, firstKey: 1_000_000)
        for number in 0..<40 {
            let operations = history.commit(count: 40, target: 50, &random)
            try world.store.write { transaction in for operation in operations { try transaction.perform(operation) } }
            live.settle()
            let snapshot = try world.view.restrict(try world.store.snapshot())
            for (query, held, _) in observed {
                #expect(
                    held.keys == (try snapshot.select(query, .all)),
                    "seed \(seed), commit \(number), rules \(world.role.classes.mapValues(\.read)), \(query)")
            }
        }
        for (_, _, token) in observed { token.cancel() }
    }

    @Test("an object that comes to satisfy the rule comes, and one that leaves it goes, also by a link's far end")
    func comingAndGoing() throws {
        let house = try House()
        let live = try LiveQueries(house.store)
        let view = AccessView(
            role: Role(name: "r", classes: ["Note": ClassRule(read: "author.open == true")]))
        let access = view.access(under: try house.store.snapshot().schema)
        let held = HeldKeys()
        let token = live.observe(access.restrict(BoundQuery(classID: house.note.id))) { held.receive($0) }
        defer { token.cancel() }
        live.settle()
        #expect(held.keys == [ObjectKey(0)])
        let (person, open) = (house.person, try house.id("Person", "open"))
        try house.store.write { try $0.set(person.id, ObjectKey(1), [open: .bool(true)]) }
        live.settle()
        #expect(held.keys == [ObjectKey(0), ObjectKey(1)])
        try house.store.write { try $0.set(person.id, ObjectKey(0), [open: .bool(false)]) }
        live.settle()
        #expect(held.keys == [ObjectKey(1)])
    }
}

/// The keys that an observer has after its events.
final class HeldKeys: Sendable {
    private let state = Mutex<[ObjectKey]?>(nil)

    var keys: [ObjectKey]? { state.withLock { $0 } }

    func receive(_ event: LiveQueryEvent) {
        switch event {
        case .initial(_, let keys), .resumed(_, let keys): state.withLock { $0 = Array(keys) }
        case .update(let change): state.withLock { $0 = Array(change.newKeys) }
        case .deleted, .failed: state.withLock { $0 = nil }
        }
    }
}

/// Two persons, the first of them visible, with a note each.
struct House {
    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Person", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.int)),
                    PropertySchema("open", PropertyType(.bool)),
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("secret", PropertyType(.string)),
                    PropertySchema("home", PropertyType(.link("Address"), isOptional: true)),
                    PropertySchema("friend", PropertyType(.link("Person"), isOptional: true)),
                    PropertySchema("friends", PropertyType(.link("Person"), collection: .list)),
                    PropertySchema("pals", PropertyType(.link("Person"), collection: .set)),
                    PropertySchema("tags", PropertyType(.string, collection: .list)),
                ]),
            ClassSchema(
                "Address", isEmbedded: true,
                properties: [
                    PropertySchema("street", PropertyType(.string)), PropertySchema("code", PropertyType(.int)),
                ]),
            ClassSchema(
                "Note", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.int)),
                    PropertySchema("text", PropertyType(.string)),
                    PropertySchema("author", PropertyType(.link("Person"), isOptional: true)),
                ]),
            ClassSchema("Vault", properties: [PropertySchema("gold", PropertyType(.int))]),
        ])

    let directory: TestDirectory
    let store: EmbeddedStore
    let person: ClassSchema
    let note: ClassSchema

    init() throws {
        directory = try TestDirectory()
        store = try EmbeddedStore.open(path: directory.path + "/store", schema: Self.schema)
        let schema = try store.snapshot().schema
        guard let person = schema["Person"], let note = schema["Note"] else {
            throw StoreError(.unknownClass, "no house")
        }
        self.person = person
        self.note = note
        let links = ObjectKey(0)
        let values: [[String: Value]] = [
            ["id": .int(1), "open": .bool(true), "name": .string("ada"), "secret": .string("s1")],
            [
                "id": .int(2), "open": .bool(false), "name": .string("bob"), "secret": .string("s2"),
                "friend": .link(links),
            ],
        ]
        try store.write { transaction in
            for value in values { _ = try transaction.create(person.id, Self.bound(value, person)) }
            for (number, author) in [0, 1].enumerated() {
                _ = try transaction.create(
                    note.id,
                    Self.bound(
                        ["id": .int(Int64(number)), "author": .link(ObjectKey(Int64(author)))], note))
            }
        }
    }

    static func bound(_ values: [String: Value], _ objectClass: ClassSchema) -> [PropertyID: Value] {
        var bound: [PropertyID: Value] = [:]
        for (name, value) in values { if let id = objectClass[name]?.id { bound[id] = value } }
        return bound
    }

    func id(_ className: String, _ property: String) throws -> PropertyID {
        guard let id = try store.snapshot().schema[className]?[property]?.id else {
            throw StoreError(.unknownProperty, property)
        }
        return id
    }
}
