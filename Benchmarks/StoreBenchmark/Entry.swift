import ObjectModel

/// The objects of the questions about links, lists and decimals: entries of 100,000 owners.
enum Entry {
    static let cities = (0..<200).map { "city\($0)" }

    static let ownerSchema = ClassSchema(
        "Owner", primaryKey: "id",
        properties: [PropertySchema("id", PropertyType(.int)), PropertySchema("city", PropertyType(.string))])

    static let schema = ClassSchema(
        "Entry", primaryKey: "id",
        properties: [
            PropertySchema("id", PropertyType(.int)),
            PropertySchema("owner", PropertyType(.link("Owner"), isOptional: true)),
            PropertySchema("price", PropertyType(.decimal128)),
            PropertySchema("nums", PropertyType(.int, collection: .list)),
        ])

    static func city(ofOwner number: Int) -> String { cities[number &* 7919 % cities.count] }

    static func owner(_ number: Int, of ownerCount: Int) -> Int { number &* 104_729 % ownerCount }

    /// In cents, below 1,000.00.
    static func cents(_ number: Int) -> Int64 { Int64(Item(number).weight * 1000) }

    static func price(_ number: Int) -> Decimal128 {
        let cents = cents(number)
        let rest = cents % 100
        return Decimal128("\(cents / 100).\(rest < 10 ? "0" : "")\(rest)") ?? .zero
    }

    /// None to four numbers below 100.
    static func nums(_ number: Int) -> [Int64] {
        (0..<number % 5).map { Int64((number &* 31 &+ $0 &* 17) % 100) }
    }
}
