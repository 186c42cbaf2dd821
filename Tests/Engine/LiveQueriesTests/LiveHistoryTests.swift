import Dispatch
import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import Testing
import TestBasics

/// Random histories: the events add up to the result of a fresh query, and the elements that they call modified are
/// those that the rules call modified.
struct LiveHistoryTests {
    @Test("every chain of changes leads to the result of a fresh query", arguments: 0..<4 * TestRun.length)
    func changesCompose(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SeededRandom(seed: seed)
        let schema = RandomSchemas.schema(&random)
        let store = try ModelStore(schema)
        let live = try LiveQueries(store)
        let queries = RandomQueries(schema)
        var history = RandomHistory(schema)

        var observed: [(query: BoundQuery, recorder: Recorder, token: LiveToken)] = []
        for number in 0..<10 {
            let query =
                number % 2 == 0
                ? queries.query(&random)
                : queries.localQuery(of: schema.classes[number % schema.classes.count].id, &random)
            let recorder = Recorder()
            observed.append((query, recorder, live.observe(query, deliver: recorder.receive)))
        }
        live.settle()
        for _ in 0..<60 {
            let before = try store.snapshot()
            let count = schema.classes.reduce(0) { $0 + before.count(of: $1.id) }
            for _ in 0..<1 + random.below(2) {
                let operations = history.commit(count: count, target: 30, &random)
                try store.write { transaction in
                    for operation in operations { try transaction.perform(operation) }
                }
            }
            live.settle()
            let after = try store.snapshot()
            let changes = try #require(try store.changes(after: before.version))
            var merged = try #require(changes.first)
            for later in changes.dropFirst() { merged.merge(later) }
            for (query, recorder, _) in observed {
                let oldKeys = try before.select(query, .all)
                let newKeys = try after.select(query, .all)
                try #require(recorder.keys == newKeys, "seed \(seed), \(query)")
                try #require(recorder.faults == [], "seed \(seed)")
                try checkModifications(
                    recorder.takeChanges(), oldKeys, newKeys, merged, query, after, context: "seed \(seed), \(query)")
            }
        }
        store.close()
    }

    /// In all reported changes together, exactly the elements that stayed and reach a change are modifications.
    private func checkModifications(
        _ reported: [IndexChanges], _ old: [ObjectKey], _ new: [ObjectKey], _ changes: ChangeSet, _ query: BoundQuery,
        _ snapshot: any Snapshot, context: String
    ) throws {
        guard var change = reported.first else {
            #expect(old == new, "\(context)")
            for key in new {
                #expect(try !isModified(key, query.classID, changes, snapshot, depth: 3), "\(context)")
            }
            return
        }
        for later in reported.dropFirst() { change.merge(later) }
        for (index, key) in old.enumerated() {
            guard change.newIndex(ofOld: index) != nil else { continue }
            let expected = try isModified(key, query.classID, changes, snapshot, depth: 3)
            #expect(change.modifications.contains(index) == expected, "\(context), element \(index)")
        }
        // Whatever the method, the difference is as small as the general comparison makes it, and spares as many
        // untouched elements.
        guard reported.count == 1 else { return }
        var modified: Set<ObjectKey> = []
        for key in new where try isModified(key, query.classID, changes, snapshot, depth: 3) { modified.insert(key) }
        let smallest = KeyDiff.between(old, new, isModified: modified.contains)
        func touched(_ change: IndexChanges) -> Int { change.insertions.count { modified.contains(new[$0]) } }
        #expect(change.deletions.count == smallest.deletions.count, "\(context)")
        #expect(touched(change) == touched(smallest), "\(context)")
    }

    /// Forwards from the element, literally by the rule.
    private func isModified(
        _ key: ObjectKey, _ classID: ClassID, _ changes: ChangeSet, _ snapshot: any Snapshot, depth: Int
    ) throws -> Bool {
        if changes.classes[classID]?.modifications[key] != nil { return true }
        guard depth > 0 else { return false }
        for property in snapshot.schema[classID]?.properties ?? [] where property.type.isToOneLink {
            guard let target = property.targetClass,
                case .link(let next) = try snapshot.value(classID, key, property.id)
            else { continue }
            if try isModified(next, target, changes, snapshot, depth: depth - 1) { return true }
        }
        return false
    }

    @Test(
        "with key paths, exactly the elements that reach a change along one of them are modified",
        arguments: 0..<3 * TestRun.length)
    func filteredChanges(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SeededRandom(seed: seed)
        let schema = RandomSchemas.schema(&random)
        let store = try ModelStore(schema)
        let live = try LiveQueries(store)
        var history = RandomHistory(schema)
        var observed: [(query: BoundQuery, path: [PropertySchema], recorder: Recorder, token: LiveToken)] = []
        for number in 0..<12 {
            let objectClass = schema.classes[number % schema.classes.count]
            // Short results are tested element by element, long ones backwards from the changes.
            let query = BoundQuery(classID: objectClass.id, steps: number % 3 == 0 ? [.limit(4)] : [])
            let path = randomPath(from: objectClass, schema, &random)
            let keyPath = try LiveKeyPath(
                path.map(\.name).joined(separator: "."), in: objectClass.id, of: schema)
            let recorder = Recorder()
            observed.append(
                (query, path, recorder, live.observe(query, keyPaths: [keyPath], deliver: recorder.receive)))
        }
        live.settle()
        for _ in 0..<80 {
            let before = try store.snapshot()
            let count = schema.classes.reduce(0) { $0 + before.count(of: $1.id) }
            let operations = history.commit(count: count, target: 30 * schema.classes.count, &random)
            try store.write { transaction in
                for operation in operations { try transaction.perform(operation) }
            }
            live.settle()
            let after = try store.snapshot()
            let changes = try #require(try store.changes(after: before.version)?.first)
            for (query, path, recorder, _) in observed {
                let old = try before.select(query, .all)
                #expect(try recorder.keys == after.select(query, .all), "seed \(seed)")
                #expect(recorder.faults == [], "seed \(seed)")
                let change = recorder.takeChanges().first ?? IndexChanges()
                for (index, key) in old.enumerated() where change.newIndex(ofOld: index) != nil {
                    let expected = try reaches(key, query.classID, path[...], changes, before, after)
                    #expect(
                        change.modifications.contains(index) == expected,
                        "seed \(seed), \(path.map(\.name)) from \(key)")
                }
            }
        }
        store.close()
    }

    private func randomPath(
        from start: ClassSchema, _ schema: Schema, _ random: inout SeededRandom
    ) -> [PropertySchema] {
        var path: [PropertySchema] = []
        var current: ClassSchema? = start
        while let objectClass = current, path.count < 4, path.isEmpty || !random.oneIn(4) {
            let links = objectClass.properties.filter { $0.targetClass != nil }
            let choices = random.oneIn(3) || links.isEmpty ? objectClass.properties : links
            guard let property = random.pick(choices) else { break }
            path.append(property)
            current = property.targetClass.flatMap { schema[$0] }
        }
        return path
    }

    /// Whether a property along the path was assigned, or an object started or stopped linking; literally by the rule.
    private func reaches(
        _ key: ObjectKey, _ classID: ClassID, _ path: ArraySlice<PropertySchema>, _ changes: ChangeSet,
        _ before: any Snapshot, _ after: any Snapshot
    ) throws -> Bool {
        guard let step = path.first else { return false }
        if changes.classes[classID]?.modifications[key]?.contains(step.id) == true { return true }
        guard let target = step.targetClass else { return false }
        var next: [ObjectKey] = []
        if let link = step.originProperty {
            next = try after.backlinks(to: key, from: target, link)
            let isNew = changes.classes[classID]?.insertions.contains(key) == true
            if try !isNew && before.backlinks(to: key, from: target, link) != next { return true }
        } else if case .link(let object) = try after.value(classID, key, step.id) {
            next = [object]
        }
        return try next.contains { try reaches($0, target, path.dropFirst(), changes, before, after) }
    }

    @Test("a bulk change and single changes lead to the same result")
    func bulkChanges() throws {
        let tasks = try TaskStore()
        let byScore = BoundQuery(
            classID: TaskStore.task, steps: [.sort([SortKey(TaskStore.path(TaskStore.score, .int))])])
        let (recorder, token) = try tasks.observe(byScore)
        // More than are tested one by one, then few in a big result, then all of them.
        try tasks.write { transaction in for id in 0..<600 { try transaction.task(Int64(id), Int64(id * 7 % 601)) } }
        #expect(try recorder.keys == tasks.store.snapshot().select(byScore, .all))
        for id in stride(from: Int64(0), to: 600, by: 37) {
            try tasks.write { try $0.setScore(id, 600 - id) }
            #expect(try recorder.keys == tasks.store.snapshot().select(byScore, .all))
        }
        try tasks.write { transaction in for id in 0..<600 { try transaction.setScore(Int64(id), Int64(-id)) } }
        #expect(try recorder.keys == tasks.store.snapshot().select(byScore, .all))
        #expect(recorder.faults == [])
        #expect(recorder.changes.first?.insertions.count == 600)
        token.cancel()
    }

    @Test("observers that join and leave during commits get a chain without gaps")
    func concurrency() throws {
        let tasks = try TaskStore()
        let queries = [
            BoundQuery(
                classID: TaskStore.task, steps: [.sort([SortKey(TaskStore.path(TaskStore.score, .int))])]),
            BoundQuery(classID: TaskStore.task, steps: [.limit(5)]),
            BoundQuery(classID: TaskStore.person),
        ]
        let kept = Mutex<[(BoundQuery, Recorder, LiveToken)]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = SeededRandom.ofTest(thread)
            for step in 0..<100 {
                if thread < 2 {
                    let id = Int64(thread * 1_000 + step)
                    let score = Int64(random.below(40))
                    _ = try? tasks.store.write { transaction in
                        try transaction.task(id, score)
                        if step > 5 { try transaction.setScore(id - 3, score + 1) }
                        if step % 4 == 3 { try transaction.deleteTask(id - 2) }
                        try transaction.person("p")
                    }
                } else if let query = random.pick(queries) {
                    let recorder = Recorder()
                    let token = tasks.live.observe(query, deliver: recorder.receive)
                    if step % 10 == 0 {
                        kept.withLock { $0.append((query, recorder, token)) }
                    } else if step % 3 == 0 {
                        tasks.live.settle()
                        token.cancel()
                        #expect(recorder.keys != nil)
                    }
                }
            }
        }
        tasks.live.settle()
        let snapshot = try tasks.store.snapshot()
        for (query, recorder, token) in kept.withLock({ $0 }) {
            #expect(try recorder.keys == snapshot.select(query, .all), "\(query)")
            #expect(recorder.faults == [], "\(query)")
            token.cancel()
        }
        tasks.live.settle()
        #expect(tasks.live.resultCount == 0)
    }
}
