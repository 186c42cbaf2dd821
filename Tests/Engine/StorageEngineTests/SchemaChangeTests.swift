import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import QuerySyntax
import QueryLanguage
import RepositoryFiles
import StoreContract
import Testing

@Suite("Replacing the schema")
struct SchemaChangeTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func schema(_ version: UInt64, _ properties: [PropertySchema], others: [ClassSchema] = []) -> Schema {
        Schema(version: version, classes: [ClassSchema("Thing", properties: properties)] + others)
    }

    private let name = PropertySchema("name", PropertyType(.string))
    private let size = PropertySchema("size", PropertyType(.int), defaultValue: .int(9))

    private func filled() throws -> EmbeddedStore {
        let store = try EmbeddedStore.open(path: directory.store, options: smallClusters())
        try store.replaceSchema(with: schema(1, [name]))
        let thing = try #require(try store.snapshot().schema["Thing"])
        try store.write { transaction in
            for number in 0..<150 {
                _ = try transaction.create(thing.id, [thing.properties[0].id: .string("thing \(number % 7)")])
            }
            for key in Int64(0)..<40 { try transaction.delete(thing.id, ObjectKey(key)) }
        }
        return store
    }

    @Test("a new property is zero in every existing object, and has its default in new ones")
    func addition() throws {
        let store = try filled()
        try store.replaceSchema(with: schema(1, [name, size]))
        let thing = try #require(try store.snapshot().schema["Thing"])
        let added = try #require(thing["size"]?.id)
        let snapshot = try store.snapshot()
        for key in 40..<150 { #expect(try snapshot.value(thing.id, ObjectKey(Int64(key)), added) == .int(0)) }
        try store.write { _ = try $0.create(thing.id, [:]) }
        #expect(try store.snapshot().value(thing.id, ObjectKey(150), added) == .int(9))
    }

    @Test("an index added later finds existing objects, and can be removed again")
    func index() throws {
        let store = try filled()
        var indexed = name
        indexed.isIndexed = true
        try store.replaceSchema(with: schema(1, [indexed]))
        let thing = try #require(try store.snapshot().schema["Thing"])
        let path = BoundPath(end: .property(thing.properties[0].id, PropertyType(.string)))
        let query = BoundQuery(
            classID: thing.id,
            predicate: .comparison(BoundComparison(.path(path), .equal, .constant(.string("thing 3")))))
        let expected = (40..<150).filter { $0 % 7 == 3 }.map { ObjectKey(Int64($0)) }
        #expect(try store.snapshot().select(query, .all) == expected)
        try store.replaceSchema(with: schema(1, [name]))
        #expect(try store.snapshot().select(query, .all) == expected)
    }

    @Test("dropping data needs a higher version, and then it is deleted")
    func removal() throws {
        let store = try filled()
        let other = ClassSchema("Other", properties: [name])
        let withoutThing = Schema(version: 1, classes: [other])
        #expect(code { try store.replaceSchema(with: withoutThing) } == .migrationRequired)
        #expect(code { try store.replaceSchema(with: schema(1, [size])) } == .migrationRequired)
        #expect(try store.snapshot().schema.classes.count == 1)
        try store.replaceSchema(with: schema(2, [size]))
        let thing = try #require(try store.snapshot().schema["Thing"])
        #expect(try store.snapshot().value(thing.id, ObjectKey(60), thing.properties[0].id) == .int(0))
        try store.replaceSchema(with: Schema(version: 3, classes: [other]))
        try store.replaceSchema(with: schema(3, [name], others: [other]))
        let again = try #require(try store.snapshot().schema["Thing"])
        #expect(try store.snapshot().count(of: again.id) == 0)
    }

    @Test("a lower version, a faulty schema and a changed type are rejected and change nothing")
    func refusals() throws {
        let store = try filled()
        let before = try store.snapshot().version
        #expect(code { try store.replaceSchema(with: schema(0, [name])) } == .schemaVersionTooLow)
        #expect(code { try store.replaceSchema(with: schema(1, [])) } == .schemaInvalid)
        #expect(
            code { try store.replaceSchema(with: schema(1, [PropertySchema("name", PropertyType(.int))])) }
                == .migrationRequired)
        #expect(try store.snapshot().version == before)
    }

    @Test("the schema survives closing, with its defaults and numbers")
    func persistence() throws {
        let defaults: [PropertySchema] = [
            PropertySchema("s", PropertyType(.string), defaultValue: .string("x")),
            PropertySchema("d", PropertyType(.date), defaultValue: .date(Timestamp(floorSeconds: -5, fraction: 7))),
            PropertySchema("o", PropertyType(.objectId), defaultValue: .objectId(ObjectId(high: 1, low: 2))),
            PropertySchema("u", PropertyType(.uuid), isIndexed: true, defaultValue: .uuid(UUIDValue(high: 3, low: 4))),
            PropertySchema("f", PropertyType(.float), defaultValue: .float(.infinity)),
            PropertySchema("b", PropertyType(.bool, isOptional: true), defaultValue: .bool(true)),
            PropertySchema("t", PropertyType(.string), isIndexed: true, isFullTextIndexed: true),
            PropertySchema("w", PropertyType(.string, isOptional: true), isFullTextIndexed: true, defaultValue: .null),
            PropertySchema("a", PropertyType(.data), defaultValue: .data([0, 255])),
            PropertySchema("c", PropertyType(.decimal128), defaultValue: .decimal(Decimal128(Int64(7)))),
            PropertySchema(
                "m", PropertyType(.mixed), defaultValue: .dictionary(ValueMap([("k", .list([.int(1), .null]))]))),
            PropertySchema("l", PropertyType(.int, collection: .list), defaultValue: .list([.int(1)])),
            PropertySchema("e", PropertyType(.int, collection: .set), defaultValue: .set([.int(1), .int(2)])),
            PropertySchema(
                "p", PropertyType(.int, collection: .map), defaultValue: .dictionary(ValueMap([("k", .int(1))]))),
        ]
        let stored: Schema
        do {
            let store = try EmbeddedStore.open(path: directory.store)
            try store.replaceSchema(with: schema(4, defaults))
            stored = try store.snapshot().schema
            store.close()
        }
        let store = try EmbeddedStore.open(path: directory.store)
        #expect(try store.snapshot().schema == stored)
    }
}
