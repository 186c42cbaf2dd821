import RealmSwift
import StoreTesting
import Synchronization
import Testing
import TestBasics

/// Observers of equal results share what is kept current for them, and are each told what is their own.
@Suite("Observers of equal results")
struct SharedResultsTests {
    private struct Watcher {
        let query: Int
        let replay: Replay
        let token: NotificationToken
    }

    private static func results(_ query: Int, _ realm: Realm) -> Results<ReplayCat> {
        let cats = realm.objects(ReplayCat.self)
        return switch query {
        case 0: cats
        case 1: cats.where { $0.age > 3 }.sorted(byKeyPath: "name")
        default: cats.filter("mother.age > 2").sorted(byKeyPath: "age", ascending: false)
        }
    }

    private static func watch(_ query: Int, _ realm: Realm) -> Watcher {
        let replay = Replay("query \(query)")
        let token = results(query, realm).observe { change in
            switch change {
            case .initial(let now): replay.begin(now.map(ReplayTests.row))
            case .update(let now, let deletions, let insertions, let modifications):
                replay.apply(deletions, insertions, modifications, now.map(ReplayTests.row), complete: true)
            case .error(let error): Issue.record(error)
            }
        }
        return Watcher(query: query, replay: replay, token: token)
    }

    @Test(
        "what each of them was told adds up to a fresh query, also where a write leaves some of them out",
        arguments: 0..<3 * TestRun.length)
    func histories(_ round: Int) throws {
        let seed = TestSeed.of(round)
        let random = Mutex(SeededRandom(seed: seed))
        let fixture = QueueFixture([ReplayCat.self])
        let other = QueueFixture(beside: fixture)
        try fixture.run { realm in try realm.write { realm.add(ReplayCat(value: ["id": 0])) } }
        let watchers = try fixture.run { realm in (0..<12).map { Self.watch($0 % 3, realm) } }
        _ = try fixture.run { $0.refresh() }
        for step in 0..<60 {
            let choice = random.withLock { $0.below(8) }
            if choice < 4 {
                try fixture.run { realm in
                    let muted = watchers.filter { _ in random.withLock { $0.below(2) } == 0 }
                    realm.beginWrite()
                    random.withLock { ReplayTests.step(realm, &$0) }
                    try realm.commitWrite(withoutNotifying: muted.map(\.token))
                    for watcher in muted {
                        watcher.replay.begin(Self.results(watcher.query, realm).map(ReplayTests.row))
                    }
                }
            } else {
                try other.run { realm in
                    realm.beginWrite()
                    random.withLock { ReplayTests.step(realm, &$0) }
                    try realm.commitWrite()
                }
            }
            guard choice != 0, choice != 7 else { continue }
            try fixture.run { realm in
                realm.refresh()
                // The next write delivers first what was left for a later turn.
                realm.beginWrite()
                realm.cancelWrite()
                for watcher in watchers {
                    let fresh = Array(Self.results(watcher.query, realm).map(ReplayTests.row))
                    #expect(watcher.replay.rows == fresh, "seed \(seed), step \(step): \(watcher.replay.label)")
                }
            }
            let faults = watchers.flatMap(\.replay.faults)
            guard faults.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(faults)")
                break
            }
        }
        for watcher in watchers { watcher.token.invalidate() }
    }
}
