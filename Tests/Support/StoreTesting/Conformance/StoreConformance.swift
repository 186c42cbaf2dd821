package import ObjectModel
package import StoreContract
import TestBasics

/// Checks that a store keeps its contract. Each function is one topic, makes its own stores and throws a
/// `ConformanceFailure`, or an unexpected error of the store. Functions with a seed include it in their failures.
package enum StoreConformance {
    /// Makes an empty store at version 1. The store is closed by the suite.
    package typealias Maker = (Schema) throws -> any Store

    /// Makes a store, uses it and closes it.
    static func with(_ make: Maker, _ schema: Schema = BooksFixture.schema, _ body: (any Store) throws -> Void) throws {
        let store = try make(schema)
        defer { store.close() }
        try body(store)
    }

    /// Runs a random topic so that its failures name the seed.
    static func seeded(_ seed: UInt64, _ body: (inout SeededRandom) throws -> Void) throws {
        var random = SeededRandom(seed: seed)
        do {
            try body(&random)
        } catch {
            throw ConformanceFailure("seed \(seed): \(error)")
        }
    }
}

/// The schema of the topics that are not random: books with authors, and one class for each kind of primary key.
enum BooksFixture {
    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Book", primaryKey: "isbn",
                properties: [
                    PropertySchema("isbn", PropertyType(.string)),
                    PropertySchema("title", PropertyType(.string), isIndexed: true, defaultValue: .string("untitled")),
                    PropertySchema("pages", PropertyType(.int)),
                    PropertySchema("price", PropertyType(.double, isOptional: true)),
                    PropertySchema("author", PropertyType(.link("Author"), isOptional: true)),
                    PropertySchema("sequel", PropertyType(.link("Book"), isOptional: true)),
                ]),
            ClassSchema(
                "Author",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("books", PropertyType(.linkingObjects(fromClass: "Book", property: "author"))),
                ]),
            ClassSchema("ByInt", primaryKey: "id", properties: [PropertySchema("id", PropertyType(.int))]),
            ClassSchema(
                "ByOptional", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.string, isOptional: true)),
                    PropertySchema("note", PropertyType(.string)),
                ]),
            ClassSchema("ByObjectId", primaryKey: "id", properties: [PropertySchema("id", PropertyType(.objectId))]),
            ClassSchema("ByUUID", primaryKey: "id", properties: [PropertySchema("id", PropertyType(.uuid))]),
            ClassSchema(
                "Everything",
                properties: [
                    PropertySchema("bool", PropertyType(.bool)), PropertySchema("int", PropertyType(.int)),
                    PropertySchema("float", PropertyType(.float)), PropertySchema("double", PropertyType(.double)),
                    PropertySchema("string", PropertyType(.string)), PropertySchema("date", PropertyType(.date)),
                    PropertySchema("objectId", PropertyType(.objectId)), PropertySchema("uuid", PropertyType(.uuid)),
                    PropertySchema("maybeBool", PropertyType(.bool, isOptional: true)),
                    PropertySchema("maybeInt", PropertyType(.int, isOptional: true)),
                    PropertySchema("maybeFloat", PropertyType(.float, isOptional: true)),
                    PropertySchema("maybeDouble", PropertyType(.double, isOptional: true)),
                    PropertySchema("maybeString", PropertyType(.string, isOptional: true)),
                    PropertySchema("maybeDate", PropertyType(.date, isOptional: true)),
                    PropertySchema("maybeObjectId", PropertyType(.objectId, isOptional: true)),
                    PropertySchema("maybeUUID", PropertyType(.uuid, isOptional: true)),
                    PropertySchema("link", PropertyType(.link("Author"), isOptional: true)),
                ]),
        ])

    // A fresh schema numbers classes and properties from 1 in order.
    static let book = ClassID(1)
    static let isbn = PropertyID(1)
    static let title = PropertyID(2)
    static let pages = PropertyID(3)
    static let price = PropertyID(4)
    static let author = PropertyID(5)
    static let sequel = PropertyID(6)
    static let writer = ClassID(2)
    static let name = PropertyID(1)
    static let byOptional = ClassID(4)
    static let id = PropertyID(1)
    static let note = PropertyID(2)
    static let everything = ClassID(7)
}

extension WriteTransaction {
    @discardableResult
    func book(_ isbn: String, _ more: [PropertyID: Value] = [:]) throws -> ObjectKey {
        try create(BooksFixture.book, more.merging([BooksFixture.isbn: .string(isbn)]) { given, _ in given })
    }

    @discardableResult
    func author(_ name: String) throws -> ObjectKey {
        try create(BooksFixture.writer, [BooksFixture.name: .string(name)])
    }
}
