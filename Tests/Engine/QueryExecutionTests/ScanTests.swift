import Columnar
import ColumnTesting
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import Testing

@testable import QueryExecution
@testable import QueryOperators
import TestBasics

/// Whole classes: operators against the test of single objects, parts against the whole, and what explain counts.
@Suite("Scans")
struct ScanTests {
    /// A column of each kind that has operators of its own.
    static let items = ItemClass([
        PropertySchema("text", PropertyType(.string, isOptional: true)),
        PropertySchema("price", PropertyType(.decimal128, isOptional: true)),
        PropertySchema("bytes", PropertyType(.data, isOptional: true)),
        PropertySchema("any", PropertyType(.mixed, isOptional: true)),
        PropertySchema("nums", PropertyType(.int, collection: .list)),
        PropertySchema("tags", PropertyType(.string, collection: .set)),
        PropertySchema("prices", PropertyType(.double, isOptional: true, collection: .map)),
        PropertySchema("few", PropertyType(.string, isOptional: true)),
    ])

    static func rows(_ count: Int, _ random: inout SeededRandom) -> Rows {
        var rows = Rows(schema: items.schema)
        for number in 0..<count where !random.oneIn(9) {
            var row: [PropertyID: Value] = [PropertyID(1): .int(Int64(number))]
            for property in items.schema.classes[0].properties.dropFirst() {
                row[property.id] = RandomValues.value(of: property.type, &random)
            }
            row[PropertyID(9)] = random.pick([.null, .string("ash"), .string("Ash"), .string("Äsche")])
            rows.objects[ItemClass.id, default: [:]][ObjectKey(Int64(number))] = row
        }
        return rows
    }

    /// Every operator with constants that fit, for columns, elements, keys and sizes.
    static func predicates(_ rows: Rows, _ random: inout SeededRandom) -> [BoundPredicate] {
        let key = ValueStep.elements(.key("a"))
        let paths: [(BoundPath, PropertyType)] = [
            (items.path(2), PropertyType(.string)), (items.path(3), PropertyType(.decimal128)),
            (items.path(4), PropertyType(.data)),
            (items.path(5), PropertyType(.mixed)), (items.path(9), PropertyType(.string)),
            (items.path(6, [.elements(.all)]), PropertyType(.int)),
            (items.path(6, [.elements(.position(1))]), PropertyType(.int)),
            (items.path(6, [.elements(.last)]), PropertyType(.int)), (items.path(6, [.size]), PropertyType(.int)),
            (items.path(7, [.elements(.all)]), PropertyType(.string)),
            (items.path(8, [.elements(.all)]), PropertyType(.double)),
            (items.path(8, [.keys]), PropertyType(.string)), (items.path(8, [key]), PropertyType(.double)),
            (items.path(8, [.size]), PropertyType(.int)),
        ]
        return paths.flatMap { path, type in
            ComparisonOperator.allCases.flatMap { operation -> [BoundPredicate] in
                if operation.isStringOperator, ![.string, .data, .mixed].contains(type.base) { return [] }
                let isText = operation.isStringOperator || operation == .equal || operation == .notEqual
                return [Quantifier.any, .all, .none].map { quantifier in
                    let constant: Value =
                        switch type.base {
                        case .string:
                            random.pick([.string("a"), .string("A"), .string(""), .string("sch"), .null]) ?? .null
                        case .int where !random.oneIn(3): .int(Int64(random.below(4)))
                        default: RandomValues.value(of: type, &random)
                        }
                    return .comparison(
                        BoundComparison(
                            .path(path), operation,
                            random.oneIn(4) ? .list([constant, .null, constant]) : .constant(constant),
                            ignoresCase: isText && type.base == .string && random.oneIn(2),
                            ignoresDiacritics: isText && operation != .like && type.base == .string && random.oneIn(3),
                            leftQuantifier: quantifier))
                }
            }
        }
    }

    @Test("a scan keeps the objects that satisfy the predicate one by one")
    func operatorsAndRows() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let rows = Self.rows(300, &random)
        let source = try MemoryColumnSource(rows)
        let keys = rows.keys(of: ItemClass.id)
        for predicate in Self.predicates(rows, &random) {
            let row = RowPredicate(predicate, on: ItemClass.id, in: source)
            let expected = try keys.filter { try row.holds($0) }
            let scan = try Planner(source: source).scan(ItemClass.id, predicate)
            let found = try scan.list()
            #expect(found == expected, "seed \(seed): \(predicate)")
            #expect(try scan.count() == expected.count, "seed \(seed): \(predicate)")
        }
    }

    @Test("a page is the same part of the whole wherever it begins, also after an object and across clusters")
    func pages() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let rows = Self.rows(700, &random)
        let executor = QueryExecutor(try MemoryColumnSource(rows))
        let keys = rows.keys(of: ItemClass.id)
        let few = BoundPredicate.comparison(
            BoundComparison(.path(Self.items.path(1)), .less, .constant(.int(Int64(random.below(700))))))
        for predicate in [BoundPredicate.constant(true), few] {
            let query = BoundQuery(classID: ItemClass.id, predicate: predicate)
            let all = try executor.select(query)
            for _ in 0..<60 {
                let after = random.oneIn(2) ? random.pick(keys) : nil
                let (offset, limit) = (random.pick([0, 1, 63, 64, 65, random.below(800)]) ?? 0, random.below(200))
                let window = Window(after: after.map { Cursor(values: [], key: $0) }, offset: offset, limit: limit)
                let expected = all.filter { after == nil || $0 > after ?? $0 }.dropFirst(offset).prefix(limit)
                #expect(
                    try executor.select(query, window) == Array(expected), "seed \(seed): \(window) of \(predicate)")
            }
        }
    }

    @Test("parts of a class on several threads have the same results as one pass", arguments: [1, 2, 5, 64])
    func parts(_ count: Int) throws {
        var random = SeededRandom.ofTest(count)
        let seed = random.seed
        let rows = Self.rows(1000, &random)
        let source = try MemoryColumnSource(rows)
        for predicate in Self.predicates(rows, &random).filter({ _ in random.oneIn(6) }) {
            let both = BoundPredicate.or([
                predicate,
                .not(.comparison(BoundComparison(.path(Self.items.path(1)), .greater, .constant(.int(700))))),
            ])
            let scan = try Planner(source: source).scan(ItemClass.id, both)
            let expected = try scan.list()
            let parts = try scan.inParts(count) { try $0.list() }
            #expect(parts.flatMap(\.self) == expected, "seed \(seed): \(predicate)")
            #expect(try scan.inParts(count) { try $0.count() }.reduce(0, +) == expected.count)
        }
    }

    @Test("groups found over parts of a class are those of one pass")
    func groupsOfParts() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let rows = Self.rows(800, &random)
        let source = try MemoryColumnSource(rows)
        let requests = AggregateRequest.Function.allCases.flatMap { function in
            [1, 3].map { AggregateRequest(function, Self.items.path($0)) }
        }
        for paths in [[Self.items.path(9)], [Self.items.path(9), Self.items.path(5)], []] {
            let query = BoundQuery(classID: ItemClass.id)
            let scan = try Planner(source: source).scan(ItemClass.id, query.predicate)
            func group(_ scan: ClassScan) throws -> GroupPass<GroupedColumn> {
                let pass = GroupPass<GroupedColumn>(requests, by: paths, on: ItemClass.id, in: source)
                try scan.forEachCluster { try pass.add($0, $1) }
                return pass
            }
            let whole = try Grouping.results(of: [try group(scan)], requests)
            let parts = try Grouping.results(of: try scan.inParts(5) { try group($0) }, requests)
            #expect(whole.map(\.count) == parts.map(\.count), "seed \(seed)")
            let reference = try ReferenceEvaluator(rows).aggregate(query, requests, by: paths)
            #expect(whole.map(\.count) == reference.map(\.count), "seed \(seed)")
            for (one, other) in zip(whole, parts) {
                #expect(zip(one.key, other.key).allSatisfy { Value.order($0, $1) == 0 }, "seed \(seed)")
                for (left, right) in zip(one.results, other.results) {
                    #expect(Value.order(left, right) == 0 || left.isDecimal, "seed \(seed): \(left), \(right)")
                }
            }
        }
    }

    @Test("an error in one part is thrown, whatever the others do")
    func errorsOfParts() throws {
        struct Fault: Error {}
        var random = SeededRandom.ofTest()
        let source = try MemoryColumnSource(Self.rows(1000, &random))
        let scan = try Planner(source: source).scan(ItemClass.id, .constant(true))
        let calls = Atomic<Int>(0)
        #expect(throws: Fault.self) {
            try scan.inParts(8) { part in
                if calls.add(1, ordering: .relaxed).newValue == 3 { throw Fault() }
                _ = try part.count()
            }
        }
    }

    @Test("an index is used for a few matches, and the column is read for many")
    func indexByCost() throws {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Item", primaryKey: "id",
                    properties: [
                        PropertySchema("id", PropertyType(.int)),
                        PropertySchema("group", PropertyType(.int), isIndexed: true),
                        PropertySchema("name", PropertyType(.string), isIndexed: true),
                    ])
            ])
        var rows = Rows(schema: schema)
        for number in 0..<1000 {
            rows.objects[ItemClass.id, default: [:]][ObjectKey(Int64(number))] = [
                PropertyID(1): .int(Int64(number * 3)), PropertyID(2): .int(number % 100 == 0 ? 1 : 0),
                PropertyID(3): .string(number % 100 == 7 ? "rare" : "usual"),
            ]
        }
        let executor = QueryExecutor(try MemoryColumnSource(rows))
        func path(_ number: UInt16) -> BoundPath {
            let id = PropertyID(number)
            return BoundPath(end: .property(id, schema.classes[0][id]?.type ?? PropertyType(.int)))
        }
        func check(_ number: UInt16, _ right: BoundOperand, _ words: String, count: Int) throws {
            let query = BoundQuery(
                classID: ItemClass.id, predicate: .comparison(BoundComparison(.path(path(number)), .equal, right)))
            let plan = try executor.explain(query, running: true)
            #expect(plan.count == count && plan.root.parts[0].words == words)
        }
        try check(2, .constant(.int(1)), "index: 10 objects", count: 10)
        try check(2, .constant(.int(0)), "scan group in 0, zones first", count: 990)
        try check(3, .constant(.string("rare")), "index: 10 objects", count: 10)
        try check(3, .constant(.string("usual")), "scan name: equal, dictionary first", count: 990)
        try check(
            3, .list([.string("usual"), .string("rare")]), "scan name: any of 2 strings, dictionary first", count: 1000)
        let keys = (0..<60).map { Value.int(Int64($0)) }
        try check(1, .list(keys.reversed()), "index, 60 look-ups: 20 objects", count: 20)
        let all = (0..<3000).map { Value.int(Int64($0)) }
        try check(1, .list(all), "scan id: one of 3000 numbers", count: 1000)
        try check(1, .list([.int(30), .int(3), .int(30), .int(4)]), "index, 4 look-ups: 2 objects", count: 2)
        // The index lists the others of a list with null.
        let withNull = BoundComparison(.path(path(3)), .equal, .list([.null, .string("rare")]))
        let plan = try executor.explain(
            BoundQuery(classID: ItemClass.id, predicate: .comparison(withNull)), running: true)
        #expect(plan.count == 10)
        #expect(plan.root.parts[0].parts.contains { $0.words.hasPrefix("index, 1 look-up") })
    }

    @Test("explain counts objects and clusters of each part of the plan")
    func explainFigures() throws {
        var rows = Rows(schema: Self.items.schema)
        for number in 0..<640 {
            rows.objects[ItemClass.id, default: [:]][ObjectKey(Int64(number))] = [
                PropertyID(1): .int(Int64(number)), PropertyID(9): .string(number % 2 == 0 ? "ash" : "oak"),
            ]
        }
        let executor = QueryExecutor(try MemoryColumnSource(rows))
        func compare(_ number: UInt16, _ operation: ComparisonOperator, _ value: Value) -> BoundPredicate {
            .comparison(BoundComparison(.path(Self.items.path(number)), operation, .constant(value)))
        }
        let range = BoundPredicate.and([compare(1, .greaterOrEqual, .int(100)), compare(1, .lessOrEqual, .int(150))])
        let one = BoundQuery(classID: ItemClass.id, predicate: range)
        let explained = try executor.explain(one, running: true)
        #expect(explained.count == 51)
        let scan = try #require(explained.root.parts.first)
        // 100 to 150 are in clusters 1 and 2 of ten.
        #expect(scan.rowsIn == 640 && scan.rowsOut == 51 && scan.clustersRead == 2 && scan.clustersSkipped == 8)
        #expect(scan.nanoseconds != nil && explained.nanoseconds != nil)

        let sort = ResultStep.sort([SortKey(Self.items.path(1), ascending: false)])
        let both = BoundQuery(
            classID: ItemClass.id, predicate: .and([range, compare(9, .equal, .string("ash"))]), steps: [sort])
        let parts = try executor.explain(both, Window(limit: 5), running: true).root.parts
        #expect(parts.map(\.rowsOut) == [26, 5, 5])
        #expect(parts[0].parts.map(\.rowsIn) == [640, 51] && parts[0].parts.map(\.rowsOut) == [51, 26])
        #expect(parts[1].words == "sort by number descending" && parts[1].rowsIn == 26)

        let planned = try executor.explain(both).root
        #expect(planned.rowsOut == nil && planned.parts[0].rowsIn == nil && planned.parts[0].parts.count == 2)
    }

    @Test("sections and groups equal the reference evaluator's", arguments: 0..<4)
    func sectionsAndGroups(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let seed = random.seed
        let rows = RandomRows.make(&random, objectsPerClass: [0, 65, 200])
        let executor = QueryExecutor(try MemoryColumnSource(rows))
        let reference = ReferenceEvaluator(rows)
        let queries = RandomQueries(rows.schema, forms: .all)
        for _ in 0..<12 {
            let query = queries.query(&random)
            let key = queries.sectionKey(of: query.classID, &random)
            let sections = try executor.sections(query, by: key)
            #expect(try reference.agree(sections, to: query, by: key), "seed \(seed): \(query) by \(key)")
            let paths = queries.singlePaths(from: query.classID, &random)
            let requests = queries.aggregates(of: query.classID, &random)
            let groups = try unlessTooLarge { try executor.aggregate(query, requests, by: paths) }
            #expect(
                try reference.agree(groups, to: requests, over: query, by: paths),
                "seed \(seed): \(query) by \(paths)")
        }
    }
}
