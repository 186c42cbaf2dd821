// The one place for Foundation below the Swift interface: run loops are its own, and nothing lighter has them.
import Foundation
import Glibc
package import LiveQueries

/// A thread, and its run loop if it runs one.
package struct RunLoopScheduler: LiveScheduler {
    /// Stands for a thread as long as that lives; numbers of threads are used again.
    private final class Mark: Sendable {
        private static let key = {
            var key = pthread_key_t()
            pthread_key_create(&key) { mark in mark.map { Unmanaged<Mark>.fromOpaque($0).release() } }
            return key
        }()

        /// The calling thread's, if it was asked for before.
        static var known: Mark? {
            pthread_getspecific(key).map { Unmanaged<Mark>.fromOpaque($0).takeUnretainedValue() }
        }

        /// The same without holding it: this is asked with every value that is read.
        static var place: UnsafeRawPointer? { pthread_getspecific(key).map { UnsafeRawPointer($0) } }

        static var current: Mark {
            if let known { return known }
            let made = Mark()
            pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
            return made
        }
    }

    /// A run loop is not Sendable. Only timers are added to it from other threads, which CoreFoundation does
    /// under the loop's lock.
    private struct Loop: @unchecked Sendable {
        let loop: RunLoop

        func add(_ job: @escaping @Sendable () -> Void) {
            // A block given to `perform` does not wake a sleeping loop; a timer that is due does.
            loop.add(Timer(timeInterval: 0, repeats: false) { _ in job() }, forMode: .common)
        }
    }

    private let mark: Mark
    private let loop: Loop

    /// The calling thread's.
    package static var current: RunLoopScheduler {
        RunLoopScheduler(mark: .current, loop: Loop(loop: .current))
    }

    package var id: LiveSchedulerID { LiveSchedulerID(mark) }
    package var isCurrent: Bool { Self.currentMark == threadMark }
    package var threadMark: UnsafeRawPointer? { UnsafeRawPointer(Unmanaged.passUnretained(mark).toOpaque()) }

    /// The `threadMark` of the calling thread's scheduler; nil when there has been none.
    package static var currentMark: UnsafeRawPointer? { Mark.place }

    /// The main thread's loop may not run yet, but is expected to.
    package var canDeliver: Bool { Thread.isMainThread || loop.loop.currentMode != nil }

    private static let main = Loop(loop: .main)

    /// Gives a job to the main thread's loop, if one will run there.
    static func addToMain(_ job: @escaping @Sendable () -> Void) { main.add(job) }

    package func run(_ job: @escaping @Sendable () -> Void) { loop.add(job) }
}
