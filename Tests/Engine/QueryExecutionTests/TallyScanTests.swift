import ColumnTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import QueryExecution
@testable import QueryOperators

/// Tallies that a scan of columns makes are those of the same objects added one by one, now and after any of them have
/// left: for values of every type, by every function, in groups of every type, of all and of some objects.
@Suite("Tallies made by scans")
struct TallyScanTests {
    private static let types: [BaseType] = [
        .bool, .int, .float, .double, .string, .date, .objectId, .uuid, .data, .decimal128, .mixed,
    ]

    private static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "T", primaryKey: "id",
                properties: [PropertySchema("id", PropertyType(.int))]
                    + types.map { PropertySchema("\($0)", PropertyType($0, isOptional: true)) }
                    + [PropertySchema("next", PropertyType(.link("T"), isOptional: true))])
        ])

    private static let groupings: [[String]] =
        [[]] + types.map { ["\($0)"] } + [["bool", "double"], ["next.mixed"], ["next.bool", "decimal128"]]
    private static let filters = ["TRUEPREDICATE", "int > 0", "double < 2 OR next.bool == true", "id == -1"]

    /// Objects with values that coincide and are at the limits of their types, and as many with values of their own, so
    /// that groups have more different values than an extreme keeps. Some keys are those of deleted objects.
    private static func rows(_ random: inout SeededRandom) throws -> Rows {
        var rows = Rows(schema: schema)
        let properties = schema.classes[0].properties
        for number in 0..<210 where number < 170 && !random.oneIn(10) || number >= 200 {
            var values: [PropertyID: Value] = [:]
            let isOwn = random.oneIn(2)
            for property in properties {
                let own = Int64(random.below(20_000)) - 10_000
                values[property.id] =
                    switch property.type.base {
                    case .int where property.name == "id": .int(Int64(number))
                    case .int where isOwn: .int(own)
                    case .float where isOwn: .float(Float(own) / 4)
                    case .double where isOwn: .double(random.oneIn(3) ? Double(own) / 10 : Double(own) / 8)
                    case .date where isOwn: .date(Timestamp(seconds: own))
                    case .decimal128 where isOwn: .decimal(try #require(Decimal128("\(own)E-2")))
                    case .mixed where isOwn: random.oneIn(2) ? .int(own) : .double(Double(own))
                    case .link: random.oneIn(4) ? .null : .link(ObjectKey(Int64(random.below(170))))
                    default: RandomValues.value(of: property.type, &random)
                    }
            }
            rows.objects[ClassID(1), default: [:]][ObjectKey(Int64(number))] = values
        }
        return rows
    }

    private struct Reading {
        let executor: QueryExecutor
        let source: MemoryColumnSource
        let query: BoundQuery
        let requests: [AggregateRequest]
        let paths: [BoundPath]

        func row(_ key: ObjectKey) throws -> [Value?] {
            try executor.sortValues((paths + requests.map(\.path)).map { SortKey($0) }, of: key, in: query.classID)
        }

        /// The tallies of a scan in that many parts.
        func scanned(parts: Int) throws -> GroupTalliesResult {
            let scan = try Planner(source: source).scan(query.classID, query.predicate)
            return try Tallying.result(
                of: try scan.inParts(parts) { scan in
                    let pass = GroupPass<TalliedColumn>(requests, by: paths, on: query.classID, in: source)
                    try scan.forEachCluster { try pass.add($0, $1) }
                    return pass
                }, paths.count, most: 1_000)
        }
    }

    private static func reading(_ by: [String], _ filter: String, _ random: inout SeededRandom) throws -> Reading {
        let source = try MemoryColumnSource(try rows(&random))
        let binder = QueryBinder(schema: schema)
        let item = schema.classes[0]
        var requests: [AggregateRequest] = []
        for function in AggregateRequest.Function.allCases {
            // Not every function accepts every type.
            for path in types.map({ "\($0)" }) + ["next.int", "next.decimal128"] {
                guard var request = try? binder.bindAggregate(function, path, class: item) else { continue }
                request.isChecked = random.oneIn(2)
                requests.append(request)
            }
        }
        return Reading(
            executor: QueryExecutor(source), source: source, query: try binder.bind(filter, class: item),
            requests: requests, paths: try by.flatMap { try binder.bindGroup($0, class: item) })
    }

    /// What somebody can know of a tally.
    private static func text(_ tally: GroupTally?, _ requests: [AggregateRequest]) -> String {
        guard let tally else { return "none" }
        // Each function alone: one that throws, or whose result is not known, would hide the others.
        return
            (["\(tally.count)"]
            + requests.indices.map { index in
                do {
                    switch try tally.result(of: index, requests) {
                    case .value(let value): return "\(value)"
                    case .ambiguous: return "ambiguous"
                    case .unknown: return "unknown"
                    }
                } catch { return "\(error)" }
            }).joined(separator: " ")
    }

    @Test("a scan makes the tallies that rows make", arguments: groupings, filters)
    func groups(_ by: [String], _ filter: String) throws {
        var random = SeededRandom.ofTest("\(by) \(filter)")
        let seed = random.seed
        let reading = try Self.reading(by, filter, &random)
        var keys = try reading.executor.select(reading.query)
        var (expected, mixed) = ([[Value]: GroupTally](), [Set<Value>](repeating: [], count: by.count))
        func split(_ row: [Value?]) -> (form: [Value], key: [Value], values: ArraySlice<Value?>) {
            let key = row[..<by.count].map { $0 ?? .null }
            return (key.map(\.distinctForm), key, row[by.count...])
        }
        var firsts = [[Value: Value]](repeating: [:], count: by.count)
        for key in keys {
            let row = split(try reading.row(key))
            expected[row.form, default: GroupTally(key: row.key, reading.requests)].add(row.values, sign: 1)
            for (path, value) in row.key.enumerated() {
                if firsts[path][row.form[path], default: value] != value { mixed[path].insert(row.form[path]) }
                firsts[path][row.form[path]] = firsts[path][row.form[path]] ?? value
            }
        }
        let results =
            [try reading.executor.tallies(reading.query, reading.requests, by: reading.paths, most: 1_000)]
            + (try [1, 3].map { try reading.scanned(parts: $0) })
        var found: [[[Value]: GroupTally]] = []
        for result in results {
            guard case .tallies(let tallies) = result else {
                Issue.record("seed \(seed): \(result)")
                continue
            }
            #expect(tallies.mixedForms == mixed, "seed \(seed)")
            found.append(
                Dictionary(tallies.groups.map { ($0.key.map(\.distinctForm), $0) }, uniquingKeysWith: { one, _ in one })
            )
            #expect(found.last?.count == tallies.groups.count, "seed \(seed)")
            #expect(Set(tallies.groups.map { $0.key.map(\.distinctForm) }) == Set(expected.keys), "seed \(seed)")
        }
        func compare(_ form: [Value]) throws {
            let wanted = Self.text(expected[form], reading.requests)
            for groups in found { try #require(Self.text(groups[form], reading.requests) == wanted, "seed \(seed)") }
        }
        for form in expected.keys { try compare(form) }
        while !keys.isEmpty {
            let row = split(try reading.row(keys.remove(at: random.below(keys.count))))
            expected[row.form]?.add(row.values, sign: -1)
            for index in found.indices { found[index][row.form]?.add(row.values, sign: -1) }
            try compare(row.form)
        }
        let most = expected.count / 2
        if most > 0 {
            let few = try reading.executor.tallies(reading.query, reading.requests, by: reading.paths, most: most)
            guard case .tooManyGroups = few else {
                Issue.record("seed \(seed): \(expected.count) groups, but at most \(most) were asked for")
                return
            }
        }
    }

    @Test("a scan makes the tally of places on a scale that rows make", arguments: types, filters)
    func scales(_ type: BaseType, _ filter: String) throws {
        var random = SeededRandom.ofTest("\(type) \(filter)")
        let seed = random.seed
        let reading = try Self.reading(["\(type)"], filter, &random)
        var keys = try reading.executor.select(reading.query)
        func add(_ key: ObjectKey, to tally: inout ScaleTally, sign: Int) throws {
            let value = try reading.row(key)[0] ?? .null
            if let position = value.scalePosition {
                tally.add(position, sign: sign)
            } else {
                tally.add(other: value.distinctForm, sign: sign)
            }
        }
        var found = try reading.executor.scale(reading.query, of: reading.paths[0])
        var (expected, halves) = (ScaleTally(), [ScaleTally(), ScaleTally()])
        for (index, key) in keys.enumerated() {
            try add(key, to: &expected, sign: 1)
            try add(key, to: &halves[index % 2], sign: 1)
        }
        var merged = halves[0]
        merged.merge(halves[1])
        while true {
            for tally in [found, merged] {
                try #require("\(tally.range)" == "\(expected.range)", "seed \(seed)")
                try #require(tally.others == expected.others, "seed \(seed)")
            }
            if keys.isEmpty { break }
            let key = keys.remove(at: random.below(keys.count))
            try add(key, to: &expected, sign: -1)
            try add(key, to: &found, sign: -1)
            try add(key, to: &merged, sign: -1)
        }
    }
}
