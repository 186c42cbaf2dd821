import LiveTesting
import ObjectModel
import QueryLanguage
import QuerySyntax
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import ViewMaintenance
@testable import LiveQueries

/// Views are found by the condition that all objects of their results satisfy.
struct ConditionIndexTests {
    @Test(
        "a change of a result, or of what counts as an object of it, is one of the watched objects",
        arguments: RandomSteps.Kind.allCases)
    func watchesSuffice(_ kind: RandomSteps.Kind) throws {
        let seed = TestSeed.of(kind)
        let steps = try RandomSteps(kind, seed: seed)
        let queries = RandomQueries(steps.schema, forms: .all)
        var (tested, found, asked) = (0, 0, 0)
        var forms: [String: Int] = [:]
        for number in 0..<40 {
            let ways = try steps.step()
            var index = DependencyIndex()
            var views: [Watched] = []
            let present = try steps.snapshot()
            for _ in 0..<100 {
                let query = try selective(queries.query(&steps.random), queries, present, &steps.random)
                guard let view = try Watched(query, steps.schema, &steps.random) else { continue }
                for form in view.forms { forms[form, default: 0] += 1 }
                index.set(view.watches, for: views.count)
                views.append(view)
            }
            // Some leave again.
            for view in views.indices where view % 5 == 0 { index.forget(view) }
            for step in ways {
                let affected = index.affected(by: step)
                found += affected.count
                asked += views.count
                for (view, watched) in views.enumerated() {
                    if view % 5 == 0 {
                        #expect(!affected.contains(view), "seed \(seed), step \(number)")
                    } else if try watched.isChanged(by: step) {
                        tested += 1
                        #expect(affected.contains(view), "seed \(seed), step \(number), \(watched)")
                    }
                }
            }
        }
        // Otherwise it would prove little.
        guard TestRun.hasFixedSeeds else { return }
        #expect(tested >= 400 && found * 2 < asked, "seed \(seed): \(tested) tested, \(found) of \(asked) found")
        #expect(forms.keys.sorted() == Watched.allForms, "seed \(seed): \(forms)")
    }

    /// The query limited, mostly, to objects that are in some way like random ones.
    private func selective(
        _ query: BoundQuery, _ queries: RandomQueries, _ reads: any Snapshot, _ random: inout SeededRandom
    ) throws -> BoundQuery {
        let keys = try reads.all(of: query.classID)
        var likenesses: [BoundPredicate] = []
        for _ in 0..<random.below(4) {
            guard let path = queries.singlePaths(from: query.classID, &random).first, let key = random.pick(keys),
                let value = try reads.sortValues([SortKey(path)], of: key, in: query.classID)[0]
            else { continue }
            likenesses.append(.comparison(likeness(of: path, to: value, &random)))
        }
        guard !likenesses.isEmpty else { return query }
        var query = query
        query.predicate = .and([query.predicate, random.oneIn(2) ? .or(likenesses) : .and(likenesses)])
        return query
    }

    private func likeness(of path: BoundPath, to value: Value, _ random: inout SeededRandom) -> BoundComparison {
        switch value {
        case .string(let text) where random.oneIn(2):
            BoundComparison(.path(path), .beginsWith, .constant(.string(String(text.prefix(1 + random.below(3))))))
        case .int, .double, .float, .date:
            BoundComparison(
                .path(path), random.pick([.equal, .equal, .less, .greaterOrEqual]) ?? .equal, .constant(value))
        default: BoundComparison(.path(path), .equal, .constant(value))
        }
    }

    /// A query that is found by conditions.
    private struct Watched {
        static let allForms = ["beginning", "element", "linking", "oneOf", "oneOf through links", "several", "within"]

        let query: BoundQuery
        let reach: DeepChangeChecker?
        let watches: Set<LiveWatch>

        /// Nil for a query without conditions.
        init?(_ query: BoundQuery, _ schema: Schema, _ random: inout SeededRandom) throws {
            self.query = query
            var paths = ChangePaths()
            reach = random.oneIn(2) ? DeepChangeChecker(from: query.classID, schema: schema) : nil
            if let reach { paths.add(reach) }
            let dependencies = try QueryDependencies(query, schema: schema)
            guard let watches = dependencies.watches(for: query.predicate, along: paths) else { return nil }
            self.watches = watches
        }

        var forms: Set<String> {
            var forms: Set<String> = []
            for case .satisfying(_, let conditions, _) in watches {
                if conditions.count > 1 { forms.insert("several") }
                for condition in conditions {
                    switch condition {
                    case .oneOf(let path, _): forms.insert(path.links.isEmpty ? "oneOf" : "oneOf through links")
                    case .within: forms.insert("within")
                    case .beginning: forms.insert("beginning")
                    case .linking: forms.insert("linking")
                    case .element: forms.insert("element")
                    }
                }
            }
            return forms
        }

        /// Whether the result differs, or an object that is in it before or after the step was changed, or reaches a
        /// changed one if that counts.
        func isChanged(by step: VersionDelta) throws -> Bool {
            // Without the object whose property it selects from there is no result.
            guard try query.scope.exists(in: step.before), try query.scope.exists(in: step.after) else { return false }
            if try step.before.select(query, .all) != step.after.select(query, .all) { return true }
            let members = BoundQuery(classID: query.classID, scope: query.scope, predicate: query.predicate)
            let keys = try Set(step.before.select(members, .all) + step.after.select(members, .all))
            let own = step.changes.classes[query.classID] ?? ClassChanges()
            let changed = own.insertions.union(own.deletions).union(own.modifications.keys)
            return try !keys.isDisjoint(with: changed.union(reach?.modifiedRoots(by: step) ?? []))
        }
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
        for (views, expected) in [(300, 20), (99, 99)] {
            var index = ConditionIndex()
            for view in 0..<views {
                index.add([.oneOf(ConditionPath(number), [.int(Int64(view + 80))])], of: view)
            }
            #expect(index.affected(by: step, of: item, along: ChangePaths()).count == expected)
        }
    }

    /// As an answer of two parts has, such as the position of an object among those that match.
    @Test("a view with several watches of one property is found by each of them, and by what is left when one goes")
    func severalWatches() throws {
        let schema = Schema(
            version: 1,
            classes: [ClassSchema("Item", properties: [PropertySchema("number", PropertyType(.int))])])
        let (item, number) = (ClassID(1), ConditionPath(PropertyID(1)))
        func watch(_ condition: MembershipCondition) -> LiveWatch { .satisfying(of: item, [condition], ChangePaths()) }
        let low = watch(.within(number, -.infinity...50))
        let high = watch(.within(number, 40 ... .infinity))
        let (one, two) = (watch(.oneOf(number, [.int(5), .int(45)])), watch(.oneOf(number, [.int(45), .int(60)])))
        let store = try ModelStore(schema)
        func affected(_ index: DependencyIndex, by value: Int64) throws -> Bool {
            let before = try store.snapshot()
            try store.write { _ = try $0.create(item, row: [.int(value)]) }
            let after = try store.snapshot()
            let changes = try #require(try store.changes(after: before.version)?.last)
            return index.affected(by: VersionDelta(changes, from: before, to: after)) == [7]
        }
        for (first, second) in [(low, high), (high, low), (one, two), (two, one)] {
            var index = DependencyIndex()
            index.set([first], for: 7)
            index.set([first, second], for: 7)
            for value: Int64 in [5, 45, 60] { #expect(try affected(index, by: value), "\(value)") }
            index.set([second], for: 7)
            let isOfLow = second == low || second == one
            #expect(try affected(index, by: 5) == isOfLow)
            #expect(try affected(index, by: 45))
            #expect(try affected(index, by: 60) == !isOfLow)
            index.forget(7)
            for value: Int64 in [5, 45, 60] { #expect(try !affected(index, by: value), "\(value)") }
        }
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
