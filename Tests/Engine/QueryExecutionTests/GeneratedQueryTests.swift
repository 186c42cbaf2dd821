import ColumnTesting
import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// The executor against the reference evaluator, on random schemas, objects and queries. A failure names its seed.
@Suite("Generated queries")
struct GeneratedQueryTests {
    @Test("the executor returns the reference evaluator's results", arguments: 0..<3 * TestRun.length, [64, 128])
    func agreement(_ round: Int, _ clusterCapacity: Int) throws {
        var random = SeededRandom.ofTest("\(round) \(clusterCapacity)")
        let seed = random.seed
        let rows = RandomRows.make(&random, objectsPerClass: [0, 1, 20, 63, 64, 65, 130], kinds: .all)
        let executor = QueryExecutor(try MemoryColumnSource(rows, clusterCapacity: clusterCapacity))
        let reference = ReferenceEvaluator(rows)
        let queries = RandomQueries(rows.schema, forms: .all)
        for number in 0..<40 {
            let query = queries.query(&random)
            let label = "seed \(seed), query \(number): \(query)"
            let expected = try reference.select(query)
            #expect(try executor.select(query) == expected, "\(label)")
            #expect(try executor.count(query) == expected.count, "\(label)")
            let window = queries.window(&random)
            #expect(try executor.select(query, window) == reference.select(query, window), "\(label) in \(window)")
            for raw in [0, 1, 62, 64, 129, 250, -1] as [Int64] {
                let key = ObjectKey(raw)
                #expect(try executor.matches(query, key) == reference.matches(query, key), "\(label) matches \(key)")
            }
            let requests = queries.aggregates(of: query.classID, &random)
            let answers = try unlessTooLarge { try executor.aggregate(query, requests) }
            #expect(
                try (answers == nil) == (unlessTooLarge { try reference.aggregate(query, requests) } == nil), "\(label)"
            )
            for (request, answer) in zip(requests, answers ?? []) {
                #expect(try reference.agrees(answer, to: request, over: query), "\(label): \(request) gave \(answer)")
            }
            let paths = queries.singlePaths(from: query.classID, &random)
            let groups = try unlessTooLarge { try executor.aggregate(query, requests, by: paths) }
            #expect(
                try reference.agree(groups, to: requests, over: query, by: paths),
                "\(label): \(requests) by \(paths) gave \(groups as Any)")
            for path in paths {
                let bounds: (ClosedRange<Double>) -> [Double] = { range in
                    let width = range.upperBound / 7 - range.lowerBound / 7
                    return (0..<7).map { range.lowerBound + Double($0) * width } + [.infinity]
                }
                let byGroups = ValueDistribution(
                    of: try executor.aggregate(query, [], by: [path]), bounds: bounds, form: \.distinctForm)
                #expect(
                    try executor.distribution(query, of: path, bounds: bounds) == byGroups,
                    "\(label) distributed by \(path)")
                let inAll = byGroups.counts.reduce(0, +) + byGroups.otherCount
                #expect(inAll == expected.count, "\(label) distributed by \(path)")
            }
            let section = queries.sectionKey(of: query.classID, &random)
            let sections = try executor.sections(query, by: section)
            #expect(
                try reference.agree(sections, to: query, by: section), "\(label) in sections by \(section): \(sections)"
            )
            #expect(try executor.explain(query, running: true).count == expected.count, "\(label)")
        }
    }

    @Test("a page after a cursor continues where the cursor is", arguments: 0..<2 * TestRun.length)
    func cursors(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let seed = random.seed
        let rows = RandomRows.make(&random, objectsPerClass: [65, 200], kinds: .all)
        let executor = QueryExecutor(try MemoryColumnSource(rows))
        let reference = ReferenceEvaluator(rows)
        let queries = RandomQueries(rows.schema, forms: .all)
        for _ in 0..<20 {
            var query = queries.query(&random)
            query.scope = .all
            if random.oneIn(2) {
                let sort = random.oneIn(3) ? [] : queries.sortKeys(from: query.classID, &random)
                query.steps = sort.isEmpty ? [] : [.sort(sort)]
            }
            let keys = query.steps.reversed().flatMap { step -> [SortKey] in
                if case .sort(let keys) = step { keys } else { [] }
            }
            let all = try reference.select(query)
            guard let key = random.pick(all) else { continue }
            let values = try reference.sortValues(keys, of: key, in: query.classID)
            #expect(try executor.sortValues(keys, of: key, in: query.classID) == values, "seed \(seed): \(query)")
            for limit in [nil, 1, 7] {
                let window = Window(after: Cursor(values: values, key: key), offset: random.below(3), limit: limit)
                #expect(
                    try executor.select(query, window) == reference.select(query, window),
                    "seed \(seed): \(query) in \(window)")
            }
        }
    }

    @Test("sorting many objects by several keys equals the reference evaluator's order")
    func sortingMany() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let rows = RandomRows.make(&random, objectsPerClass: [200], kinds: .all)
        let executor = QueryExecutor(try MemoryColumnSource(rows))
        let reference = ReferenceEvaluator(rows)
        let queries = RandomQueries(rows.schema, forms: .all)
        for _ in 0..<8 {
            guard let classID = random.pick(rows.schema.classes)?.id else { continue }
            let steps = (0...random.below(2)).map { _ in ResultStep.sort(queries.sortKeys(from: classID, &random)) }
            let query = BoundQuery(classID: classID, steps: steps)
            #expect(try executor.select(query) == reference.select(query), "seed \(seed): \(query)")
        }
    }

    @Test("the first of many are the beginning of all", arguments: [1, 3, 100, 1500])
    func firstOfMany(_ limit: Int) throws {
        var random = SeededRandom.ofTest(limit)
        let seed = random.seed
        // More objects than the sorter collects before it cuts.
        let rows = RandomRows.make(&random, objectsPerClass: [5000])
        let executor = QueryExecutor(try MemoryColumnSource(rows, clusterCapacity: 128))
        let queries = RandomQueries(rows.schema)
        for _ in 0..<5 {
            guard let classID = random.pick(rows.schema.classes)?.id else { continue }
            let steps = [ResultStep.sort(queries.sortKeys(from: classID, &random))]
            let query = BoundQuery(classID: classID, steps: steps)
            let all = try executor.select(query)
            let window = Window(offset: random.below(4), limit: limit)
            #expect(
                try executor.select(query, window) == Array(all.dropFirst(window.offset).prefix(limit)),
                "seed \(seed): \(query)")
        }
    }
}

/// Random objects with gaps where others were deleted.
enum RandomRows {
    static func make(
        _ random: inout SeededRandom, objectsPerClass: [Int], kinds: RandomSchemas.Kinds = .queryable
    ) -> Rows {
        let schema = RandomSchemas.schema(&random, kinds: kinds)
        var rows = Rows(schema: schema)
        for objectClass in schema.classes {
            let count = random.pick(objectsPerClass) ?? 0
            // Sometimes a run of 64 is missing, so that a whole cluster is.
            let hole = random.oneIn(2) ? 64..<128 : 0..<0
            for number in 0..<count where !random.oneIn(7) && !hole.contains(number) {
                var row: [PropertyID: Value] = [:]
                for property in objectClass.storedProperties where !property.type.isLink {
                    let value =
                        property.name == objectClass.primaryKey
                        ? RandomValues.uniqueValue(of: property.type, number: Int64(number))
                        : RandomValues.value(of: property, &random)
                    row[property.id] = stored(value)
                }
                rows.objects[objectClass.id, default: [:]][ObjectKey(Int64(number))] = row
            }
        }
        let keys = Dictionary(uniqueKeysWithValues: schema.classes.map { ($0.id, rows.keys(of: $0.id)) })
        let classes = schema.classes.filter { !$0.isEmbedded }.map(\.id)
        for objectClass in schema.classes {
            for property in objectClass.storedProperties where property.type.isLink || property.type.isMixed {
                for key in keys[objectClass.id] ?? [] {
                    guard let value = links(property, classes, keys, &random) else { continue }
                    rows.objects[objectClass.id]?[key]?[property.id] = stored(value)
                }
            }
        }
        return rows
    }

    /// A value of links to existing objects; for mixed values mostly nil, to leave the value unchanged.
    private static func links(
        _ property: PropertySchema, _ classes: [ClassID], _ keys: [ClassID: [ObjectKey]],
        _ random: inout SeededRandom
    ) -> Value? {
        if property.type.isMixed {
            guard random.oneIn(5), let target = random.pick(classes),
                let key = random.pick((keys[target] ?? []).prefix(6))
            else { return nil }
            let reference = Value.reference(ObjectReference(target, key))
            return collection(property.type.collection, [reference, reference, .int(1)], &random)
        }
        guard let target = property.targetClass else { return nil }
        let targets = keys[target] ?? []
        let count = property.type.isCollection ? random.below(random.oneIn(10) ? 40 : 5) : random.below(4)
        let found = (0..<count).compactMap { _ in
            random.pick(random.oneIn(2) ? targets.prefix(6) : targets[...]).map { Value.link($0) }
        }
        return collection(property.type.collection, found, &random)
    }

    private static func collection(
        _ kind: CollectionKind, _ values: [Value], _ random: inout SeededRandom
    ) -> Value {
        switch kind {
        case .single: return values.first ?? .null
        case .list: return .list(values)
        case .set: return .set(values)
        case .map:
            let entries = values.map { (RandomValues.mapKey(&random), random.oneIn(6) ? .null : $0) }
            return .dictionary(ValueMap(entries))
        }
    }

    /// A set as a store keeps it: ascending, each value once.
    static func stored(_ value: Value) -> Value {
        guard case .set(let elements) = value else { return value }
        var kept: [Value] = []
        for element in elements.sorted(by: { Value.order($0, $1) < 0 }) {
            if let last = kept.last, Value.order(last, element) == 0 { continue }
            kept.append(element)
        }
        return .set(kept)
    }
}
