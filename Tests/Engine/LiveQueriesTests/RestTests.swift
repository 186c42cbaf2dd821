import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import Testing

/// Processing changes together while observers are costly.
struct RestTests {
    /// Requests a rest at each event, and records the versions.
    private final class Resting: Sendable {
        let versions = Mutex<[Version]>([])
        let gate = Gate()

        func observe(_ live: LiveQueries, resting nanoseconds: Int) -> LiveToken {
            live.observe(BoundQuery(classID: TaskStore.task)) { [self, weak live] event in
                switch event {
                case .initial(let snapshot, _): versions.withLock { $0.append(snapshot.version) }
                case .update(let change): versions.withLock { $0.append(change.version) }
                case .resumed, .deleted, .failed: break
                }
                live?.rest(nanoseconds: nanoseconds)
                gate.arrive()
            }
        }
    }

    @Test("commits during a rest are reported together when it is over")
    func together() throws {
        let tasks = try TaskStore()
        let resting = Resting()
        let token = resting.observe(tasks.live, resting: 50_000_000)
        resting.gate.waitForArrival()
        for id in 0..<20 { try tasks.store.write { try $0.task(Int64(id), 1) } }
        resting.gate.waitForArrival()
        tasks.live.settle()
        // However slow this thread is, not every commit has a rest of its own.
        #expect(resting.versions.withLock { $0.count } < 20)
        #expect(try resting.versions.withLock { $0.last } == tasks.store.snapshot().version)
        token.cancel()
    }

    @Test("an observer that joins does not wait for the end of a rest")
    func joining() throws {
        let tasks = try TaskStore()
        let resting = Resting()
        let token = resting.observe(tasks.live, resting: 3_600_000_000_000)
        resting.gate.waitForArrival()
        try tasks.store.write { try $0.task(1, 1) }
        #expect(resting.versions.withLock { $0.count } == 1)
        let other = Resting()
        let second = other.observe(tasks.live, resting: 0)
        other.gate.waitForArrival()
        #expect(other.versions.withLock { $0 } == [Version(2)])
        #expect(resting.versions.withLock { $0 } == [Version(1), Version(2)])
        token.cancel()
        second.cancel()
    }
}
