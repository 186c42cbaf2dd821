import Foundation
import ObjectModel
import PostgresTesting
import QueryLanguage
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import EmbeddedStore
@testable import PostgresLog
@testable import Projection

/// Tables in PostgreSQL against the objects that they show.
@Suite("Projections", .enabled(if: PostgresServer.isThere))
struct ProjectionTests {
    private static func single(_ base: BaseType) -> Schema {
        Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Thing", primaryKey: "id",
                    properties: [
                        PropertySchema("id", PropertyType(.int)),
                        PropertySchema("one", PropertyType(base, isOptional: base != .mixed)),
                        PropertySchema("many", PropertyType(base, isOptional: base != .mixed, collection: .list)),
                        PropertySchema("set", PropertyType(base, isOptional: base != .mixed, collection: .set)),
                        PropertySchema("map", PropertyType(base, isOptional: base != .mixed, collection: .map)),
                    ])
            ])
    }

    /// A type, a value of it, and how SQL shows it.
    struct Shown: Sendable, CustomTestStringConvertible {
        let base: BaseType
        let value: Value
        let text: String
        var testDescription: String { "\(base.name) \(text)" }

        init(_ base: BaseType, _ value: Value, _ text: String) {
            (self.base, self.value, self.text) = (base, value, text)
        }
    }

    private static func decimal(_ text: String) -> Value { Decimal128(text).map { .decimal($0) } ?? .null }

    private static func date(_ seconds: Int64, _ nanoseconds: Int32) -> Value {
        Timestamp(seconds: seconds, nanoseconds: nanoseconds).map { .date($0) } ?? .null
    }

    private static let shown: [Shown] = [
        Shown(.bool, .bool(true), "t"), Shown(.bool, .bool(false), "f"),
        Shown(.int, .int(.max), "9223372036854775807"), Shown(.int, .int(.min), "-9223372036854775808"),
        Shown(.float, .float(0.1), "0.1"), Shown(.float, .float(.greatestFiniteMagnitude), "3.4028235e+38"),
        Shown(.float, .float(.leastNonzeroMagnitude), "1e-45"), Shown(.float, .float(-.infinity), "-Infinity"),
        Shown(.double, .double(0.1), "0.1"), Shown(.double, .double(.nan), "NaN"),
        Shown(.double, .double(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
        Shown(.double, .double(.leastNonzeroMagnitude), "5e-324"),
        Shown(.string, .string("it's \"a\" \\ b, ü 👍🏽"), "it's \"a\" \\ b, ü 👍🏽"), Shown(.string, .string(""), ""),
        Shown(.string, .string("a\0b"), "a\u{FFFD}b"),
        Shown(.data, .data([0, 1, 0x7f, 0xff]), "\\x00017fff"), Shown(.data, .data([]), "\\x"),
        Shown(.decimal128, decimal("123.4500"), "123.4500"),
        Shown(.decimal128, decimal("1E+40"), "1" + String(repeating: "0", count: 40)),
        Shown(.decimal128, decimal("NaN"), "NaN"),
        Shown(.decimal128, decimal("-Infinity"), "-Infinity"),
        Shown(
            .objectId, .objectId(ObjectId(high: 0x0102_0304, low: 0x0506_0708_090a_0b0c)), "0102030405060708090a0b0c"),
        Shown(
            .uuid, .uuid(UUIDValue(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)),
            "00112233-4455-6677-8899-aabbccddeeff"),
        Shown(.mixed, .int(7), "7"), Shown(.mixed, .string("a\"b\0"), "\"a\\\"b\u{FFFD}\""),
        Shown(.mixed, .bool(true), "true"), Shown(.mixed, .float(1.5), "{\"$float\": 1.5}"),
        Shown(.mixed, .data([1, 2]), "{\"$binary\": \"AQI=\"}"),
        Shown(.date, .date(.epoch), "1970-01-01 00:00:00+00|0|0"),
        Shown(
            .date, date(1_700_000_000, 123_456_789),
            "2023-11-14 22:13:20.123456+00|1700000000|123456789"),
        Shown(.date, date(-1, -1), "1969-12-31 23:59:58.999999+00|-1|-1"),
        Shown(.date, .date(Timestamp(seconds: -62_135_596_800)), "0001-01-01 00:00:00+00|-62135596800|0"),
        Shown(.date, .date(Timestamp(seconds: -62_135_596_801)), "-infinity|-62135596801|0"),
        Shown(.date, .date(Timestamp(seconds: .max)), "infinity|9223372036854775807|0"),
    ]

    @Test("a value of each type is shown in a column, a list, a set and a map", arguments: shown)
    func value(_ shown: Shown) throws {
        let realm = try ProjectedRealm(Self.single(shown.base))
        let thing = try #require(try realm.store.snapshot().schema["Thing"])
        func id(_ name: String) throws -> PropertyID { try #require(thing[name]).id }
        let (key, one) = (try id("id"), try id("one"))
        let (many, set, map) = (try id("many"), try id("set"), try id("map"))
        try realm.store.write { transaction in
            _ = try transaction.create(
                thing.id,
                [
                    key: .int(1), one: shown.value, many: .list([shown.value, shown.value]), set: .set([shown.value]),
                    map: .dictionary(ValueMap([("k\0", shown.value)])),
                ])
            _ = try transaction.create(thing.id, [key: .int(2)])
        }
        #expect(
            try realm.projector.step() == .rewritten(to: try realm.store.snapshot().version, rows: 6, reason: .first))
        let columns = shown.base == .date ? ["", ".seconds", ".nanoseconds"] : [""]
        func list(_ name: String) -> String { columns.map { "\"\(name)\($0)\"" }.joined(separator: ", ") }
        let zone = "set time zone 'UTC'; "
        #expect(try realm.rows(zone + "select id, \(list("one")) from \"Thing\" where id = 1") == ["1|\(shown.text)"])
        #expect(try realm.rows("select one is null from \"Thing\" where id = 2") == ["t"])
        #expect(
            try realm.rows(zone + "select _index, \(list("value")) from \"Thing.many\" order by 1")
                == ["0|\(shown.text)", "1|\(shown.text)"])
        #expect(try realm.rows(zone + "select _index, \(list("value")) from \"Thing.set\"") == ["0|\(shown.text)"])
        #expect(
            try realm.rows(zone + "select _index, _key, \(list("value")) from \"Thing.map\"")
                == ["0|k\u{FFFD}|\(shown.text)"])
    }

    private static let pets = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Person", primaryKey: "name",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("pets", PropertyType(.link("Pet"), collection: .list)),
                    PropertySchema("any", PropertyType(.mixed)),
                    PropertySchema("home", PropertyType(.link("Home"), isOptional: true)),
                ]),
            ClassSchema(
                "Pet",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema(
                        "owners", PropertyType(.linkingObjects(fromClass: "Person", property: "pets"))),
                ]),
            ClassSchema("Home", isEmbedded: true, properties: [PropertySchema("street", PropertyType(.string))]),
        ])

    @Test("links join tables, and embedded objects have one of their own")
    func links() throws {
        let realm = try ProjectedRealm(Self.pets)
        let schema = try realm.store.snapshot().schema
        let (person, pet) = (try #require(schema["Person"]), try #require(schema["Pet"]))
        let home = try #require(schema["Home"])
        func id(_ model: ClassSchema, _ name: String) throws -> PropertyID { try #require(model[name]).id }
        let (name, pets, any) = (try id(person, "name"), try id(person, "pets"), try id(person, "any"))
        let (at, street, called) = (try id(person, "home"), try id(home, "street"), try id(pet, "name"))
        try realm.store.write { transaction in
            let rex = try transaction.create(pet.id, [called: .string("Rex")])
            let tom = try transaction.create(pet.id, [called: .string("Tom")])
            _ = try transaction.create(
                person.id,
                [
                    name: .string("Ann"), pets: .list([.link(tom), .link(rex), .link(tom)]),
                    any: .reference(ObjectReference(pet.id, rex)), at: .embedded([street: .string("Elm")]),
                ])
        }
        _ = try realm.projector.step()
        let join = """
            select p.name, t.name, h.street, p."any"->'$link'->>'class', a.name from "Person" p
            join "Person.pets" l on l._owner = p._oid join "Pet" t on t._oid = l.value
            join "Home" h on h._oid = p.home join "Pet" a on a._oid = (p."any"->'$link'->>'key')::bigint
            order by l._index
            """
        #expect(try realm.rows(join) == ["Ann|Tom|Elm|Pet|Rex", "Ann|Rex|Elm|Pet|Rex", "Ann|Tom|Elm|Pet|Rex"])
        // A deleted target leaves no link.
        try realm.store.write { transaction in
            let key = try #require(try transaction.select(BoundQuery(classID: pet.id), .all).first)
            try transaction.delete(pet.id, key)
        }
        guard case .changed = try realm.projector.step() else {
            Issue.record("The tables were not changed.")
            return
        }
        #expect(try realm.rows("select _index, value is null from \"Person.pets\" order by 1") == ["0|f", "1|f"])
        #expect(try realm.rows("select \"any\" is null from \"Person\"") == ["t"])
    }

    @Test("tables that follow a random history equal those written at its end", arguments: 0..<3 * TestRun.length)
    func history(_ run: Int) throws {
        var random = SeededRandom.ofTest(run)
        let seed = random.seed
        let realm = try ProjectedRealm(RandomSchemas.schema(&random, kinds: .all))
        let schema = try realm.store.snapshot().schema
        var history = RandomHistory(schema)
        var steps: [Projector.Outcome] = [try realm.projector.step()]
        for _ in 0..<60 {
            for _ in 0..<(1 + random.below(3)) {
                let operations = history.commit(count: Int(random.below(40)), target: 25, &random)
                try realm.store.write { transaction in
                    for operation in operations { try transaction.perform(operation) }
                }
            }
            steps.append(try realm.projector.step())
        }
        for step in steps.dropFirst() {
            if case .rewritten = step { Issue.record("\(step), seed \(seed)") }
        }
        let fresh = realm.schema + "-fresh"
        _ = try realm.projector(fresh).step()
        #expect(try realm.differences(from: fresh) == [], "seed \(seed)")
        try expectSameNumbers(realm, "seed \(seed)")
    }

    /// Counts and sums that are not made with the projection's code.
    private func expectSameNumbers(_ realm: ProjectedRealm, _ comment: Comment) throws {
        let snapshot = try realm.store.snapshot()
        for model in snapshot.schema.classes {
            let keys = try snapshot.select(BoundQuery(classID: model.id), .all)
            #expect(try realm.rows("select count(*) from \"\(model.name)\"") == ["\(keys.count)"], comment)
            for property in model.storedProperties where property.type.isCollection {
                let count = try keys.reduce(0) {
                    guard property.type.collection == .map else {
                        return try $0 + snapshot.elementCount(model.id, $1, property.id)
                    }
                    guard case .dictionary(let map) = try snapshot.value(model.id, $1, property.id) else { return $0 }
                    return $0 + map.count
                }
                #expect(
                    try realm.rows("select count(*) from \"\(model.name).\(property.name)\"") == ["\(count)"], comment)
            }
            for property in model.storedProperties where property.type == PropertyType(.int) {
                let values = try keys.map { key -> String in
                    guard case .int(let value) = try snapshot.value(model.id, key, property.id) else { return "" }
                    return "\(value)"
                }
                #expect(
                    try realm.rows("select \"\(property.name)\" from \"\(model.name)\" order by _oid") == values,
                    comment)
            }
        }
    }

    @Test("names that are long, quoted or taken make tables and columns")
    func names() throws {
        let long = String(repeating: "ü", count: 28)
        let property = String(repeating: "x", count: 62)
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    long,
                    properties: [
                        PropertySchema("_oid", PropertyType(.int)), PropertySchema("when", PropertyType(.date)),
                        PropertySchema(property + "a", PropertyType(.int, collection: .list)),
                        PropertySchema(property + "b", PropertyType(.int, collection: .list)),
                        PropertySchema("select", PropertyType(.string)),
                    ])
            ])
        let realm = try ProjectedRealm(schema)
        let model = try #require(try realm.store.snapshot().schema[long])
        let (own, first) = (try #require(model["_oid"]).id, try #require(model[property + "a"]).id)
        try realm.store.write { _ = try $0.create(model.id, [own: .int(5), first: .list([.int(1)])]) }
        _ = try realm.projector.step()
        #expect(try realm.rows("select _oid_2, \"select\" from \"\(long)\"") == ["5|"])
        let tables = try realm.rows(
            "select table_name from information_schema.tables where table_schema = '\(realm.schema)'")
        #expect(tables.count == 3)
        #expect(tables.allSatisfy { $0.utf8.count <= 63 })
        #expect(ProjectionSQL.quoted("a\"b") == "\"a\"\"b\"")
        #expect(ProjectionSQL.literal("it's") == "'it''s'")
    }
}
