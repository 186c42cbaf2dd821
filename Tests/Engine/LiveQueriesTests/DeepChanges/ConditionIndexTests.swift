import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import ViewMaintenance
@testable import LiveQueries

/// Views are found by the condition that all objects of their results satisfy.
struct ConditionIndexTests {
    @Test(
        "objects of a result satisfy its condition, and the index finds the views of changed ones",
        arguments: RandomSteps.Kind.allCases)
    func conditionsHold(_ kind: RandomSteps.Kind) throws {
        let seed = TestSeed.of(kind)
        let steps = try RandomSteps(kind, seed: seed)
        let queries = RandomQueries(steps.schema, forms: .all)
        var (conditions, tested, found, asked) = (0, 0, 0, 0)
        // Schemas differ in how many queries have conditions.
        for number in 0..<60 where conditions < 40 || tested < 40 || found == asked {
            let ways = try steps.step()
            var indexes: [ClassID: ConditionIndex] = [:]
            var views: [(query: BoundQuery, condition: MembershipCondition)] = []
            for _ in 0..<150 {
                let random = queries.query(&steps.random)
                let query = BoundQuery(classID: random.classID, predicate: random.predicate)
                guard (try? QueryDependencies(query, schema: steps.schema))?.isLocal == true,
                    let condition = MembershipCondition(query.predicate)
                else { continue }
                indexes[query.classID, default: ConditionIndex()].add(condition, of: views.count)
                views.append((query, condition))
            }
            // Some leave again.
            for view in views.indices where view % 5 == 0 {
                indexes[views[view].query.classID]?.remove(views[view].condition, of: view)
            }
            conditions += views.count
            for step in ways {
                for (classID, changes) in step.changes.classes {
                    guard let index = indexes[classID] else { continue }
                    let affected = index.affected(by: changes, of: classID, in: step)
                    found += affected.count
                    asked += index.views.count
                    for view in views.indices where views[view].query.classID == classID {
                        let query = views[view].query
                        for key in Array(changes.modifications.keys) + changes.insertions + changes.deletions {
                            guard try isIn(query, key, step.before) || isIn(query, key, step.after) else { continue }
                            tested += 1
                            #expect(
                                affected.contains(view) == (view % 5 != 0),
                                "seed \(seed), step \(number), \(key), \(query)")
                        }
                    }
                }
            }
        }
        // Otherwise it would prove little.
        guard TestRun.hasFixedSeeds else { return }
        #expect(
            conditions >= 40 && tested >= 40 && found < asked,
            "seed \(seed): \(conditions) conditions, \(tested) members, \(found) of \(asked) views found")
    }

    @Test("a step of many objects asks only the views that it can matter to, unless there are fewer than objects")
    func manyObjects() throws {
        let schema = Schema(
            version: 1,
            classes: [ClassSchema("Item", properties: [PropertySchema("number", PropertyType(.int))])])
        let (item, number) = (ClassID(1), PropertyID(1))
        let store = try ModelStore(schema)
        let before = try store.snapshot()
        try store.write { transaction in
            for value in 0..<100 { _ = try transaction.create(item, row: [.int(Int64(value))]) }
        }
        let after = try store.snapshot()
        let changes = try #require(try store.changes(after: before.version)?.last)
        let step = VersionDelta(changes, from: before, to: after)
        let made = try #require(changes.classes[item])
        for (views, expected) in [(300, 20), (99, 99)] {
            var index = ConditionIndex()
            for view in 0..<views { index.add(.oneOf(number, [.int(Int64(view + 80))]), of: view) }
            #expect(index.affected(by: made, of: item, in: step).count == expected)
        }
    }

    private func isIn(_ query: BoundQuery, _ key: ObjectKey, _ reads: any ObjectReads) throws -> Bool {
        try reads.exists(query.classID, key) && reads.matches(query, key)
    }

    @Test("an index of intervals finds what a list of them does, whatever came and left before")
    func intervals() {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        var index = IntervalIndex()
        var list: [Int: ClosedRange<Double>] = [:]
        func bound() -> Double {
            switch random.below(4) {
            case 0: -.infinity
            case 1: .infinity
            case 2: Double(random.below(20))
            default: Double(random.below(1000)) / 8
            }
        }
        for step in 0..<4000 {
            let view = random.below(300)
            if list[view] != nil {
                index.remove(view)
                list[view] = nil
            }
            if random.below(4) > 0 {
                let (a, b) = (bound(), bound())
                list[view] = min(a, b)...max(a, b)
                index.add(min(a, b)...max(a, b), of: view)
            }
            guard step % 7 == 0 else { continue }
            let number = bound()
            var found: Set<Int> = []
            index.collect(containing: number, &found)
            #expect(found == Set(list.filter { $0.value.contains(number) }.keys), "seed \(seed), step \(step)")
            #expect(index.isEmpty == list.isEmpty)
            var all: Set<Int> = []
            index.collectAll(&all)
            #expect(all == Set(list.keys), "seed \(seed), step \(step)")
        }
    }
}
