import Dispatch
import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import PostgresLog

@Suite("Records that gateways share", .enabled(if: PostgresServer.isThere))
struct RecordTests {
    @Test("are stored over the revision that the caller knows, and not over another")
    func revisions() throws {
        let realm = try TestRealm()
        let (log, other) = (try realm.log(), try realm.log())
        defer {
            log.close()
            other.close()
        }
        #expect(try log.record("keys") == nil)
        #expect(try log.store([1], as: "keys", over: nil))
        #expect(try !other.store([2], as: "keys", over: nil))
        #expect(try other.record("keys") == LogRecord(revision: 1, body: [1]))
        let large = [UInt8](repeating: 5, count: 100_000)
        #expect(try other.store(large, as: "keys", over: 1))
        #expect(try !log.store([3], as: "keys", over: 1))
        #expect(try log.record("keys") == LogRecord(revision: 2, body: large))
        #expect(try log.store([], as: "set a b", over: nil))
        #expect(try log.recordRevisions(prefix: "") == ["keys": 2, "set a b": 1])
        #expect(try log.recordRevisions(prefix: "set ") == ["set a b": 1])
        #expect(try !log.deleteRecord("keys", at: 1))
        #expect(try log.deleteRecord("keys", at: 2))
        #expect(try log.deleteRecord("keys", at: 2))
        #expect(try log.recordRevisions(prefix: "") == ["set a b": 1])
        #expect(try TestRealm().log().recordRevisions(prefix: "") == [:])
    }

    @Test("are changed once by each of two writers whose connections are cut at random")
    func cuts() throws {
        let realm = try TestRealm()
        let faults = try SocketFaults(to: realm.server)
        defer { faults.close() }
        let steady = try realm.log()
        defer { steady.close() }
        let logs = [try realm.log(at: faults.address) { $0.usesHints = false }, steady]
        #expect(try steady.store([], as: "marks", over: nil))
        let failure = Mutex<String?>(nil)
        DispatchQueue.concurrentPerform(iterations: 2) { writer in
            var random = SeededRandom.ofTest(writer)
            do {
                var done: UInt8 = 0
                while done < 20 {
                    let known = try #require(try logs[writer].record("marks"))
                    let mark = UInt8(writer) * 100 + done
                    guard !known.body.contains(mark) else {
                        // The outcome was not known, and it was stored.
                        done += 1
                        continue
                    }
                    if writer == 0, done % 2 == 0 {
                        done % 4 == 0
                            ? faults.plan(.cutAfterReceived(Int.random(in: 0..<40, using: &random)))
                            : faults.plan(.cutAfterSent(Int.random(in: 0..<200, using: &random)))
                    }
                    do {
                        if try logs[writer].store(known.body + [mark], as: "marks", over: known.revision) { done += 1 }
                    } catch let error as StoreError where error.code == .logOutcomeUnknown {
                        continue
                    }
                }
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
        }
        logs[0].close()
        #expect(failure.withLock { $0 } == nil)
        #expect(try steady.record("marks")?.body.sorted() == Array(0..<20) + Array(100..<120))
    }
}
