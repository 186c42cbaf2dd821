import Promises
import Synchronization
import Testing

@Suite("gathered wake-ups")
struct WakeUpsTests {
    private final class Counter: Sleeper {
        let count = Mutex(0)
        var woken: Int { count.withLock { $0 } }
        func wake() { count.withLock { $0 += 1 } }
    }

    private struct Failure: Error {}

    @Test("outside of a call that gathers each wakes at once")
    func alone() {
        let sleeper = Counter()
        WakeUps.wake(sleeper)
        WakeUps.wake(sleeper)
        #expect(sleeper.woken == 2)
    }

    @Test("within it each sleeper is woken once, at the end of the outermost call, also when that throws")
    func gathered() throws {
        let (one, other) = (Counter(), Counter())
        WakeUps.gather {
            for _ in 0..<10 { WakeUps.wake(one) }
            WakeUps.gather { WakeUps.wake(other) }
            #expect(one.woken == 0)
            #expect(other.woken == 0)
        }
        #expect(one.woken == 1)
        #expect(other.woken == 1)
        #expect(throws: Failure.self) {
            try WakeUps.gather {
                WakeUps.wake(one)
                throw Failure()
            }
        }
        #expect(one.woken == 2)
    }

    @Test("a task that was begun within the call and outlives it wakes at once")
    func outlived() async {
        let sleeper = Counter()
        let begin = Promise<Void>()
        let task = WakeUps.gather {
            Task {
                await begin.get()
                WakeUps.wake(sleeper)
                return sleeper.woken
            }
        }
        #expect(sleeper.woken == 0)
        begin.set(())
        #expect(await task.value == 1)
    }
}
