import Dispatch
import HTTPServer
import ObjectCoding
import Synchronization
import Testing

@testable import FairScheduling

@Suite("the workers' turns")
struct WorkerPoolTests {
    @Test("while a request rests, whatever runs for it on other threads is to rest as well, and goes on with it")
    func rests() {
        let pool = WorkerPool(
            count: 1, begun: 4, limit: 4, perCaller: 4, slice: 50_000_000,
            WorkerPool.Names(limited: .queriesLimited, busy: .gatewayBusy, work: "", remedy: "", setting: ""))
        let first = Mutex<RequestPace?>(nil)
        let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isAsked = Atomic(false)
        let asksAfterwards = Atomic(true)
        pool.run(for: .caller("long")) {
            guard let work = RequestPace.current else { return }
            first.withLock { $0 = work }
            began.signal()
            // Until it has paused once.
            while work.paused == .zero {
                if work.mustPause { work.pause() }
            }
            // The clock may have requested another pause meanwhile.
            if work.mustPause { work.pause() }
            asksAfterwards.store(work.mustPause, ordering: .relaxed)
            ended.signal()
        }
        began.wait()
        // On a busy machine the first may pass no checkpoint for so long that another runs beside it: then repeat.
        let shortEnded = DispatchSemaphore(value: 0)
        repeat {
            pool.run(for: .caller("short")) {
                isAsked.store(first.withLock { $0?.mustPause } ?? false, ordering: .relaxed)
                shortEnded.signal()
            }
            shortEnded.wait()
        } while ended.wait(timeout: .now() + .milliseconds(100)) == .timedOut
        let (rested, goesOn) = (isAsked.load(ordering: .relaxed), !asksAfterwards.load(ordering: .relaxed))
        #expect(rested, "other threads of the request went on while it rested")
        #expect(goesOn)
    }
}
