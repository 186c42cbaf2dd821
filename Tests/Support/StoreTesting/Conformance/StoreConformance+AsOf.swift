package import ObjectModel
package import QueryLanguage
package import StoreContract
import Synchronization
package import TestBasics

extension StoreConformance {
    /// Earlier versions, seen from later ones, equal the model's former states: over a random history of every kind of
    /// data, from the newest version and from older snapshots, and after `reopen`, which closes the store and opens it
    /// again.
    package static func past(
        _ make: Maker, seed: UInt64, steps: Int, reopen: ((any Store) throws -> any Store)? = nil
    ) throws {
        try seeded(seed) { random in
            let schema = RandomSchemas.schema(&random, kinds: .all)
            try requireEqual(schema.faults(), [], "faults of the random schema")
            let model = try ModelStore(schema)
            defer { model.close() }
            var store = try make(schema)
            defer { store.close() }
            var history = RandomHistory(schema)
            var held: [any Snapshot] = []
            for step in 1...max(1, steps) {
                if random.oneIn(5) {
                    try commitGroup(to: store, and: model, &history, &random)
                } else {
                    try commit(to: store, and: model, &history, target: 25, &random)
                }
                if random.oneIn(4) { held.append(try store.snapshot()) }
                guard step % 8 == 0 else { continue }
                let newest = try store.snapshot()
                try checkPast(from: newest, back: 1 + random.below(4), store, model, &random)
                try checkPast(from: newest, back: random.below(Int(newest.version.rawValue)), store, model, &random)
                if let older = random.pick(held) {
                    try checkPast(from: older, back: random.below(Int(older.version.rawValue)), store, model, &random)
                    try checkWalk(from: older, store, model, &random)
                }
                if held.count > 3 { held.removeAll() }
            }
            guard let reopen else { return }
            held.removeAll()
            store = try reopen(store)
            let newest = try store.snapshot()
            for back in [1, 3, Int(newest.version.rawValue) - 1] {
                try checkPast(from: newest, back: back, store, model, &random)
            }
            try checkWalk(from: newest, store, model, &random)
        }
    }

    /// Several versions in one commit.
    private static func commitGroup(
        to store: any Store, and model: ModelStore, _ history: inout RandomHistory, _ random: inout SeededRandom
    ) throws {
        let count = 2 + random.below(3)
        let mayStart = Countdown(1)
        let done = Countdown(count + 1)
        let failures = Mutex<[String]>([])
        store.submit({ _ in mayStart.wait() }, completion: { _ in done.countDown() })
        try model.write { _ in }
        for _ in 0..<count {
            let operations = history.commit(count: 0, target: 25, &random)
            let work: @Sendable (any WriteTransaction) throws -> Void = { transaction in
                for operation in operations { try transaction.perform(operation) }
            }
            try model.write(work)
            store.submit(work) { outcome in
                if case .failure(let error) = outcome { failures.withLock { $0.append("\(error)") } }
                done.countDown()
            }
        }
        mayStart.countDown()
        done.wait()
        try requireEqual(failures.withLock { $0 }, [], "failures of a group")
    }

    private static func checkPast(
        from snapshot: any Snapshot, back: Int, _ store: any Store, _ model: ModelStore, _ random: inout SeededRandom
    ) throws {
        let version = Version(snapshot.version.rawValue - UInt64(back))
        let name = "version \(version) before \(snapshot.version)"
        guard let past = try store.asOf(version, before: snapshot) else {
            throw ConformanceFailure("there is no \(name)")
        }
        let reference = try model.state(at: version)
        try requireEqual(past.reads.version, version, "version of \(name)")
        if back > 0 {
            var expected = ChangeSet(version: version)
            for set in try model.changes(after: version) ?? [] where set.version <= snapshot.version {
                expected.merge(set)
            }
            try requireEqual(past.changes, expected, "changes since \(name)")
        }
        do {
            try compare(past.reads, reference, newest: snapshot, &random)
        } catch {
            throw ConformanceFailure("\(name): \(error)")
        }
    }

    /// Compares everything that can be read of an earlier version, with so many random queries for each class.
    package static func compare(
        _ past: any ObjectReads, _ reference: ModelSnapshot, newest: any ObjectReads, queries queryCount: Int = 6,
        _ random: inout SeededRandom
    ) throws {
        let queries = RandomQueries(reference.schema, forms: .all)
        for objectClass in reference.schema.classes {
            let keys = try reference.select(BoundQuery(classID: objectClass.id), .all)
            let now = try newest.select(BoundQuery(classID: objectClass.id), .all)
            try requireEqual(try past.select(BoundQuery(classID: objectClass.id), .all), keys, objectClass.name)
            try requireEqual(past.count(of: objectClass.id), keys.count, "the number of \(objectClass.name)")
            let last = max(keys.last?.rawValue ?? 0, now.last?.rawValue ?? 0)
            for key in (-1...last + 2).map({ ObjectKey($0) }) {
                try requireEqual(
                    try past.exists(objectClass.id, key), try reference.exists(objectClass.id, key),
                    "existence of \(objectClass.name) \(key.rawValue)")
            }
            try compareKeys(of: objectClass, keys, now, past, reference, newest)
            for property in objectClass.storedProperties {
                for key in keys { try compare(property, of: objectClass, key, past, reference, &random) }
            }
            try compareBacklinks(to: objectClass, keys + now, past, reference)
            for _ in 0..<queryCount {
                let query = queries.query(of: objectClass.id, &random)
                let window = queries.window(&random)
                try requireEqual(try past.select(query, .all), try reference.select(query, .all), "\(query)")
                try requireEqual(
                    try past.select(query, window), try reference.select(query, window), "\(query) in \(window)")
                try requireEqual(
                    try past.count(query), try reference.count(query), "the number of objects of \(query)")
                try compareSummaries(of: query, past, reference, queries, &random)
                let sort = queries.sortKeys(from: objectClass.id, &random)
                for key in keys.shuffled(using: &random).prefix(10) + now.suffix(3) {
                    try requireEqual(
                        try past.matches(query, key), try reference.matches(query, key), "\(key) matches \(query)")
                    guard keys.contains(key) else { continue }
                    try requireEqual(
                        try past.sortValues(sort, of: key, in: objectClass.id),
                        try reference.sortValues(sort, of: key, in: objectClass.id), "\(sort) of \(key)")
                }
            }
        }
    }

    /// The primary keys of then and of now, and the answers about an object that did not exist.
    private static func compareKeys(
        of objectClass: ClassSchema, _ keys: [ObjectKey], _ now: [ObjectKey], _ past: any ObjectReads,
        _ reference: ModelSnapshot, _ newest: any ObjectReads
    ) throws {
        if let primaryKey = objectClass.primaryKeyProperty {
            let values =
                try keys.map { try reference.value(objectClass.id, $0, primaryKey.id) }
                + now.map { try newest.value(objectClass.id, $0, primaryKey.id) }
            for value in values {
                try requireEqual(
                    try past.key(of: objectClass.id, primaryKey: value),
                    try reference.key(of: objectClass.id, primaryKey: value), "\(objectClass.name) with key \(value)")
            }
        }
        if let new = now.last, !keys.contains(new), let property = objectClass.storedProperties.first {
            try requireError(.notFound, "a value of an object that did not exist") {
                _ = try past.value(objectClass.id, new, property.id)
            }
        }
    }

    private static func compare(
        _ property: PropertySchema, of objectClass: ClassSchema, _ key: ObjectKey, _ past: any ObjectReads,
        _ reference: ModelSnapshot, _ random: inout SeededRandom
    ) throws {
        let name = "'\(objectClass.name).\(property.name)' of \(key.rawValue)"
        let expected = try reference.value(objectClass.id, key, property.id)
        try requireEqual(try past.value(objectClass.id, key, property.id), expected, name)
        guard property.type.isCollection else { return }
        let count = expected.elements.count
        try requireEqual(try past.elementCount(objectClass.id, key, property.id), count, "count of \(name)")
        let start = random.below(count + 2)
        let range = start..<start + random.below(5)
        try requireEqual(
            try past.elements(objectClass.id, key, property.id, range),
            try reference.elements(objectClass.id, key, property.id, range), "elements \(range) of \(name)")
    }

    private static func compareBacklinks(
        to objectClass: ClassSchema, _ keys: [ObjectKey], _ past: any ObjectReads, _ reference: ModelSnapshot
    ) throws {
        for origin in reference.schema.classes {
            for link in origin.storedProperties
            where link.type.isMixed || link.type.isLink && link.targetClass == objectClass.id {
                for key in keys {
                    let target = ObjectReference(objectClass.id, key)
                    try requireEqual(
                        try past.backlinks(to: target, from: origin.id, link.id),
                        try reference.backlinks(to: target, from: origin.id, link.id),
                        "links of '\(origin.name).\(link.name)' to \(objectClass.name) \(key.rawValue)")
                }
            }
        }
    }
}
