import Dispatch
import Glibc
import Synchronization

/// Lets one scan use all processors, and only when no other is running: a server that answers many requests already
/// keeps them busy.
enum ScanThreads {
    static let count = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    private static let running = Atomic<Int>(0)

    /// Handing work to another thread, and waiting for it, costs some ten microseconds.
    static let worthwhileNanoseconds = 150_000.0

    /// Carries a body to other threads.
    //
    // Sendable: the caller of `map` ensures that calls of its body for different parts share no mutable state, and
    // `concurrentPerform` returns after the last of them.
    private struct Work: @unchecked Sendable {
        let body: (Int) -> Void
    }

    /// The results of `body` for 0..<parts, called in any order and on several threads when those are free, otherwise
    /// on this one. Calls for different parts must share no mutable state. Throws the error of the first part that
    /// throws.
    static func map<R>(_ parts: Int, _ body: (Int) throws -> R) throws -> [R] {
        // Each call writes a result of its own.
        let results = UnsafeMutableBufferPointer<Result<R, any Error>?>.allocate(capacity: parts)
        results.initialize(repeating: nil)
        defer {
            results.deinitialize()
            results.deallocate()
        }
        perform(parts) { part in
            results[part] = Result { try body(part) }
        }
        return try results.compactMap { try $0?.get() }
    }

    private static func perform(_ parts: Int, _ body: (Int) -> Void) {
        let others = running.add(1, ordering: .relaxed).oldValue
        defer { running.subtract(1, ordering: .relaxed) }
        if others == 0 {
            withoutActuallyEscaping(body) { body in
                let work = Work(body: body)
                DispatchQueue.concurrentPerform(iterations: parts) { work.body($0) }
            }
        } else {
            for part in 0..<parts { body(part) }
        }
    }
}
