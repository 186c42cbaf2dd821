/// Ends every wait of a log when it is closed. Any thread may use it.
final class Interruption: Sendable {
    /// Rings from `raise` on: so every thread that polls it wakes.
    private let wakeUp: WakeUpPipe

    init() throws(PostgresError) { wakeUp = try WakeUpPipe() }

    var descriptor: Int32 { wakeUp.descriptor }

    func raise() { wakeUp.signal() }

    var isRaised: Bool { isReadable(descriptor, within: 0) }

    /// Waits, and returns earlier when the log is closed.
    func pause(_ duration: Duration) {
        _ = isReadable(descriptor, within: Int32(clamping: duration.milliseconds + 1))
    }
}

/// Pauses between attempts to reach a server: from 20 ms doubling to 1 s, each shortened by chance by up to half, so
/// that stores that lost the same server do not return at the same moments.
struct Backoff {
    private var next = Duration.milliseconds(20)

    /// Waits, but not beyond the deadline; returns earlier when the log is closed.
    mutating func pause(by deadline: Deadline, _ interruption: Interruption) {
        let pause = next * Double.random(in: 0.5...1)
        interruption.pause(min(pause, max(.zero, deadline.remaining)))
        next = min(next * 2, .seconds(1))
    }
}
