import Foundation
import RealmSwift
import StoreTesting
import Synchronization
import Testing
import TestBasics

final class ReplayCatView: Projection<ReplayCat> {
    @Projected(\ReplayCat.name) var title
    @Projected(\ReplayCat.mother?.age) var motherAge
    @Projected(\ReplayCat.friends.projectTo.name) var friendNames: ProjectedCollection<String>
}

/// The state of an object's properties according to the reported changes only.
private final class Shadow: Sendable {
    private let state = Mutex<(values: [String: String], faults: [String], calls: Int, isDeleted: Bool)>(
        ([:], [], 0, false))

    var faults: [String] { state.withLock { $0.faults } }
    var values: [String: String] { state.withLock { $0.values } }

    init(_ values: [String: String]) { state.withLock { $0.values = values } }

    func apply<T>(_ change: ObjectChange<T>, old: [String: String], _ now: (T) -> [String: String]) {
        state.withLock { state in
            state.calls += 1
            if state.isDeleted { state.faults.append("told after its end") }
            switch change {
            case .error(let error): state.faults.append("\(error)")
            case .deleted: state.isDeleted = true
            case .change(let object, let properties):
                let now = now(object)
                if properties.isEmpty { state.faults.append("told of nothing") }
                for property in properties {
                    guard let known = state.values[property.name] else {
                        state.faults.append("\(property.name) is not observed")
                        continue
                    }
                    if let new = property.newValue, !(new is ReplayCat), now[property.name] != "\(new)" {
                        state.faults.append("\(property.name) is \(now[property.name] ?? "?"), told as \(new)")
                    }
                    if let old = property.oldValue, !(old is ReplayCat), known != "\(old)" {
                        state.faults.append("\(property.name) was \(known), told as \(old)")
                    }
                    state.values[property.name] = now[property.name]
                }
                if state.values != now { state.faults.append("\(state.values) after \(properties), and is \(now)") }
            }
        }
    }
}

/// Replays on an actor.
private actor ReplayActor {
    let replay = Replay("actor")
    private var token: NotificationToken?
    private var keptToken: NotificationToken?

    func observe(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        let cats = realm.objects(ReplayCat.self).filter("age > 2").sorted(byKeyPath: "name")
        token = await cats.observe(on: self) { actor, change in
            switch change {
            case .initial(let now): actor.replay.begin(now.map(ReplayTests.row))
            case .update(let now, let deletions, let insertions, let modifications):
                actor.replay.apply(
                    deletions, insertions, modifications, now.map(ReplayTests.row), complete: true)
            case .error(let error): Issue.record(error)
            }
        }
    }

    func end() { token?.invalidate() }
}

extension ReplayTests {
    /// The rows of a collection whose elements may be null.
    private static func watchValues(_ label: String, _ values: Results<ReplayCat?>, _ fixture: QueueFixture) -> Replay {
        func rows(_ values: Results<ReplayCat?>) -> [String] { values.map { $0.map(row) ?? "null:" } }
        let replay = Replay(label)
        fixture.keep(
            values.observe { change in
                switch change {
                case .initial(let now): replay.begin(rows(now))
                case .update(let now, let deletions, let insertions, let modifications):
                    replay.apply(deletions, insertions, modifications, rows(now), complete: true)
                case .error(let error): Issue.record(error)
                }
            })
        return replay
    }

    private static func watchProjections(_ realm: Realm, _ fixture: QueueFixture) -> [Replay] {
        @Sendable func row(_ view: ReplayCatView) -> String {
            view.isInvalidated ? "gone" : "\(view.rootObject.id):\(view.title)"
        }
        let all = Replay("projections")
        fixture.keep(
            realm.objects(ReplayCatView.self).sorted(byKeyPath: "name").observe(keyPaths: ["name"]) { change in
                switch change {
                case .initial(let now): all.begin(now.map(row))
                case .update(let now, let deletions, let insertions, let modifications):
                    all.apply(deletions, insertions, modifications, now.map(row), complete: true)
                case .error(let error): Issue.record(error)
                }
            })
        guard let first = realm.objects(ReplayCatView.self).first else { return [all] }
        let names = Replay("projected collection")
        fixture.keep(
            first.friendNames.observe { change in
                switch change {
                case .initial(let now): names.begin(Array(now))
                case .update(let now, let deletions, let insertions, let modifications):
                    names.apply(
                        deletions, insertions, modifications, Array(now), complete: true
                    ) { _ in "" }
                case .error(let error): Issue.record(error)
                }
            })
        return [all, names]
    }

    /// Observers of the object, of all its properties and by key paths.
    private static func watchObject(_ first: ReplayCat, _ fixture: QueueFixture) -> [Shadow] {
        let names = ["name", "age", "mother"]
        return [nil, ["age"], ["name", "mother.age"]].map { (keyPaths: [String]?) in
            let watched = keyPaths.map { paths in Set(paths.map { String($0.prefix { $0 != "." }) }) } ?? Set(names)
            @Sendable func values(_ cat: ReplayCat) -> [String: String] {
                let all = [
                    "name": cat.name, "age": "\(cat.age)",
                    "mother": cat.mother.map { keyPaths == nil ? "\($0.id)" : "\($0.id):\($0.age)" } ?? "nil",
                ]
                return all.filter { watched.contains($0.key) }
            }
            let shadow = Shadow(values(first))
            fixture.keep(
                first.observe(keyPaths: keyPaths) { (change: ObjectChange<ReplayCat>) in
                    guard case .change(let cat, let properties) = change else {
                        return shadow.apply(change, old: [:], values)
                    }
                    // Collections, and links to deleted objects, are not compared.
                    let compared = properties.filter { watched.contains($0.name) }
                    if !compared.isEmpty { shadow.apply(.change(cat, compared), old: [:], values) }
                })
            return shadow
        }
    }

    @Test(
        "sections of lists, sorted maps, projections and objects are replayed, too",
        arguments: 0..<3 * TestRun.length)
    func kinds(_ round: Int) throws {
        let seed = TestSeed.of(round)
        let fixture = QueueFixture([ReplayCat.self])
        let other = QueueFixture(beside: fixture)
        try fixture.run { realm in try realm.write { realm.add(ReplayCat(value: ["id": 0])) } }
        let (replays, shadows) = try fixture.run { realm -> ([Replay], [Shadow]) in
            guard let first = realm.object(ofType: ReplayCat.self, forPrimaryKey: 0) else { return ([], []) }
            var replays = [
                Self.watchSections(first.friends, fixture), Self.watchSections(first.rivals, fixture),
                Self.watchSections(first.kittens, fixture),
                Self.watchSections(realm.objects(ReplayCat.self).filter("mother.age > 2"), fixture),
                Self.watchValues("sorted map", first.named.sorted(byKeyPath: "age"), fixture),
                Self.watchValues("filtered map", first.named.filter("age > 3"), fixture),
            ]
            replays += Self.watch("any", AnyRealmCollection(first.friends), fixture)
            replays += Self.watch("sorted set", first.rivals.sorted(byKeyPath: "age", ascending: false), fixture)
            replays += Self.watch("sorted kittens", first.kittens.sorted(byKeyPath: "name"), fixture)
            return (replays + Self.watchProjections(realm, fixture), Self.watchObject(first, fixture))
        }
        _ = try fixture.run { $0.refresh() }
        _ = try Self.history(fixture, other, seed) {
            replays.flatMap(\.faults) + shadows.flatMap(\.faults) + replays.prefix(4).flatMap(\.rows)
        }
        fixture.dropTokens()
    }

    @Test("an actor's observer is replayed", arguments: 0..<2 * TestRun.length)
    func actor(_ round: Int) async throws {
        let seed = TestSeed.of(round)
        let fixture = QueueFixture([ReplayCat.self])
        try fixture.run { realm in try realm.write { realm.add(ReplayCat(value: ["id": 0])) } }
        let actor = ReplayActor()
        try await actor.observe(fixture.configuration)
        let random = Mutex(SeededRandom(seed: seed))
        // Waits until the observer has been told of everything.
        func arrive() async throws {
            let wanted = try fixture.run { realm in
                Array(realm.objects(ReplayCat.self).filter("age > 2").sorted(byKeyPath: "name").map(Self.row))
            }
            let isThere = try await eventually { actor.replay.rows == wanted || !actor.replay.faults.isEmpty }
            #expect(isThere && actor.replay.rows == wanted && actor.replay.faults == [], "seed \(seed)")
        }
        for _ in 0..<60 {
            try fixture.run { realm in try realm.write { random.withLock { Self.step(realm, &$0) } } }
            // Otherwise several writes may become one change.
            if random.withLock({ $0.below(3) }) == 0 { try await arrive() }
        }
        try await arrive()
        await actor.end()
    }

    @Test(
        "an observer that writes is told of its own writes, too, and the others' replays go on",
        arguments: 0..<3 * TestRun.length)
    func writers(_ round: Int) throws {
        let seed = TestSeed.of(round)
        let fixture = QueueFixture([ReplayCat.self])
        let other = QueueFixture(beside: fixture)
        let wrote = Atomic(false)
        try fixture.run { realm in try realm.write { realm.add(ReplayCat(value: ["id": 0])) } }
        let replays = try fixture.run { realm in
            var replays = Self.watchAll(realm, fixture)
            let old = realm.objects(ReplayCat.self).filter("age > 6")
            fixture.keep(
                old.observe { change in
                    guard let realm = old.realm, !old.isEmpty else { return }
                    if case .error(let error) = change { Issue.record(error) }
                    // Within `beginWrite` it would change what the other observers see before they are called.
                    guard !realm.isInWriteTransaction else { return }
                    wrote.store(true, ordering: .relaxed)
                    do { try realm.write { for cat in old { cat.age -= 5 } } } catch { Issue.record(error) }
                })
            replays += Self.watch("old", old, fixture)
            return replays
        }
        _ = try fixture.run { $0.refresh() }
        _ = try Self.history(fixture, other, seed) { replays.flatMap(\.faults) }
        // Ensures that an old object exists, whatever the history was.
        try other.run { realm in try realm.write { realm.add(ReplayCat(value: ["id": 10_000, "age": 9])) } }
        _ = try fixture.run { $0.refresh() }
        let faults = replays.flatMap(\.faults)
        #expect(faults == [], "seed \(seed)")
        let hasWritten = wrote.load(ordering: .relaxed)
        #expect(hasWritten, "seed \(seed)")
        fixture.dropTokens()
    }

    @Test("what was frozen along a history stays, and thaws into what is there", arguments: 0..<2 * TestRun.length)
    func frozen(_ round: Int) throws {
        struct Kept {
            let cats: Results<ReplayCat>
            let list: List<ReplayCat>
            let map: Map<String, ReplayCat?>
            let sections: SectionedResults<Int, ReplayCat>
            let object: ReplayCat
            let text: [String]

            init(_ realm: Realm, _ first: ReplayCat, _ filter: Int) {
                let live = realm.objects(ReplayCat.self).where { $0.age > filter }.sorted(byKeyPath: "name")
                cats = live.freeze()
                list = first.friends.freeze()
                map = first.named.freeze()
                sections = live.sectioned(by: { $0.age % 3 }, sortDescriptors: ["age", "id"]).freeze()
                object = first.freeze()
                text = Self.text(cats, list, map, sections, object)
            }

            static func text(
                _ cats: Results<ReplayCat>, _ list: List<ReplayCat>, _ map: Map<String, ReplayCat?>,
                _ sections: SectionedResults<Int, ReplayCat>, _ object: ReplayCat
            ) -> [String] {
                cats.map(ReplayTests.row) + ["|"] + list.map(ReplayTests.row)
                    + map.map { "\($0.key) \($0.value.map(ReplayTests.row) ?? "null")" }
                    + sections.flatMap { ["\($0.key)"] + $0.map(ReplayTests.row) }
                    + [ReplayTests.row(object), "\(Array(object.numbers))", "\(Array(object.kittens.map(\.id)))"]
            }
            var now: [String] { Self.text(cats, list, map, sections, object) }
            var thawed: [String]? {
                guard let cats = cats.thaw(), let list = list.thaw(), let map = map.thaw(),
                    let sections = sections.thaw(), let object = object.thaw()
                else { return nil }
                return Self.text(cats, list, map, sections, object)
            }
        }
        let seed = TestSeed.of(round)
        let fixture = QueueFixture([ReplayCat.self])
        try fixture.run { realm in
            let first = ReplayCat(value: ["id": 0])
            try realm.write { realm.add(first) }
            var random = SeededRandom(seed: seed)
            var kept: [Kept] = []
            for index in 0..<40 {
                if random.oneIn(3) { kept.append(Kept(realm, first, random.below(6))) }
                try realm.write { Self.step(realm, &random) }
                for one in kept { #expect(one.now == one.text, "seed \(seed), step \(index)") }
                if random.oneIn(4), !kept.isEmpty { kept.remove(at: random.below(kept.count)) }
            }
            for one in kept {
                #expect(one.object.isFrozen && one.thawed?.last == "\(Array(first.kittens.map(\.id)))", "seed \(seed)")
                #expect(one.thawed?.filter { $0.hasPrefix("0:") }.allSatisfy { $0 == Self.row(first) } == true)
                #expect(one.list.thaw() == first.friends && one.map.thaw() == first.named)
            }
        }
    }
}
