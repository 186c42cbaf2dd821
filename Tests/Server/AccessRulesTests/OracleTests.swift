import AccessRules
import EmbeddedStore
import Foundation
import JSONCoding
import ObjectModel
import QuerySyntax
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Compares a restricted snapshot with an oracle: a second store with the same history, from which the hidden objects,
/// properties and classes were really deleted. A failure names its seed.
@Suite("the visible database")
struct OracleTests {
    @Test("is the database from which the hidden objects were deleted", arguments: 0..<3 * TestRun.length)
    func oracle(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        do {
            try compare(&random, label: "seed \(random.seed)")
        } catch {
            Issue.record("seed \(random.seed): \(error)")
        }
    }

    /// Whether both are results with nearly equal values, or both nil.
    private static func areNear(_ answers: [Value]?, _ others: [Value]?) -> Bool {
        guard let answers, let others else { return answers == nil && others == nil }
        return answers.count == others.count && zip(answers, others).allSatisfy { $0.isNear($1) }
    }

    private func compare(_ random: inout SeededRandom, label: String) throws {
        let world = try RandomWorld(&random)
        let restricted = try world.view.restrict(try world.store.snapshot())
        // A role may read a class and none of its properties, but a store has no such class.
        guard restricted.schema.classes.allSatisfy({ !$0.properties.isEmpty }) else { return }
        let truth = try world.pruned()
        let label = "\(label), role \(world.role.classes)"

        #expect(restricted.schema.classes.map(\.name) == truth.schema.classes.map(\.name), "\(label)")
        try compareObjects(restricted, truth, label)
        let queries = RandomQueries(truth.schema, forms: .all)
        for number in 0..<60 {
            var query = queries.query(&random)
            // Embedded objects are parts of others: only a role that names their class can list them.
            if truth.schema[query.classID]?.isEmbedded == true, query.scope == .all,
                world.role.classes[truth.schema[query.classID]?.name ?? ""] == nil
            {
                query = queries.query(&random)
                guard truth.schema[query.classID]?.isEmbedded == false else { continue }
            }
            let context = "\(label), query \(number): \(query)"
            guard let expected = try unlessTooLarge({ try truth.select(query, .all) }) else { continue }
            #expect(try restricted.select(query, .all) == expected, "\(context)")
            #expect(try restricted.count(query) == expected.count, "\(context)")
            let window = queries.window(&random)
            #expect(try restricted.select(query, window) == truth.select(query, window), "\(context) in \(window)")
            for raw in [0, 1, 5, 12, 30, -1] as [Int64] {
                let key = ObjectKey(raw)
                #expect(
                    try restricted.matches(query, key) == truth.matches(query, key), "\(context) matches \(key)")
            }
            if let sort = query.steps.lazy.compactMap(\.sortKeys).last, let first = expected.first {
                let values = try truth.sortValues(sort, of: first, in: query.classID)
                #expect(try restricted.sortValues(sort, of: first, in: query.classID) == values, "\(context)")
            }
            let requests = queries.aggregates(of: query.classID, &random)
            let answers = try unlessTooLarge { try restricted.aggregate(query, requests) }
            let trueAnswers = try unlessTooLarge { try truth.aggregate(query, requests) }
            #expect(Self.areNear(answers, trueAnswers), "\(context): \(requests)")
            let paths = queries.singlePaths(from: query.classID, &random)
            let groups = try unlessTooLarge { try restricted.aggregate(query, requests, by: paths) }
            let trueGroups = try unlessTooLarge { try truth.aggregate(query, requests, by: paths) }
            #expect(groups?.map(\.key) == trueGroups?.map(\.key), "\(context) by \(paths)")
            #expect(groups?.map(\.count) == trueGroups?.map(\.count), "\(context) by \(paths)")
            for (group, truth) in zip(groups ?? [], trueGroups ?? []) {
                #expect(Self.areNear(group.results, truth.results), "\(context) by \(paths)")
            }
            let section = queries.sectionKey(of: query.classID, &random)
            #expect(
                try restricted.sections(query, by: section) == truth.sections(query, by: section),
                "\(context) in sections by \(section)")
        }
    }

    private func compareObjects(_ restricted: any Snapshot, _ truth: any Snapshot, _ label: String) throws {
        for objectClass in truth.schema.classes {
            let id = objectClass.id
            let label = "\(label), class \(objectClass.name)"
            if !objectClass.isEmbedded { #expect(restricted.count(of: id) == truth.count(of: id), "\(label)") }
            let stored = objectClass.storedProperties.map(\.id)
            #expect(restricted.schema[id]?.properties.map(\.name) == objectClass.properties.map(\.name), "\(label)")
            for raw in 0..<Int64(60) {
                let key = ObjectKey(raw)
                let isThere = try truth.exists(id, key)
                #expect(try restricted.exists(id, key) == isThere, "\(label) \(raw)")
                guard isThere else {
                    for property in stored {
                        #expect(throws: StoreError.self) { try restricted.value(id, key, property) }
                    }
                    continue
                }
                for property in objectClass.properties {
                    let context = "\(label) \(raw).\(property.name)"
                    if let origin = property.targetClass, let link = property.originProperty {
                        let target = ObjectReference(id, key)
                        #expect(
                            try restricted.backlinks(to: target, from: origin, link)
                                == truth.backlinks(to: target, from: origin, link), "\(context)")
                        continue
                    }
                    let value = try truth.value(id, key, property.id)
                    #expect(try restricted.value(id, key, property.id) == value, "\(context)")
                    guard property.type.isCollection else { continue }
                    let count = try truth.elementCount(id, key, property.id)
                    #expect(try restricted.elementCount(id, key, property.id) == count, "\(context)")
                    for range in [0..<count, 1..<3, 2..<100] {
                        #expect(
                            try restricted.elements(id, key, property.id, range)
                                == truth.elements(id, key, property.id, range), "\(context) \(range)")
                    }
                    if !property.type.isLink, property.type.isMixed || property.type.base.isNumeric {
                        let functions: [AggregateRequest.Function] = [.minimum, .maximum, .sum, .average]
                        let object = ObjectReference(id, key)
                        let answers = try unlessTooLarge { try restricted.aggregate(object, property.id, functions) }
                        let expected = try unlessTooLarge { try truth.aggregate(object, property.id, functions) }
                        #expect(Self.areNear(answers, expected), "\(context)")
                    }
                }
                if let property = objectClass.primaryKeyProperty {
                    let primaryKey = try truth.value(id, key, property.id)
                    #expect(try restricted.key(of: id, primaryKey: primaryKey) == key, "\(label) \(raw)")
                }
            }
            let keys = (0..<Int64(60)).map { ObjectKey($0) } + [ObjectKey(3), ObjectKey(2)]
            var rows = ValueSink()
            var trueRows = ValueSink()
            try restricted.read(id, keys, stored, into: &rows)
            try truth.read(id, keys, stored, into: &trueRows)
            #expect(rows.rows.map(\.key) == trueRows.rows.map(\.key), "\(label)")
            #expect(rows.rows.map(\.values) == trueRows.rows.map(\.values), "\(label)")
        }
    }
}

/// A store with a random schema and history, and a role with random rules.
struct RandomWorld {
    let directory: TestDirectory
    let store: EmbeddedStore
    let role: Role
    let view: AccessView
    private let operations: [[RandomOperation]]
    private let schema: Schema

    init(_ random: inout SeededRandom, commits: Int = 60) throws {
        directory = try TestDirectory()
        schema = RandomSchemas.schema(&random, kinds: .all)
        store = try EmbeddedStore.open(path: directory.path + "/full", schema: schema, options: Self.options)
        var history = RandomHistory(schema)
        operations = (0..<commits).map { history.commit(count: $0, target: 60, &random) }
        try Self.run(operations, on: store)
        role = try Self.role(for: store.snapshot(), &random)
        view = AccessView(role: role)
    }

    static var options: EmbeddedStoreOptions {
        var options = EmbeddedStoreOptions()
        options.clusterCapacity = 64
        return options
    }

    static func run(_ operations: [[RandomOperation]], on store: EmbeddedStore) throws {
        for commit in operations {
            try store.write { transaction in for operation in commit { try transaction.perform(operation) } }
        }
    }

    /// - Parameter snapshot: what the rules are for. A rule whose sums overflow in it is an error of every read, so it
    ///   gives nothing to compare.
    static func role(for snapshot: any Snapshot, _ random: inout SeededRandom) throws -> Role {
        let schema = snapshot.schema
        let queries = RandomQueries(schema, forms: .all)
        var classes: [String: ClassRule] = [:]
        for objectClass in schema.classes where !objectClass.isEmbedded || random.oneIn(4) {
            var rule = ClassRule()
            switch random.below(10) {
            case 0: break
            case 1, 2, 3: rule.read = "TRUEPREDICATE"
            default:
                for _ in 0..<20 where rule.read == nil {
                    let predicate = queries.predicate(of: objectClass.id, depth: 1, &random)
                    let text = QueryPrinter.text(
                        BoundQuery(classID: objectClass.id, predicate: predicate), schema: schema)
                    if let text,
                        let query = try? QueryBinder(schema: schema, checksSums: true).bind(text, class: objectClass),
                        try unlessTooLarge({ () throws -> Void in
                            _ = try snapshot.count(query)
                            for key in 0..<Int64(60) { _ = try snapshot.matches(query, ObjectKey(key)) }
                        }) != nil
                    {
                        rule.read = text
                    }
                }
            }
            if random.oneIn(2) {
                var readable = objectClass.properties.filter { _ in !random.oneIn(4) }
                // A schema has no class without properties, and a link is hidden with the class of its targets.
                let values = objectClass.properties.filter { $0.targetClass == nil }
                if !readable.contains(where: values.contains), let value = random.pick(values) {
                    readable.append(value)
                }
                rule.readableProperties = Set(readable.map(\.name))
            }
            classes[objectClass.name] = rule
        }
        return Role(name: "random", classes: classes)
    }

    /// Returns the same history in another store, without the data that the role may not read.
    func pruned() throws -> any Snapshot {
        let other = try EmbeddedStore.open(path: directory.path + "/pruned", schema: schema, options: Self.options)
        try Self.run(operations, on: other)
        var hidden: [ObjectReference] = []
        let snapshot = try store.snapshot()
        for objectClass in snapshot.schema.classes {
            guard let text = role.classes[objectClass.name]?.read else { continue }
            let query = try QueryBinder(schema: snapshot.schema, checksSums: true).bind(text, class: objectClass)
            let visible = Set(try snapshot.select(query, .all))
            for key in try snapshot.select(BoundQuery(classID: objectClass.id), .all) where !visible.contains(key) {
                hidden.append(ObjectReference(objectClass.id, key))
            }
        }
        let doomed = hidden
        try other.write { transaction in
            for object in doomed where try transaction.exists(object.classID, object.key) {
                try transaction.delete(object.classID, object.key)
            }
        }
        var visible = try view.restrict(snapshot).schema
        visible.version += 1
        try other.replaceSchema(with: visible, migration: Migration())
        return try other.snapshot()
    }
}

extension Value {
    /// Whether two results are equal, except for the order in which floating-point numbers were added.
    func isNear(_ other: Value) -> Bool {
        if case .double(let a) = self, case .double(let b) = other {
            return a == b || a.isNaN && b.isNaN || abs(a - b) <= 1e-9 * max(abs(a), abs(b))
        }
        return self == other || Value.order(self, other) == 0
    }
}

extension ResultStep {
    fileprivate var sortKeys: [SortKey]? {
        if case .sort(let keys) = self { return keys }
        return nil
    }
}
