import EmbeddedStore
import EmbeddedTesting
import ObjectModel
import RepositoryFiles
import StoreContract
import TestBasics
import Testing

/// Objects created of values in the order of their properties, against those created of a dictionary.
@Suite("Objects of given values")
struct GivenValuesTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private let properties = [
        PropertySchema("late", PropertyType(.string, isOptional: true)),
        PropertySchema("id", PropertyType(.int)),
        PropertySchema("friend", PropertyType(.link("Item"), isOptional: true)),
        PropertySchema("numbers", PropertyType(.int, collection: .list)),
        PropertySchema("weight", PropertyType(.double), defaultValue: .double(2)),
        PropertySchema("code", PropertyType(.string), isIndexed: true),
    ]

    /// A class whose first property has a number above those of the others.
    private func opened() throws -> (EmbeddedStore, ClassSchema) {
        let store = try EmbeddedStore.open(path: directory.store, options: smallClusters())
        for count in [5, 6] {
            try store.replaceSchema(
                with: Schema(
                    version: 1,
                    classes: [ClassSchema("Item", primaryKey: "id", properties: Array(properties.suffix(count)))]))
        }
        let item = try #require(try store.snapshot().schema["Item"])
        #expect(item.properties[0].id > item.properties[5].id)
        return (store, item)
    }

    private func values(_ item: ClassSchema, _ random: inout SeededRandom) -> [PropertyID: Value] {
        var values: [PropertyID: Value] = [:]
        for property in item.properties where !random.oneIn(4) || property.name == "id" {
            let value: Value =
                switch property.name {
                case "id": .int(Int64(random.below(300)))
                case "late": random.oneIn(5) ? .null : .string("late \(random.below(9))")
                case "friend": random.oneIn(3) ? .null : .link(ObjectKey(Int64(random.below(60))))
                case "numbers": .list((0..<random.below(3)).map { .int(Int64($0)) })
                case "weight": .double(Double(random.below(9)))
                default:
                    .string(["", "a", "a\0b", String(repeating: "x", count: 390 + random.below(20))][random.below(4)])
                }
            let misfits: [Value] = [.null, .bool(true), .list([])]
            values[property.id] = random.oneIn(30) ? misfits[random.below(3)] : value
        }
        if random.oneIn(20) { values[PropertyID(UInt16(90 + random.below(9)))] = .int(1) }
        if random.oneIn(20) { values[item.properties[1].id] = nil }
        return values
    }

    @Test("objects, keys and errors are those of a dictionary, also after changes in between that are rolled back")
    func creation() throws {
        var random = SeededRandom.ofTest()
        let (store, item) = try opened()
        var (made, refused) = (0, 0)
        for round in 0..<12 * TestRun.length {
            let steps = (0..<60).map { _ in values(item, &random) }
            let others = steps.map { _ in random.below(6) }
            /// What creating all of them did, and what is there afterwards; then all of it is taken back.
            func outcome(_ create: @escaping @Sendable (any WriteTransaction, [PropertyID: Value]) throws -> ObjectKey)
                throws
                -> [String]
            {
                var outcome: [String] = []
                do {
                    outcome = try store.write { transaction -> [String] in
                        var lines: [String] = []
                        for (values, other) in zip(steps, others) {
                            do {
                                let key = try create(transaction, values)
                                lines.append("\(key)")
                                if other == 0 { try transaction.delete(item.id, key) }
                                if other == 1 { try transaction.set(item.id, key, [item.properties[4].id: .double(7)]) }
                            } catch let error as StoreError {
                                lines.append("\(error.code) \(error.message)")
                            }
                        }
                        for number in 0..<transaction.count(of: item.id) + 90 {
                            let key = ObjectKey(Int64(number))
                            guard try transaction.exists(item.id, key) else { continue }
                            lines.append(
                                "\(key) \(try item.properties.map { try transaction.value(item.id, key, $0.id) })")
                        }
                        throw TakenBack(lines: lines)
                    }
                } catch let end as TakenBack {
                    outcome = end.lines
                }
                return outcome
            }
            let before = try store.snapshot().count(of: item.id)
            let first = try outcome { try $0.create(item.id, $1) }
            let second = try outcome { try $0.create(item.id, given: PropertyValues($1)) }
            // Keys are never used again, so those of the second round are others.
            #expect(first.count == second.count, "seed \(random.seed), round \(round)")
            #expect(first.map(Self.withoutKeys) == second.map(Self.withoutKeys), "seed \(random.seed), round \(round)")
            #expect(try store.snapshot().count(of: item.id) == before)
            made += second.count { $0.contains("[") }
            refused += second.count { $0.contains("'") }
        }
        #expect(made > 50 && refused > 50)
    }

    private static func withoutKeys(_ line: String) -> String {
        line.replacing(#/ObjectKey\(rawValue: \d+\)/#, with: "key").replacing(#/property with number \d+/#, with: "")
    }

    @Test("values are kept once for each property, in the order of their numbers")
    func order() {
        var random = SeededRandom.ofTest()
        for _ in 0..<200 {
            var values = PropertyValues()
            var model: [PropertyID: Value] = [:]
            for _ in 0..<random.below(30) {
                let id = PropertyID(UInt16(random.below(12)))
                let value: Value? = random.oneIn(4) ? nil : .int(Int64(random.below(100)))
                values[id] = value
                model[id] = value
                #expect(values[id] == value)
            }
            #expect(values.dictionary == model && values == PropertyValues(model) && values.count == model.count)
            #expect(values.map(\.key) == model.keys.sorted())
            for id in 0..<12 { #expect(values[PropertyID(UInt16(id))] == model[PropertyID(UInt16(id))]) }
        }
    }
}

private struct TakenBack: Error {
    let lines: [String]
}
