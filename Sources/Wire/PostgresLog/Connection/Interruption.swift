/// Ends every wait of a log when it is closed. Any thread may use it.
final class Interruption: Sendable {
    /// Rings from `raise` on: so every thread that polls it wakes.
    private let bell: Bell

    init() throws(PostgresFailure) { bell = try Bell() }

    var descriptor: Int32 { bell.descriptor }

    func raise() { bell.ring() }

    var isRaised: Bool { isReadable(descriptor, within: 0) }

    /// Waits, and returns earlier when the log is closed.
    func pause(_ duration: Duration) {
        _ = isReadable(descriptor, within: Int32(clamping: duration.milliseconds + 1))
    }
}
