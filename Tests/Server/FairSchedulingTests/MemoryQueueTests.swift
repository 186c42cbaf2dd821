import HTTPServer
import Synchronization
import TestBasics
import Testing

@testable import FairScheduling

@Suite("Memory in turn")
struct MemoryQueueTests {
    private final class Shares: Sendable {
        private let all = Mutex<[String: MemoryQueue.Share]>([:])
        private let order = Mutex<[String]>([])

        var begun: [String] { order.withLock { $0 } }

        func add(_ name: String, _ share: MemoryQueue.Share) {
            order.withLock { $0.append(name) }
            all.withLock { $0[name] = share }
        }

        func drop(_ name: String) {
            // The share is released outside of the lock: others begin then.
            let share = all.withLock { $0.removeValue(forKey: name) }
            withExtendedLifetime(share) {}
        }
    }

    @Test("work waits for its share, who has least comes first, and nobody overtakes the next one")
    func turns() {
        let freed = Atomic(0)
        let queue = MemoryQueue(limit: 100 << 20) { freed.add(1, ordering: .relaxed) }
        let shares = Shares()
        func ask(_ name: String, _ megabytes: Int, _ caller: String) {
            queue.await(megabytes << 20, for: .caller(caller)) { shares.add(name, $0) }
        }
        ask("a1", 60, "a")
        ask("a2", 50, "a")
        ask("a3", 1, "a")
        ask("b1", 50, "b")
        // The last two would fit: the first waits for more, and the second for the first.
        #expect(shares.begun == ["a1"])
        #expect(queue.reserve(1, for: .caller("c")) == nil)
        shares.drop("a1")
        #expect(shares.begun == ["a1", "a2", "b1"])
        shares.drop("a2")
        #expect(shares.begun == ["a1", "a2", "b1", "a3"])
        shares.drop("b1")
        shares.drop("a3")
        #expect(queue.bytes == 0)
        // One mebibyte is not worth returning.
        #expect(freed.load(ordering: .relaxed) == 3)
    }

    @Test("a thread waits for its share until it is told to end, and work that must not wait makes others wait")
    func threads() throws {
        struct Ended: Error {}
        let queue = MemoryQueue(limit: 100)
        var first: MemoryQueue.Share? = try queue.wait(60, for: .caller("a")) { throw Ended() }
        // It ends at its first look around; its share, which comes later, is released.
        #expect(throws: Ended.self) { _ = try queue.wait(60, for: .caller("b")) { throw Ended() } }
        #expect(queue.bytes == 60)
        withExtendedLifetime(first) { first = nil }
        #expect(queue.bytes == 0)
        var seized: MemoryQueue.Share? = queue.seize(90, for: .caller("a"))
        let more = queue.seize(90, for: .caller("a"))
        #expect(queue.bytes == 180)
        #expect(queue.reserve(5, for: .caller("b")) == nil)
        withExtendedLifetime(seized) { seized = nil }
        // Another thread gets the share that this one waits for.
        let waited = try queue.wait(10, for: .caller("b")) {}
        #expect(queue.bytes == 100)
        withExtendedLifetime((more, waited)) {}
    }

    @Test("work that needs more than all of it runs alone")
    func alone() {
        let queue = MemoryQueue(limit: 100)
        let shares = Shares()
        queue.await(10, for: .caller("a")) { shares.add("small", $0) }
        queue.await(1000, for: .caller("b")) { shares.add("large", $0) }
        #expect(shares.begun == ["small"])
        shares.drop("small")
        #expect(shares.begun == ["small", "large"])
        #expect(queue.reserve(1, for: .caller("a")) == nil)
        shares.drop("large")
        #expect(queue.reserve(1, for: .caller("a")) != nil)
    }

    @Test("any order of waiting and giving back ends with nothing in use, and with all work done")
    func random() {
        var random = SeededRandom.ofTest()
        let queue = MemoryQueue(limit: 50)
        let shares = Shares()
        var open: Set<String> = []
        for number in 0..<500 {
            let name = "\(number)"
            open.insert(name)
            queue.await(1 + random.below(70), for: .caller("\(random.below(4))")) { shares.add(name, $0) }
            while random.oneIn(2), let one = shares.begun.first(where: { open.contains($0) }) {
                open.remove(one)
                shares.drop(one)
            }
        }
        while let one = shares.begun.first(where: { open.contains($0) }) {
            open.remove(one)
            shares.drop(one)
        }
        #expect(open.isEmpty && queue.bytes == 0 && shares.begun.count == 500, "seed \(random.seed)")
    }
}
