import Dispatch
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import Testing

/// Processing changes together while observers are costly.
struct PauseTests {
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
                live?.pause(nanoseconds: nanoseconds)
                gate.arrive()
            }
        }
    }

    @Test("commits during a rest are reported together when it is over")
    func together() throws {
        let tasks = try TaskStore()
        let resting = Resting()
        let rest: UInt64 = 200_000_000
        let start = DispatchTime.now().uptimeNanoseconds
        let token = resting.observe(tasks.live, resting: Int(rest))
        resting.gate.waitForArrival()
        for id in 0..<20 { try tasks.store.write { try $0.task(Int64(id), 1) } }
        resting.gate.waitForArrival()
        tasks.live.settle()
        // However slow this thread is, between two events is a rest. Only a commit that comes while an event is
        // delivered does not wait for the rest that this event asks for.
        let rests = Int((DispatchTime.now().uptimeNanoseconds - start) / rest)
        #expect(resting.versions.withLock { $0.count } <= 2 * rests + 4)
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
