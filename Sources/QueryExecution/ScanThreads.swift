import Dispatch
import Glibc
import Synchronization

/// Whether a scan may use all processors: one at a time, and only when no other is running. A server that answers many
/// requests has them busy already.
enum ScanThreads {
    static let count = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    private static let running = Atomic<Int>(0)

    /// Handing work to another thread, and waiting for it, costs some ten microseconds.
    static let worthwhileNanoseconds = 150_000.0

    /// Carries a body to other threads.
    //
    // Sendable: what calls `perform` sees to it that calls of its body for different parts touch nothing in common, and
    // `concurrentPerform` returns after the last of them.
    private struct Work: @unchecked Sendable {
        let body: (Int) -> Void
    }

    /// Calls `body` with 0..<parts, in any order and on several threads when those are free; on this one otherwise. Calls
    /// for different parts must have nothing that changes in common.
    static func perform(_ parts: Int, _ body: (Int) -> Void) {
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
