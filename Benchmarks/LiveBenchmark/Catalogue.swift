import EmbeddedStore
import ObjectModel
import StoreContract

/// The observed objects: items with an owner each, ten to an owner.
struct Catalogue {
    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Item", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.int)), PropertySchema("name", PropertyType(.string)),
                    PropertySchema("age", PropertyType(.int)), PropertySchema("score", PropertyType(.int)),
                    PropertySchema("breed", PropertyType(.string)),
                    PropertySchema("owner", PropertyType(.link("Owner"), isOptional: true)),
                ]),
            ClassSchema(
                "Owner", primaryKey: "id",
                properties: [PropertySchema("id", PropertyType(.int)), PropertySchema("level", PropertyType(.int))]),
        ])

    static let item = ClassID(1)
    static let name = PropertyID(2)
    static let age = PropertyID(3)
    static let score = PropertyID(4)
    static let breed = PropertyID(5)
    static let owner = ClassID(2)
    static let level = PropertyID(2)
    static let scores = 1_000_000_000

    let store: EmbeddedStore
    let count: Int

    init(path: String, count: Int) throws {
        self.count = count
        store = try newStore(path, Self.schema)
        let ownerCount = max(1, count / 10)
        try store.write { transaction in
            for number in 0..<ownerCount {
                _ = try transaction.create(Self.owner, row: [.int(Int64(number)), .int(Int64(number % 10))])
            }
        }
        for first in stride(from: 0, to: count, by: 250_000) {
            try store.write { transaction in
                for number in first..<min(count, first + 250_000) {
                    let random = Self.random(number)
                    _ = try transaction.create(
                        Self.item,
                        row: [
                            .int(Int64(number)), .string("item \(random % 100_000)"), .int(Int64(random % 20)),
                            .int(Int64(random / 32 % UInt64(Self.scores))), .string("breed \(random / 7 % 50)"),
                            .link(ObjectKey(Int64(number % ownerCount))),
                        ])
                }
            }
        }
    }

    /// The same for the same number, whatever the run.
    static func random(_ number: Int) -> UInt64 {
        var random = UInt64(number &+ 1) &* 0x9E37_79B9_7F4A_7C15
        random ^= random >> 29
        random &*= 0xBF58_476D_1CE4_E5B9
        random ^= random >> 32
        return random
    }

    func set(_ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        _ = try store.write { try $0.set(Self.item, key, values) }
    }

    func int(_ key: ObjectKey, _ property: PropertyID) throws -> Int64 {
        guard case .int(let value) = try store.snapshot().value(Self.item, key, property) else { return 0 }
        return value
    }
}
