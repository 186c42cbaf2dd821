import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

@testable import ViewMaintenance
@testable import LiveQueries
import TestBasics

/// An object that a step moves, into a result, out of it or within it, is among the affected keys.
struct AffectedKeysHistoryTests {
    @Test(
        "every object that a step can move is an affected key", arguments: RandomSteps.Kind.allCases,
        0..<TestRun.length)
    func everyMoveIsSuspected(_ kind: RandomSteps.Kind, _ round: Int) throws {
        let seed = TestSeed.of("\(kind) \(round)")
        let steps = try RandomSteps(kind, seed: seed)
        let queries = RandomQueries(steps.schema, forms: .all)
        var tested = 0
        var moved = 0
        var suspected = 0
        for number in 0..<15 {
            let ways = try steps.step()
            let (before, after) = (ways[0].before, ways[0].after)
            for _ in 0..<15 {
                var query = queries.query(&steps.random)
                let (now, then) = try (resolved(query, after), resolved(query, before))
                // Names that refer to other objects than before are handled elsewhere.
                guard now == then else { continue }
                query = now
                let route = try QueryDependencies(query, schema: steps.schema)
                let objects = Set(try before.select(BoundQuery(classID: query.classID), .all))
                    .union(try after.select(BoundQuery(classID: query.classID), .all))
                for step in ways {
                    guard case .objects(let affectedKeys) = try route.affectedKeys(in: step) else { continue }
                    #expect(route.isTouched(by: step.changes) || affectedKeys.isEmpty, "seed \(seed)")
                    tested += objects.count
                    suspected += affectedKeys.count
                    for key in objects where try moves(key, query, route, ways[0]) {
                        moved += 1
                        #expect(affectedKeys.contains(key), "seed \(seed), step \(number), \(key), \(query)")
                    }
                }
            }
        }
        // Otherwise it would prove little.
        if TestRun.hasFixedSeeds {
            #expect(moved > 0 && suspected * 2 < tested, "seed \(seed): \(moved) of \(suspected) of \(tested)")
        }
    }

    private func resolved(_ query: BoundQuery, _ reads: any ObjectReads) throws -> BoundQuery {
        try query.namingObjects { try reads.key(of: $0, primaryKey: $1) }
    }

    /// Whether an object enters or leaves the result, or has another position: computed for each by itself, from the
    /// two states.
    private func moves(
        _ key: ObjectKey, _ query: BoundQuery, _ route: QueryDependencies, _ step: VersionDelta
    ) throws -> Bool {
        func isIn(_ reads: any ObjectReads) throws -> Int {
            try reads.matches(query, key) ? route.count(of: key, in: reads) : 0
        }
        let (before, after) = try (isIn(step.before), isIn(step.after))
        guard before == after else { return true }
        guard after > 0 else { return false }
        var paths: [SortKey] = []
        for case let step in query.steps {
            switch step {
            case .sort(let keys): paths += keys
            case .distinct(let distinct): paths += distinct.map { SortKey($0) }
            case .limit: break
            }
        }
        return try step.before.sortValues(paths, of: key, in: query.classID)
            != step.after.sortValues(paths, of: key, in: query.classID)
    }

    @Test("the count of an object in a query's scope needs no read of the scope", arguments: RandomSteps.Kind.allCases)
    func scopes(_ kind: RandomSteps.Kind) throws {
        let seed = TestSeed.of(kind)
        let steps = try RandomSteps(kind, seed: seed)
        let snapshot = try steps.snapshot()
        var held = 0
        for holder in steps.schema.classes {
            for property in holder.properties where property.type.isComputed || property.type.isLink {
                guard let target = property.targetClass, property.type.isComputed || property.type.isCollection
                else { continue }
                for key in try snapshot.all(of: holder.id).prefix(6) {
                    let query = BoundQuery(
                        classID: target, scope: .property(ObjectReference(holder.id, key), property.id))
                    let route = try QueryDependencies(query, schema: steps.schema)
                    let selected = try snapshot.select(query, .all)
                    held += selected.count
                    for object in try snapshot.all(of: target) {
                        #expect(
                            try route.count(of: object, in: snapshot) == selected.count { $0 == object },
                            "seed \(seed), \(holder.name).\(property.name)")
                    }
                }
            }
        }
        if TestRun.hasFixedSeeds { #expect(held > 0, "seed \(seed)") }
    }

    @Test("when running the query again costs less than following the links, it is run again")
    func tooMany() throws {
        let tasks = try TaskStore()
        let boss = try tasks.write { transaction in
            let boss = try transaction.person("boss")
            for id in 0..<Int64(1_500) {
                let key = try transaction.task(id, id)
                if id < 600 { try transaction.set(TaskStore.task, key, [TaskStore.owner: .link(boss)]) }
            }
            return boss
        }
        let name = BoundPath(
            links: [.forward(TaskStore.owner, target: TaskStore.person)],
            end: .property(TaskStore.name, PropertyType(.string)))
        let query = BoundQuery(classID: TaskStore.task, steps: [.sort([SortKey(name)])])
        let route = try QueryDependencies(query, schema: TaskStore.schema)
        #expect(route.maintenance == .incremental)
        func rename() throws -> AffectedKeys {
            let before = try tasks.store.snapshot()
            try tasks.write { try $0.set(TaskStore.person, boss, [TaskStore.name: .string("new")]) }
            let changes = try #require(try tasks.store.changes(after: before.version)?.first)
            return try route.affectedKeys(in: VersionDelta(changes, from: before, to: tasks.store.snapshot()))
        }
        #expect(try rename() == .objects(Set((0..<600).map { ObjectKey($0) })))
        try tasks.write { transaction in
            for key in 600..<Int64(1_500) {
                try transaction.set(TaskStore.task, ObjectKey(key), [TaskStore.owner: .link(boss)])
            }
        }
        guard case .recompute(let reason) = try rename() else {
            Issue.record("All were suspected.")
            return
        }
        #expect(reason.contains("link to"))
    }

    @Test("a query over a list is run again, with the reason; one over linking objects or a set is not")
    func maintenanceOfScopes() throws {
        for (property, classID) in [
            ("birds", KeyPathTests.zoo), ("fish", KeyPathTests.zoo), ("homes", KeyPathTests.animal),
        ] {
            let found = try #require(KeyPathTests.schema[classID]?[property])
            let target = try #require(found.targetClass)
            let query = BoundQuery(classID: target, scope: .property(ObjectReference(classID, ObjectKey(0)), found.id))
            let maintenance = try LiveQueries.maintenance(of: query, under: KeyPathTests.schema)
            if property == "birds" {
                #expect(
                    maintenance == .recompute(reason: "it selects from a collection, which has an order of its own"))
            } else {
                #expect(maintenance == .incremental)
            }
        }
    }
}
