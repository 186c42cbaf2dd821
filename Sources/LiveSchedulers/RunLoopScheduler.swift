// The one place for Foundation below the Swift interface: run loops are its own, and nothing lighter has them.
import Dispatch
import Foundation
import Glibc
package import LiveQueries

/// A thread, and its run loop if it runs one.
///
/// What belongs to the main thread belongs to the main queue and the main actor as well: these are served within the main
/// thread's run loop, or, in a program whose main function is asynchronous, by whatever thread is free, one at a time, while
/// the main thread does nothing any more.
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

        static var current: Mark { known ?? Mark().adopted() }

        /// Makes it the calling thread's.
        func adopted() -> Mark {
            pthread_setspecific(Mark.key, Unmanaged.passRetained(self).toOpaque())
            return self
        }
    }

    /// A run loop is not Sendable. Only timers are added to it from other threads, which CoreFoundation does
    /// under the loop's lock.
    private struct Loop: @unchecked Sendable {
        let loop: RunLoop
    }

    private static let mainQueueKey = DispatchSpecificKey<Bool>()

    private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueKey) == true }

    private static let shared: RunLoopScheduler = {
        DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)
        return RunLoopScheduler(mark: Mark(), loop: Loop(loop: .main), isMain: true)
    }()

    /// Whether it is the main queue, which may come wrapped in several objects.
    static func isMain(_ queue: DispatchQueue) -> Bool {
        _ = shared
        return queue.getSpecific(key: mainQueueKey) == true
    }

    /// The main thread's, and the main queue's.
    package static var main: RunLoopScheduler {
        let main = shared
        if Thread.isMainThread, Mark.known == nil { _ = main.mark.adopted() }
        return main
    }

    private let mark: Mark
    private let loop: Loop
    private let isMain: Bool

    /// The calling thread's.
    package static var current: RunLoopScheduler {
        let main = main
        if Thread.isMainThread || isOnMainQueue { return main }
        return RunLoopScheduler(mark: .current, loop: Loop(loop: .current), isMain: false)
    }

    package var id: LiveSchedulerID { LiveSchedulerID(mark) }
    package var isCurrent: Bool {
        Self.currentMark == threadMark || isMain && (Thread.isMainThread || Self.isOnMainQueue)
    }
    package var threadMark: UnsafeRawPointer? { UnsafeRawPointer(Unmanaged.passUnretained(mark).toOpaque()) }

    /// The `threadMark` of the calling thread's scheduler; nil when there has been none.
    package static var currentMark: UnsafeRawPointer? { Mark.place }

    /// The main thread's loop may not run yet, but it or the main queue is expected to.
    package var canDeliver: Bool { isMain || loop.loop.currentMode != nil }

    package func run(_ job: @escaping @Sendable () -> Void) {
        // A loop that runs later serves the queue, too.
        if isMain, loop.loop.currentMode == nil { return DispatchQueue.main.async(execute: job) }
        // A block given to `perform` does not wake a sleeping loop; a timer that is due does.
        loop.loop.add(Timer(timeInterval: 0, repeats: false) { _ in job() }, forMode: .common)
    }
}
