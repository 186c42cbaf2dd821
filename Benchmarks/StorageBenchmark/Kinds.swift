import EmbeddedStore
import ObjectModel
import StoreContract
import StoreTesting
import TestBasics

/// Stores many objects with one property each, and divides a compacted copy by their number.
struct Kinds {
    private let directory: ScratchDirectory

    init(_ directory: ScratchDirectory) { self.directory = directory }

    private struct Kind: Sendable {
        var name: String
        var property: PropertySchema
        var isKey = false
        var value: @Sendable (Int, inout SeededRandom) -> Value
    }

    private static func property(_ type: String, indexed: Bool = false, fullText: Bool = false) -> PropertySchema {
        guard let type = PropertyType(text: type) else { fatalError("\(type) is not a type.") }
        return PropertySchema("p", type, isIndexed: indexed, isFullTextIndexed: fullText)
    }

    private static let kinds: [Kind] = [
        Kind(name: "bool", property: property("bool")) { .bool($1.below(2) == 0) },
        Kind(name: "int below 20", property: property("int")) { .int(Int64($1.below(20))) },
        Kind(name: "int, any", property: property("int")) { .int(Int64(bitPattern: $1.next())) },
        Kind(name: "int?, half null", property: property("int?")) { $0 % 2 == 0 ? .null : .int(Int64($1.below(256))) },
        Kind(name: "int, indexed, any", property: property("int", indexed: true)) {
            .int(Int64(bitPattern: $1.next()))
        },
        Kind(name: "int, primary key that counts up", property: property("int"), isKey: true) { number, _ in
            .int(Int64(number))
        },
        Kind(name: "int, primary key, any", property: property("int"), isKey: true) {
            .int(Int64(bitPattern: $1.next()))
        },
        Kind(name: "string, primary key of 12 bytes", property: property("string"), isKey: true) { number, _ in
            .string("key \(number + 10_000_000)")
        },
        Kind(name: "objectId, primary key", property: property("objectId"), isKey: true) {
            .objectId(ObjectId(high: UInt32($0), low: $1.next()))
        },
        Kind(name: "float", property: property("float")) { .float(Float($1.below(1 << 24))) },
        Kind(name: "double", property: property("double")) { .double(Double($1.next())) },
        Kind(name: "decimal128", property: property("decimal128")) { .decimal(Decimal128(Int64($1.below(1 << 40)))) },
        Kind(name: "date, whole seconds of a year", property: property("date")) {
            .date(Timestamp(seconds: Int64($1.below(31_536_000))))
        },
        Kind(name: "date, nanoseconds", property: property("date")) {
            .date(
                Timestamp(seconds: Int64($1.below(31_536_000)), nanoseconds: Int32($1.below(1_000_000_000))) ?? .epoch)
        },
        Kind(name: "objectId", property: property("objectId")) {
            .objectId(ObjectId(high: UInt32($0), low: $1.next()))
        },
        Kind(name: "uuid", property: property("uuid")) { .uuid(UUIDValue(high: $1.next(), low: $1.next())) },
        Kind(name: "string, one of 50", property: property("string")) { .string("breed\($1.below(50))") },
        Kind(name: "string of 20 bytes", property: property("string")) { text(20, &$1, $0) },
        Kind(name: "string of 2,000 bytes, outside the leaf", property: property("string")) { text(2000, &$1, $0) },
        Kind(name: "string of 23 bytes, full text of 4 words", property: property("string", fullText: true)) {
            _, numbers in
            .string((0..<4).map { _ in "w\(1000 + numbers.below(1000))" }.joined(separator: " "))
        },
        Kind(name: "data of 100 bytes", property: property("data")) {
            _, numbers in
            .data((0..<100).map { _ in UInt8(truncatingIfNeeded: numbers.next()) })
        },
        Kind(name: "mixed: int below 20", property: property("mixed")) { .int(Int64($1.below(20))) },
        Kind(name: "mixed: list of 3 ints", property: property("mixed")) {
            .list([.int(Int64($0)), .int(Int64($1.below(9))), .int(7)])
        },
        Kind(name: "link", property: property("Item?")) { $0 == 0 ? .null : .link(ObjectKey(Int64($1.below($0)))) },
        Kind(name: "list, empty", property: property("int[]")) { _, _ in .list([]) },
        Kind(name: "list of 10 ints below 100", property: property("int[]")) { _, numbers in
            .list((0..<10).map { _ in .int(Int64(numbers.below(100))) })
        },
        Kind(name: "list of 2,000 ints below 100", property: property("int[]")) { _, numbers in
            .list((0..<2000).map { _ in .int(Int64(numbers.below(100))) })
        },
        Kind(name: "list of 3 links", property: property("Item[]")) { number, numbers in
            number == 0 ? .list([]) : .list((0..<3).map { _ in .link(ObjectKey(Int64(numbers.below(number)))) })
        },
        Kind(name: "set of 5 strings of 5 bytes", property: property("string<>")) { _, numbers in
            .set((0..<5).map { .string("\($0)" + "\(1000 + numbers.below(9000))") })
        },
        Kind(name: "map of 3 doubles", property: property("double{}")) { _, numbers in
            .dictionary(ValueMap(["a", "b", "c"].map { ($0, .double(Double(numbers.next()))) }))
        },
    ]

    private static func text(_ length: Int, _ numbers: inout SeededRandom, _ number: Int) -> Value {
        .string(String("\(number) \(numbers.next())".appending(to: length)))
    }

    func run(_ rows: Int) throws {
        print("\(rows) objects, compacted copy less that of an empty store\n")
        print("| property | bytes per object |")
        print("| --- | --- |")
        for kind in Self.kinds {
            // Long values need no more objects than give a stable mean.
            let count = kind.name.contains("2,000") ? rows / 20 : rows
            let store = try directory.newStore([
                ClassSchema("Item", primaryKey: kind.isKey ? "p" : nil, properties: [kind.property])
            ])
            let empty = try directory.compactedSize(store)
            var numbers = SeededRandom(seed: 7)
            for start in stride(from: 0, to: count, by: 10_000) {
                let values = (start..<min(count, start + 10_000)).map { kind.value($0, &numbers) }
                try store.write { for value in values { _ = try $0.create(ClassID(1), row: [value]) } }
            }
            let size = try directory.compactedSize(store) - empty
            print("| \(kind.name) | \(rounded(Double(size) / Double(count))) |")
            store.close()
        }
    }
}

extension String {
    fileprivate func appending(to length: Int) -> String {
        utf8.count >= length ? String(prefix(length)) : self + String(repeating: "x", count: length - utf8.count)
    }
}
