import Foundation
import Synchronization

@testable import RealmSwift

/// Returns the message with which the body's misuse of a realm would have stopped the program; nil if the body returns.
///
/// It runs on a thread of its own, which ends there: open the realm in it.
func exception(_ body: @escaping @Sendable () throws -> Void) async -> String? {
    await withCheckedContinuation { continuation in
        let answer = Once(continuation)
        var thread = pthread_t()
        let job = Unmanaged.passRetained(
            Job {
                ExceptionTrap.handler = { message in
                    answer.give(message)
                    pthread_exit(nil)
                }
                do {
                    try body()
                    answer.give(nil)
                } catch {
                    answer.give("thrown: \(error)")
                }
            })
        let failure = pthread_create(
            &thread, nil,
            { job in
                if let job { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().run() }
                return nil
            }, job.toOpaque())
        if failure == 0 { pthread_detach(thread) } else { answer.give("no thread") }
    }
}

private final class Job: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Resumes a continuation once.
private final class Once: Sendable {
    private let continuation: Mutex<CheckedContinuation<String?, Never>?>

    init(_ continuation: CheckedContinuation<String?, Never>) { self.continuation = Mutex(continuation) }

    func give(_ message: String?) {
        let taken = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        taken?.resume(returning: message)
    }
}
