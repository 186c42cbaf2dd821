import Dispatch
import Foundation
import HTTPServer
import ObjectCoding
import StoreContract
import Synchronization
import TestBasics
import Testing

@testable import FairScheduling

/// The time of these pools passes only when a test says so.
@Suite("the workers' turns")
struct WorkerPoolTests {
    /// A clock that the test sets, in nanoseconds.
    private final class Clock: Sendable {
        private let time = Atomic<Int64>(0)
        var now: Int64 { time.load(ordering: .sequentiallyConsistent) }
        func pass(_ nanoseconds: Int64) { time.add(nanoseconds, ordering: .sequentiallyConsistent) }
    }

    private static let slice: Int64 = 1_000_000
    private static let hour: Int64 = 3_600_000_000_000

    /// Runs one job at a time.
    private static func pool(_ clock: Clock) -> WorkerPool {
        WorkerPool(
            count: 1, begun: 4, limit: 4, perCaller: 4, slice: slice,
            WorkerPool.Names(limited: .queriesLimited, busy: .gatewayBusy, work: "", remedy: "", setting: ""),
            clock: { clock.now })
    }

    @Test("the work of a request ends soon after its client has left")
    func leaves() throws {
        let client = ClientPresence()
        let request = RequestPace(.caller("a"))
        request.isFor(client)
        let budget = QueryBudget(rows: nil, milliseconds: nil, pace: request)
        for _ in 0..<10_000 { try budget.spend(1) }
        try budget.checkWanted()
        client.leave()
        #expect(throws: StoreError.abandoned) { try budget.checkWanted() }
        #expect(throws: StoreError.abandoned) {
            for _ in 0..<5_000 { try budget.spend(1) }
        }
    }

    @Test("while a request rests, whatever runs for it on other threads is to rest as well, and goes on with it")
    func rests() {
        let clock = Clock()
        let pool = Self.pool(clock)
        let first = Mutex<RequestPace?>(nil)
        let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isAsked = Atomic(false)
        let asksAfterwards = Atomic(true)
        pool.run(for: .caller("long")) {
            guard let work = RequestPace.current else { return }
            first.withLock { $0 = work }
            began.signal()
            while !work.mustPause {}
            work.pause()
            asksAfterwards.store(work.mustPause, ordering: .sequentiallyConsistent)
            ended.signal()
        }
        began.wait()
        pool.run(for: .caller("short")) {
            isAsked.store(first.withLock { $0?.mustPause } ?? false, ordering: .sequentiallyConsistent)
        }
        clock.pass(Self.slice)
        ended.wait()
        let (rested, goesOn) = (
            isAsked.load(ordering: .sequentiallyConsistent), !asksAfterwards.load(ordering: .sequentiallyConsistent)
        )
        #expect(rested, "other threads of the request went on while it rested")
        #expect(goesOn)
    }

    @Test("a thread that rests for a request whose job ends goes on, such as one that produces the body of its answer")
    func leftBehind() throws {
        let clock = Clock()
        let pool = Self.pool(clock)
        let first = Mutex<RequestPace?>(nil)
        let (began, end, otherBegan, otherEnd) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0),
            DispatchSemaphore(value: 0)
        )
        pool.run(for: .caller("long")) {
            first.withLock { $0 = RequestPace.current }
            began.signal()
            end.wait()
        }
        began.wait()
        let work = try #require(first.withLock { $0 })
        pool.run(for: .caller("other")) {
            otherBegan.signal()
            otherEnd.wait()
        }
        clock.pass(Self.slice)
        let goesOn = Atomic(false)
        Thread.detachNewThread {
            work.pause()
            goesOn.store(true, ordering: .sequentiallyConsistent)
        }
        // It has passed the permit on.
        otherBegan.wait()
        end.signal()
        #expect(eventually { goesOn.load(ordering: .sequentiallyConsistent) })
        otherEnd.signal()
        #expect(eventually { pool.length == 0 })
    }

    @Test("resting takes nothing from a query's time")
    func time() {
        let clock = Clock()
        let pool = Self.pool(clock)
        let outcome = Mutex<[String]>([])
        let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        pool.run(for: .caller("long")) {
            guard let work = RequestPace.current else { return }
            let budget = QueryBudget(rows: nil, milliseconds: 50, pace: work) { clock.now }
            func lookAtTheTime(_ name: String) {
                do {
                    try budget.spend(5_000)
                } catch {
                    outcome.withLock { $0.append("\(name): \(error.code)") }
                }
            }
            lookAtTheTime("begun")
            began.signal()
            while work.paused == .zero { lookAtTheTime("resting") }
            lookAtTheTime("rested")
            clock.pass(50_000_000)
            lookAtTheTime("late")
            outcome.withLock { $0.append("\(work.paused)") }
            ended.signal()
        }
        began.wait()
        pool.run(for: .caller("other")) { clock.pass(Self.hour) }
        clock.pass(Self.slice)
        ended.wait()
        #expect(outcome.withLock { $0 } == ["late: \(StoreError.Code.tooExpensive)", "\(Duration.seconds(3600))"])
    }
}
