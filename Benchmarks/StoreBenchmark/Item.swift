import ObjectModel

/// The row of the prototype of the column scans: 1M of id, name, age 0..19, weight, adopted, breed of 50.
struct Item {
    let id: Int64
    let name: String
    let age: Int64
    let weight: Double
    let adopted: Bool
    let breed: String

    /// The same items for the same number, whatever the run.
    init(_ number: Int) {
        var random = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        random ^= random >> 29
        random &*= 0xBF58_476D_1CE4_E5B9
        random ^= random >> 32
        id = Int64(number)
        name = "item\(random % 1_000_000)"
        age = Int64(random % 20)
        weight = Double(random % 100_000) / 1000
        adopted = random & 4 == 0
        breed = "breed\(random % 50)"
    }

    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Item", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.int)), PropertySchema("name", PropertyType(.string)),
                    PropertySchema("age", PropertyType(.int)), PropertySchema("weight", PropertyType(.double)),
                    PropertySchema("adopted", PropertyType(.bool)), PropertySchema("breed", PropertyType(.string)),
                ]), Entry.ownerSchema, Entry.schema,
        ])

    /// In the order of the schema.
    var row: [Value] { [.int(id), .string(name), .int(age), .double(weight), .bool(adopted), .string(breed)] }
}
