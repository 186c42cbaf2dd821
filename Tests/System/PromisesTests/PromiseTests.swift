import Dispatch
import Promises
import Synchronization
import Testing

@Suite("promises")
struct PromiseTests {
    @Test("the first value counts, and others are not taken")
    func first() {
        let promise = Promise<Int>()
        #expect(promise.value == nil)
        #expect(promise.set(1))
        #expect(!promise.set(2))
        #expect(promise.value == 1)
        #expect(promise.wait() == 1)
        #expect(promise.wait(seconds: 0) == 1)
    }

    @Test("of many threads that set it one does, and all who wait get that one's value", .timeLimit(.minutes(10)))
    func race() {
        for _ in 0..<200 {
            let promise = Promise<Int>()
            let got = Mutex<[Int]>([])
            let winners = Mutex<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                if number < 4 {
                    if promise.set(number) { winners.withLock { $0.append(number) } }
                } else {
                    let value = promise.wait()
                    got.withLock { $0.append(value) }
                }
            }
            let won = winners.withLock { $0 }
            #expect(won.count == 1)
            #expect(got.withLock { $0 } == Array(repeating: won.first ?? -1, count: 4))
        }
    }

    @Test("what was done before the value was set is visible to who waited for it", .timeLimit(.minutes(10)))
    func visible() {
        final class Written: @unchecked Sendable {
            // Sendable: written before the promise is set and read after it was waited for.
            var number = 0
        }
        for round in 1...500 {
            let (written, promise) = (Written(), Promise<Void>())
            DispatchQueue.global().async {
                written.number = round
                promise.set(())
            }
            promise.wait()
            #expect(written.number == round)
        }
    }

    @Test("calls are made once, in their order: where the value is set, and at once when it is there")
    func calls() {
        let promise = Promise<String>()
        let calls = Mutex<[String]>([])
        for name in ["a", "b"] { promise.whenSet { value in calls.withLock { $0.append(name + value) } } }
        #expect(calls.withLock { $0 }.isEmpty)
        promise.set("1")
        promise.set("2")
        promise.whenSet { value in calls.withLock { $0.append("c" + value) } }
        #expect(calls.withLock { $0 } == ["a1", "b1", "c1"])
    }

    @Test("a call may set, read and wait for the same promise")
    func reentrance() {
        let promise = Promise<Int>()
        let seen = Mutex<[Int]>([])
        promise.whenSet { [weak promise] value in
            guard let promise else { return }
            #expect(!promise.set(9))
            seen.withLock { $0 += [value, promise.wait()] }
        }
        promise.set(3)
        #expect(seen.withLock { $0 } == [3, 3])
    }

    @Test("who waits too long gets nothing, and the value when it comes later")
    func timeout() {
        let promise = Promise<Int>()
        #expect(promise.wait(seconds: 0.01) == nil)
        promise.set(5)
        #expect(promise.wait(seconds: 0.01) == 5)
    }

    @Test("tasks wait without a thread, and get a failure as any value", .timeLimit(.minutes(10)))
    func tasks() async {
        let promise = Promise<Result<Int, any Error>>()
        let values = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { if case .failure(is CancellationError) = await promise.get() { true } else { false } }
            }
            group.addTask { promise.set(.failure(CancellationError())) }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(values == Array(repeating: true, count: 101))
    }
}
