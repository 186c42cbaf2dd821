import Glibc
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import TestBasics
import Testing

/// Costly views leave a thread that many share.
@Suite("A shared thread")
struct SharedThreadTests {
    private let tasks = try? TaskStore()
    private let query = BoundQuery(classID: TaskStore.task)

    @Test("ends the costliest views after a commit that took too long; a branch goes on from there without a gap")
    func upkeep() throws {
        let tasks = try #require(tasks)
        let shared = try LiveQueries(tasks.store, .shared(patience: 0) { nil })
        let ended = Recorder()
        let token = shared.observe(query, deliver: ended.receive)
        shared.settle()
        try tasks.write { try $0.task(1, 1) }
        shared.settle()
        #expect(ended.isOverloaded && ended.changes.count == 1)
        let (since, keys) = (try #require(ended.version), try #require(ended.keys))
        try tasks.write { try $0.task(2, 2) }

        let branch = try shared.branch(.alone())
        let moved = Recorder(resuming: since, from: keys)
        let other = branch.observe(query, since: since, deliver: moved.receive)
        branch.settle()
        #expect(moved.hasResumed && moved.keys?.count == 2)
        try tasks.write { try $0.task(3, 3) }
        shared.settle()
        branch.settle()
        #expect(moved.keys?.count == 3 && moved.faults == [] && ended.keys?.count == 1 && ended.faults == [])
        withExtendedLifetime((token, other)) {}
    }

    @Test("does not get commits for branches that nobody has any more")
    func released() throws {
        let tasks = try #require(tasks)
        let shared = try LiveQueries(tasks.store, .shared(patience: .max) { nil })
        weak var last: LiveQueries?
        do {
            let branch = try shared.branch(.alone())
            last = branch
            let recorder = Recorder()
            let token = branch.observe(query, deliver: recorder.receive)
            try tasks.write { try $0.task(1, 1) }
            shared.settle()
            branch.settle()
            #expect(recorder.keys?.count == 1)
            withExtendedLifetime(token) {}
        }
        // The thread may still be about to forget the observer.
        #expect(eventually { last == nil })
    }
}
