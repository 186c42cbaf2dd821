package import Glibc

/// The clocks of the system, in nanoseconds. Reading one takes some tens of nanoseconds, a thread's some hundreds.
package enum SystemClock {
    /// Time that never goes back, from an arbitrary start.
    package static var monotonic: Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

    /// The processor time that the calling thread has used.
    package static var threadWork: Int64 { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

    /// Returns 0 for a clock that does not exist, such as that of a thread that has ended.
    package static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
