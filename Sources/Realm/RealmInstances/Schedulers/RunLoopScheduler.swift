// The only use of Foundation below the Swift interface: no lighter library has run loops.
import CExecutor
import Foundation
import Glibc

/// A thread, with its run loop if it runs one.
package struct RunLoopScheduler: LiveScheduler {
    /// Identifies a thread for as long as the thread lives; the system reuses thread numbers.
    private final class Mark: Sendable {
        private static let key = {
            var key = pthread_key_t()
            pthread_key_create(&key) { mark in
                set_thread_mark(nil)
                mark.map { Unmanaged<Mark>.fromOpaque($0).release() }
            }
            return key
        }()

        /// The mark of the calling thread, if it exists already.
        static var known: Mark? {
            pthread_getspecific(key).map { Unmanaged<Mark>.fromOpaque($0).takeUnretainedValue() }
        }

        static var current: Mark {
            if let known { return known }
            let made = Mark()
            let address = Unmanaged.passRetained(made).toOpaque()
            pthread_setspecific(key, address)
            set_thread_mark(address)
            return made
        }
    }

    /// A run loop is not Sendable. Other threads only add timers to it, which CoreFoundation does under the loop's
    /// lock.
    private struct Loop: @unchecked Sendable {
        let loop: RunLoop

        func add(_ job: @escaping @Sendable () -> Void) {
            // A block given to `perform` does not wake a sleeping loop; a due timer does.
            loop.add(Timer(timeInterval: 0, repeats: false) { _ in job() }, forMode: .common)
        }
    }

    private let own: Mark
    private let loop: Loop

    /// The scheduler of the calling thread.
    package static var current: RunLoopScheduler {
        RunLoopScheduler(own: .current, loop: Loop(loop: .current))
    }

    package var id: LiveSchedulerID { LiveSchedulerID(own) }
    package var isCurrent: Bool { address == Self.currentMark }
    package var mark: SchedulerMark { .thread(address) }
    private var address: SchedulerMark.Address { SchedulerMark.Address(Unmanaged.passUnretained(own).toOpaque()) }

    /// Identifies the calling thread's scheduler; nil if there is none.
    package static var currentMark: UnsafeRawPointer? { thread_mark() }

    /// The main thread's loop may not run yet, but is expected to run.
    package var canDeliver: Bool { Thread.isMainThread || loop.loop.currentMode != nil }

    private static let main = Loop(loop: .main)

    /// Gives a job to the main thread's loop, if a loop will run there.
    static func addToMain(_ job: @escaping @Sendable () -> Void) { main.add(job) }

    package func run(_ job: @escaping @Sendable () -> Void) { loop.add(job) }
}
