package import ObjectModel
import QueryLanguage
package import StoreContract
import Synchronization
import TestBasics

extension StoreConformance {
    /// Random commits have the same effect on a store with a random schema as on a model store: the same objects,
    /// values, elements, backlinks, versions and change sets. The change log leads from each compared version to the
    /// next. Everything is compared every `compareEvery` steps and at the end.
    package static func randomHistory(
        _ make: (Schema) throws -> any Store, seed: UInt64, steps: Int, kinds: RandomSchemas.Kinds = .queryable,
        compareEvery: Int = 25
    ) throws {
        try seeded(seed) { random in
            try withModel(make, kinds, &random) { store, model, history, random in
                let heard = Mutex<[ChangeSet]>([])
                store.onCommit { sets in heard.withLock { $0 += sets } }
                var last = try store.snapshot()
                for step in 1...max(1, steps) {
                    try commit(to: store, and: model, &history, target: 60, &random)
                    if step % compareEvery == 0 || step == steps {
                        let snapshot = try store.snapshot()
                        try compare(snapshot, try model.modelSnapshot())
                        try checkIntegrity(snapshot)
                        if let sets = try store.changes(after: last.version), var changes = sets.first {
                            for set in sets.dropFirst() { changes.merge(set) }
                            try check(changes, from: last, to: snapshot)
                        }
                        last = snapshot
                    }
                }
                try compare(heard.withLock { $0 }, try model.changes(after: Version(1)) ?? [])
            }
        }
    }

    /// A transaction's answers to a query.
    private struct InsideAnswers: Sendable {
        var keys: [ObjectKey]
        var count: Int
        var best: [Value]
        var sectioned: [ObjectKey]
        var backlinks: [[ObjectKey]]
    }

    /// The objects that link to some objects of each class, by each property of links or mixed values.
    private static func backlinks(_ context: any ReadContext) throws -> [[ObjectKey]] {
        var found: [[ObjectKey]] = []
        for target in context.schema.classes {
            for origin in context.schema.classes {
                for property in origin.storedProperties
                where property.type.isMixed || property.type.isLink && property.targetClass == target.id {
                    for key in 0..<Int64(6) {
                        let target = ObjectReference(target.id, ObjectKey(key))
                        found.append(try context.backlinks(to: target, from: origin.id, property.id))
                    }
                }
            }
        }
        return found
    }

    /// Random queries over random objects return the reference evaluator's results, from snapshots and from inside
    /// transactions.
    package static func randomQueries(
        _ make: (Schema) throws -> any Store, seed: UInt64, steps: Int, queriesPerStep: Int = 10
    ) throws {
        try seeded(seed) { random in
            try withModel(make, .all, &random) { store, model, history, random in
                let queries = RandomQueries(try store.snapshot().schema, forms: .all)
                for _ in 0..<steps {
                    for _ in 0..<3 { try commit(to: store, and: model, &history, target: 40, &random) }
                    let snapshot = try store.snapshot()
                    let reference = try model.modelSnapshot()
                    for _ in 0..<queriesPerStep {
                        try compare(queries.query(&random), snapshot, reference, queries, &random)
                    }
                    let inside = queries.query(&random)
                    let window = queries.window(&random)
                    let operations = history.commit(count: 0, target: 40, &random)
                    let requests = queries.aggregates(of: inside.classID, &random).filter {
                        [.minimum, .maximum].contains($0.function)
                    }
                    let section = queries.sectionKey(of: inside.classID, &random)
                    let work: @Sendable (any WriteTransaction) throws -> InsideAnswers = { transaction in
                        for operation in operations { try transaction.perform(operation) }
                        return InsideAnswers(
                            keys: try transaction.select(inside, window), count: try transaction.count(inside),
                            best: try transaction.aggregate(inside, requests),
                            sectioned: try transaction.sections(inside, by: section).keys,
                            backlinks: try backlinks(transaction))
                    }
                    let (found, wanted) = (try store.write(work), try model.write(work))
                    try requireEqual(found.keys, wanted.keys, "\(inside) in a transaction")
                    try requireEqual(found.count, wanted.count, "count of \(inside) in a transaction")
                    try requireEqual(
                        zip(found.best, wanted.best).map { Value.order($0, $1) }, requests.map { _ in 0 },
                        "\(requests) over \(inside) in a transaction: \(found.best), \(wanted.best)")
                    try requireEqual(
                        found.sectioned, wanted.sectioned, "sections by \(section) of \(inside) in a transaction")
                    try requireEqual(found.backlinks, wanted.backlinks, "backlinks in a transaction")
                }
            }
        }
    }

    static func withModel(
        _ make: Maker, _ kinds: RandomSchemas.Kinds, _ random: inout SeededRandom,
        _ body: (any Store, ModelStore, inout RandomHistory, inout SeededRandom) throws -> Void
    ) throws {
        let schema = RandomSchemas.schema(&random, kinds: kinds)
        try requireEqual(schema.faults(), [], "faults of the random schema")
        let model = try ModelStore(schema)
        defer { model.close() }
        try with(make, schema) { store in
            var history = RandomHistory(schema)
            try body(store, model, &history, &random)
        }
    }

    static func commit(
        to store: any Store, and model: ModelStore, _ history: inout RandomHistory, target: Int,
        _ random: inout SeededRandom
    ) throws {
        let snapshot = try model.modelSnapshot()
        let count = snapshot.schema.classes.reduce(0) { $0 + snapshot.count(of: $1.id) }
        let operations = history.commit(
            count: count, target: target * snapshot.schema.classes.count, &random)
        let work: @Sendable (any WriteTransaction) throws -> Void = { transaction in
            for operation in operations { try transaction.perform(operation) }
        }
        try model.write(work)
        do {
            try store.write(work)
        } catch {
            throw ConformanceFailure("\(operations) failed with \(error), but not in the model")
        }
    }

    /// Compares everything that can be read of the two.
    static func compare(_ snapshot: any Snapshot, _ reference: ModelSnapshot) throws {
        try requireEqual(snapshot.version, reference.version, "version")
        for objectClass in reference.schema.classes {
            let classID = objectClass.id
            let all = BoundQuery(classID: classID)
            let keys = try reference.select(all, .all)
            try requireEqual(try snapshot.select(all, .all), keys, "objects of \(objectClass.name)")
            try requireEqual(snapshot.count(of: classID), keys.count, "count of \(objectClass.name)")
            let properties = objectClass.storedProperties.map(\.id)
            var sink = ValueSink()
            _ = try snapshot.read(classID, keys, properties, into: &sink)
            var expected = ValueSink()
            _ = try reference.read(classID, keys, properties, into: &expected)
            for (row, wanted) in zip(sink.rows, expected.rows) {
                try requireEqual(row.values, wanted.values, "row \(wanted.key.rawValue) of \(objectClass.name)")
            }
            try requireEqual(sink.rows.map(\.key), expected.rows.map(\.key), "keys of the rows of \(objectClass.name)")
            for key in keys {
                if let primaryKey = objectClass.primaryKeyProperty {
                    let value = try reference.value(classID, key, primaryKey.id)
                    try requireEqual(
                        try snapshot.key(of: classID, primaryKey: value), key, "\(objectClass.name) with key \(value)")
                }
            }
            try compareCollections(of: objectClass, keys, snapshot, reference)
            try compareBacklinks(to: objectClass, keys, snapshot, reference)
        }
    }

    /// Counts, single values, and elements from some position in the middle on.
    private static func compareCollections(
        of objectClass: ClassSchema, _ keys: [ObjectKey], _ snapshot: any Snapshot, _ reference: ModelSnapshot
    ) throws {
        for property in objectClass.storedProperties {
            for key in keys {
                let name = "'\(objectClass.name).\(property.name)' of \(key.rawValue)"
                let expected = try reference.value(objectClass.id, key, property.id)
                try requireEqual(try snapshot.value(objectClass.id, key, property.id), expected, name)
                guard property.type.isCollection else { continue }
                let elements = expected.elements
                try requireEqual(
                    try snapshot.elementCount(objectClass.id, key, property.id), elements.count, "count of \(name)")
                let start = elements.count / 3
                try requireEqual(
                    try snapshot.elements(objectClass.id, key, property.id, start..<start + 7),
                    Array(elements.dropFirst(start).prefix(7)), "elements of \(name) from \(start)")
            }
        }
    }

    /// For every link, declared the other way or not.
    private static func compareBacklinks(
        to objectClass: ClassSchema, _ keys: [ObjectKey], _ snapshot: any Snapshot, _ reference: ModelSnapshot
    ) throws {
        for origin in reference.schema.classes {
            for link in origin.storedProperties where link.type.isLink && link.targetClass == objectClass.id {
                var holders: [ObjectKey: [ObjectKey]] = [:]
                for holder in try reference.select(BoundQuery(classID: origin.id), .all) {
                    for target in try reference.value(origin.id, holder, link.id).linkedKeys {
                        holders[target, default: []].append(holder)
                    }
                }
                for key in keys {
                    try requireEqual(
                        try snapshot.backlinks(to: key, from: origin.id, link.id), holders[key] ?? [],
                        "links of '\(origin.name).\(link.name)' to \(key.rawValue)")
                }
            }
        }
    }

    /// Names the first version whose changes differ.
    static func compare(_ sets: [ChangeSet], _ expected: [ChangeSet]) throws {
        for (set, wanted) in zip(sets, expected) {
            try requireEqual(set.version, wanted.version, "version of a change set")
            for classID in Set(set.classes.keys).union(wanted.classes.keys).sorted() {
                try requireEqual(
                    set.classes[classID], wanted.classes[classID],
                    "changes of class \(classID.rawValue) in version \(wanted.version)")
            }
            try requireEqual(set, wanted, "changes of version \(wanted.version)")
        }
        try requireEqual(sets.count, expected.count, "the number of change sets")
    }

    /// Aggregates and sections of a query.
    ///
    /// - Returns: the aggregates.
    @discardableResult
    static func compareSummaries(
        of query: BoundQuery, _ context: any ReadContext, _ reference: ModelSnapshot, _ queries: RandomQueries,
        _ random: inout SeededRandom
    ) throws -> [AggregateRequest] {
        let requests = queries.aggregates(of: query.classID, &random)
        let answers = try summing(
            "\(requests) over \(query)", { try context.aggregate(query, requests) },
            { try reference.aggregate(query, requests) })
        try requireEqual(answers?.count ?? requests.count, requests.count, "the number of aggregates")
        for (request, answer) in zip(requests, answers ?? [])
        where try !reference.evaluator.agrees(answer, to: request, over: query) {
            let wanted = try reference.aggregate(query, [request])
            throw ConformanceFailure("\(request) over \(query): expected \(wanted), got \(answer)")
        }
        let section = queries.sectionKey(of: query.classID, &random)
        let sections = try context.sections(query, by: section)
        if try !reference.evaluator.agree(sections, to: query, by: section) {
            let wanted = try reference.sections(query, by: section)
            throw ConformanceFailure("sections by \(section) of \(query): expected \(wanted), got \(sections)")
        }
        return requests
    }

    /// Compares one query in all forms.
    private static func compare(
        _ query: BoundQuery, _ snapshot: any Snapshot, _ reference: ModelSnapshot, _ queries: RandomQueries,
        _ random: inout SeededRandom
    ) throws {
        let expected = try reference.select(query, .all)
        try requireEqual(try snapshot.select(query, .all), expected, "\(query)")
        try requireEqual(try snapshot.count(query), expected.count, "count of \(query)")
        let window = queries.window(&random)
        try requireEqual(
            try snapshot.select(query, window), try reference.select(query, window), "\(query) in \(window)")
        for number in 0..<4 {
            let key = ObjectKey(Int64(number < 2 ? random.below(60) : number))
            try requireEqual(
                try snapshot.matches(query, key), try reference.matches(query, key), "\(key) matches \(query)")
        }
        let requests = try compareSummaries(of: query, snapshot, reference, queries, &random)
        let paths = random.oneIn(4) ? [] : queries.singlePaths(from: query.classID, &random)
        let groups = try unlessTooLarge { try snapshot.aggregate(query, requests, by: paths) }
        if try !reference.evaluator.agree(groups, to: requests, over: query, by: paths) {
            let wanted = try reference.aggregate(query, requests, by: paths)
            throw ConformanceFailure("\(requests) by \(paths) over \(query): expected \(wanted), got \(groups as Any)")
        }
        try compareCollections(snapshot, reference, queries, &random)
        try compareCursors(query, snapshot, reference, queries, &random)
        try require(!snapshot.explain(query, .all, running: false).root.words.isEmpty, "explain says something")
    }

    /// The store's answer; nil when a sum is too large for it and for the reference.
    private static func summing<Answer>(
        _ what: String, _ store: () throws -> Answer, _ reference: () throws -> Answer
    ) throws -> Answer? {
        if let answer = try unlessTooLarge(store) { return answer }
        if let wanted = try unlessTooLarge(reference) {
            throw ConformanceFailure("\(what): expected \(wanted), got \(StoreError.sumOverflow)")
        }
        return nil
    }

    /// Aggregates of one object's collection.
    private static func compareCollections(
        _ snapshot: any Snapshot, _ reference: ModelSnapshot, _ queries: RandomQueries, _ random: inout SeededRandom
    ) throws {
        guard let (holder, property, functions) = queries.collectionAggregate(&random),
            let key = random.pick(try reference.select(BoundQuery(classID: holder), .all))
        else { return }
        let object = ObjectReference(holder, key)
        let answers = try summing(
            "\(functions) of \(property) in \(object)", { try snapshot.aggregate(object, property, functions) },
            { try reference.aggregate(object, property, functions) })
        for (function, answer) in zip(functions, answers ?? []) {
            if try !reference.evaluator.agrees(answer, to: function, of: property, in: object) {
                let wanted = try reference.aggregate(object, property, [function])
                throw ConformanceFailure("\(function) of \(property) in \(object): expected \(wanted), got \(answer)")
            }
        }
    }

    /// Pages by cursor, over a query with sorts, distinct and limits, or none of them.
    private static func compareCursors(
        _ query: BoundQuery, _ snapshot: any Snapshot, _ reference: ModelSnapshot, _ queries: RandomQueries,
        _ random: inout SeededRandom
    ) throws {
        var query = query
        // A cursor cannot express a position in a list's order.
        query.scope = .all
        if random.oneIn(2) {
            let sort = random.oneIn(3) ? [] : queries.sortKeys(from: query.classID, &random)
            query.steps = sort.isEmpty ? [] : [.sort(sort)]
        }
        let sort = query.steps.reversed().flatMap { step -> [SortKey] in
            if case .sort(let keys) = step { keys } else { [] }
        }
        let expected = try reference.select(query, .all)
        guard let key = random.pick(expected), let index = expected.firstIndex(of: key) else { return }
        let values = try reference.sortValues(sort, of: key, in: query.classID)
        try requireEqual(
            try snapshot.sortValues(sort, of: key, in: query.classID), values, "sort values of \(key) by \(sort)")
        let window = Window(
            after: Cursor(values: values, key: key), offset: random.below(3), limit: random.oneIn(2) ? nil : 3)
        let rest = expected.dropFirst(index + 1 + window.offset)
        try requireEqual(
            try snapshot.select(query, window), Array(rest.prefix(window.limit ?? .max)), "\(query) in \(window)")
    }
}

/// The answer; nil when an integer sum in it overflows. Random integers are often near the limits, so every comparison
/// of sums has to expect that.
package func unlessTooLarge<Answer>(_ answer: () throws -> Answer) throws -> Answer? {
    do {
        return try answer()
    } catch let error as StoreError where error.code == .sumOverflow {
        return nil
    }
}
