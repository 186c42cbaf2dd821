import Foundation
import RealmSwift
import StoreTesting
import Synchronization
import Testing
import TestBasics

final class ReplayCat: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var friends: List<ReplayCat>
    @Persisted var rivals: MutableSet<ReplayCat>
    @Persisted var named: Map<String, ReplayCat?>
    @Persisted var numbers: List<Int>
    @Persisted var mother: ReplayCat?
    @Persisted(originProperty: "mother") var kittens: LinkingObjects<ReplayCat>
}

/// The state of an observer according to the reported changes only.
final class Replay: Sendable {
    let label: String
    private let state = Mutex<(rows: [String], faults: [String], calls: Int)>(([], [], 0))

    init(_ label: String) { self.label = label }

    var rows: [String] { state.withLock { $0.rows } }
    var faults: [String] { state.withLock { $0.faults } }
    var calls: Int { state.withLock { $0.calls } }

    func begin(_ rows: [String]) { update { $0.rows = rows } }

    /// Applies a change. `complete` says that every difference must be reported, as without key paths.
    func apply(
        _ deletions: [Int], _ insertions: [Int], _ modifications: [Int], _ now: [String], complete: Bool,
        _ identity: (String) -> Substring = { $0.prefix { $0 != ":" } }
    ) {
        update { state in
            if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty {
                state.faults.append("\(label): told of nothing")
            }
            for positions in [deletions, insertions, modifications] where positions != positions.sorted() {
                state.faults.append("\(label): \(positions) are not ascending")
            }
            for position in modifications where !state.rows.indices.contains(position) || deletions.contains(position) {
                state.faults.append("\(label): no modification at \(position)")
            }
            // Deletions and modifications are positions in the old state, insertions in the new one.
            var rows = state.rows.enumerated().map { (row: $1, isReported: modifications.contains($0)) }
            for position in deletions.reversed() {
                guard rows.indices.contains(position) else {
                    return state.faults.append("\(label): nothing to delete at \(position)")
                }
                rows.remove(at: position)
            }
            for position in insertions {
                guard position <= rows.count, position < now.count else {
                    return state.faults.append("\(label): nothing to insert at \(position)")
                }
                rows.insert((now[position], true), at: position)
            }
            guard rows.map({ identity($0.row) }) == now.map(identity) else {
                return state.faults.append("\(label): \(rows) after the change, and \(now) in the collection")
            }
            if complete {
                for (old, new) in zip(rows, now) where old.row != new && !old.isReported {
                    state.faults.append("\(label): \(old.row) became \(new) untold")
                }
            }
            state.rows = now
        }
    }

    private func update(_ body: (inout (rows: [String], faults: [String], calls: Int)) -> Void) {
        state.withLock {
            $0.calls += 1
            body(&$0)
        }
    }
}

/// Replays the reported changes of random histories, written by the observers' place and by another one.
@Suite("Replaying what observers are told")
struct ReplayTests {
    static func row(_ cat: ReplayCat) -> String {
        cat.isInvalidated ? "gone" : "\(cat.id):\(cat.name),\(cat.age),\(cat.mother?.id ?? -1)"
    }

    /// Observes the collection with and without key paths.
    static func watch<C: RealmCollection>(_ label: String, _ collection: C, _ fixture: QueueFixture) -> [Replay]
    where C.Element == ReplayCat {
        [nil, ["age"]].map { keyPaths in
            let replay = Replay(keyPaths == nil ? label : "\(label), age alone")
            fixture.keep(
                collection.observe(keyPaths: keyPaths, on: nil) { change in
                    switch change {
                    case .initial(let now): replay.begin(now.map(row))
                    case .update(let now, let deletions, let insertions, let modifications):
                        replay.apply(deletions, insertions, modifications, now.map(row), complete: keyPaths == nil)
                    case .error(let error): Issue.record(error)
                    }
                })
            return replay
        }
    }

    static func watchAll(_ realm: Realm, _ fixture: QueueFixture) -> [Replay] {
        let cats = realm.objects(ReplayCat.self)
        guard let first = realm.object(ofType: ReplayCat.self, forPrimaryKey: 0) else { return [] }
        var replays = watch("all", cats, fixture)
        replays += watch("filtered", cats.where { $0.age > 3 }.sorted(byKeyPath: "name"), fixture)
        replays += watch("by the mother", cats.filter("mother.age > 2").sorted(byKeyPath: "age"), fixture)
        replays += watch("distinct", cats.sorted(byKeyPath: "id").distinct(by: ["age"]), fixture)
        replays += watch("list", first.friends, fixture)
        replays += watch("filtered list", first.friends.filter("age < 5"), fixture)
        replays += watch("set", first.rivals, fixture)
        replays += watch("kittens", first.kittens, fixture)
        let map = Replay("map")
        fixture.keep(
            first.named.observe { change in
                func rows(_ now: Map<String, ReplayCat?>) -> [String] {
                    now.map { "\($0.key):\($0.value.map(row) ?? "null")" }
                }
                switch change {
                case .initial(let now): map.begin(rows(now))
                case .update(let now, let deletions, let insertions, let modifications):
                    let old = map.rows.map { String($0.prefix { $0 != ":" }) }
                    map.apply(
                        deletions.compactMap { old.firstIndex(of: $0) }.sorted(),
                        insertions.compactMap { now.keys.firstIndex(of: $0) }.sorted(),
                        modifications.compactMap { old.firstIndex(of: $0) }.sorted(), rows(now), complete: true)
                case .error(let error): Issue.record(error)
                }
            })
        let numbers = Replay("numbers")
        fixture.keep(
            first.numbers.observe { change in
                switch change {
                case .initial(let now): numbers.begin(now.map(String.init))
                case .update(let now, let deletions, let insertions, let modifications):
                    // A replaced value is reported as a modification of its position.
                    numbers.apply(
                        deletions, insertions, modifications, now.map(String.init), complete: true
                    ) { _ in "" }
                case .error(let error): Issue.record(error)
                }
            })
        return replays + [map, numbers, watchSections(cats, fixture)]
    }

    /// Sections as rows: a row for each section, and one for each of its objects.
    static func watchSections<C: RealmCollection>(_ cats: C, _ fixture: QueueFixture) -> Replay
    where C.Element == ReplayCat {
        let replay = Replay("sections")
        let sections = cats.sectioned(by: { $0.age % 4 }, sortDescriptors: ["age", "id"])
        let seen = Mutex<[[String]]>([])
        fixture.keep(
            sections.observe { change in
                func rows(_ now: SectionedResults<Int, ReplayCat>) -> [[String]] {
                    now.map { ["\($0.key)"] + $0.map(row) }
                }
                switch change {
                case .initial(let now):
                    seen.withLock { $0 = rows(now) }
                    replay.begin([])
                case .update(
                    let now, let deletions, let insertions, let modifications, let sectionsToInsert,
                    let sectionsToDelete):
                    let now = rows(now)
                    let told = seen.withLock { seen -> [[String]] in
                        let modified = modifications.map { (key: seen[$0.section][0], item: $0.item) }
                        for path in deletions.sorted().reversed() { seen[path.section].remove(at: path.item + 1) }
                        for index in sectionsToDelete.sorted().reversed() { seen.remove(at: index) }
                        for index in sectionsToInsert.sorted() { seen.insert([now[index][0]], at: index) }
                        for path in insertions.sorted() {
                            seen[path.section].insert(now[path.section][path.item + 1], at: path.item + 1)
                        }
                        // A modified row is read again at its number, which is the same before and after.
                        for (key, item) in modified {
                            guard let section = seen.firstIndex(where: { $0[0] == key }) else { continue }
                            seen[section][item + 1] = now[section][item + 1]
                        }
                        defer { seen = now }
                        return seen
                    }
                    func identities(_ rows: [[String]]) -> [String] {
                        rows.flatMap { $0.map { String($0.prefix { $0 != ":" }) } + ["|"] }
                    }
                    replay.begin(
                        identities(told) == identities(now) ? [] : ["told \(identities(told)), is \(identities(now))"])
                }
            })
        return replay
    }

    static func step(_ realm: Realm, _ random: inout SeededRandom) {
        func any() -> ReplayCat? {
            let cats = realm.objects(ReplayCat.self)
            return cats.isEmpty ? nil : cats[random.below(cats.count)]
        }
        guard let first = realm.object(ofType: ReplayCat.self, forPrimaryKey: 0) else { return }
        for _ in 0...random.below(4) {
            switch random.below(16) {
            case 0, 1, 2:
                let cat = realm.create(
                    ReplayCat.self,
                    value: ["id": 1 + random.below(40), "name": "n\(random.below(9))", "age": random.below(9)],
                    update: .modified)
                if random.below(2) == 0 { first.friends.append(cat) }
            case 3: any().map { if $0.id != 0 { realm.delete($0) } }
            case 4: any()?.age = random.below(9)
            case 5: any()?.name = "n\(random.below(9))"
            case 6: any()?.mother = random.below(3) == 0 ? nil : any()
            case 7: any()?.mother = first
            case 8: if let cat = any() { first.friends.insert(cat, at: random.below(first.friends.count + 1)) }
            case 9: if !first.friends.isEmpty { first.friends.remove(at: random.below(first.friends.count)) }
            case 10:
                if first.friends.count > 1 {
                    first.friends.move(
                        from: random.below(first.friends.count), to: random.below(first.friends.count))
                }
            case 11: if let cat = any() { first.rivals.insert(cat) }
            case 12: if let cat = any() { first.rivals.remove(cat) }
            case 13: first.named["k\(random.below(5))"] = .some(any())
            case 14: first.named["k\(random.below(5))"] = nil
            default:
                let count = first.numbers.count
                switch random.below(count == 0 ? 1 : 3) {
                case 0: first.numbers.insert(random.below(5), at: random.below(count + 1))
                case 1: first.numbers.remove(at: random.below(count))
                default: first.numbers[random.below(count)] = random.below(5)
                }
            }
        }
    }

    /// Writes in both places, with each write visible in the first one, until there is a difference. Returns whether
    /// there was none.
    static func history(_ fixture: QueueFixture, _ other: QueueFixture, _ seed: UInt64, faults: () -> [String]) throws
        -> Bool
    {
        let random = Mutex(SeededRandom(seed: seed))
        for index in 0..<40 {
            let choice = random.withLock { $0.below(8) }
            try (choice < 4 ? fixture : other).run { realm in
                realm.beginWrite()
                random.withLock { Self.step(realm, &$0) }
                if choice == 3 { realm.cancelWrite() } else { try realm.commitWrite() }
            }
            guard choice != 7 else { continue }
            _ = try fixture.run { $0.refresh() }
            let faults = faults()
            guard faults.isEmpty else {
                Issue.record("seed \(seed), step \(index): \(faults)")
                return false
            }
        }
        return true
    }

    @Test("changes lead from each state to the next, whoever wrote them", arguments: 0..<3 * TestRun.length)
    func histories(_ round: Int) throws {
        let seed = TestSeed.of(round)
        let fixture = QueueFixture([ReplayCat.self])
        let other = QueueFixture(beside: fixture)
        try fixture.run { realm in try realm.write { realm.add(ReplayCat(value: ["id": 0])) } }
        let replays = try fixture.run { realm in Self.watchAll(realm, fixture) }
        _ = try fixture.run { $0.refresh() }
        guard try Self.history(fixture, other, seed, faults: { replays.flatMap(\.faults) }) else { return }
        _ = try fixture.run { realm in
            realm.refresh()
            guard let first = realm.object(ofType: ReplayCat.self, forPrimaryKey: 0) else { return }
            let now = [
                "all": realm.objects(ReplayCat.self).map(Self.row), "list": first.friends.map(Self.row),
                "set": first.rivals.map(Self.row), "kittens": first.kittens.map(Self.row),
                "numbers": first.numbers.map(String.init),
            ]
            for (label, rows) in now {
                let replay = replays.first { $0.label == label }
                #expect(replay?.rows == Array(rows), "seed \(seed): \(label)")
            }
            #expect(replays.last?.rows == [], "seed \(seed)")
        }
        if TestRun.hasFixedSeeds { #expect(replays.allSatisfy { $0.calls > 0 }, "seed \(seed)") }
        fixture.dropTokens()
    }
}
