import FairScheduling
import HTTPServer
import ObjectCoding
import RequestHandling
import StoreContract
import Synchronization

/// Ends a transfer whose client has disconnected or that makes no progress, and pauses it while others have their
/// turns. The transfer's thread calls it every few milliseconds of work.
final class TransferWatch: Sendable {
    private let work: RequestPace?
    /// The maximum time in seconds without progress; nil for no limit.
    private let stall: Int?
    private let mayPause: Bool
    /// The time of the last progress, in nanoseconds of the transfer's own work.
    private let progress: Atomic<Int64>

    /// - Parameter mayPause: false for work that blocks others while it pauses.
    init(stall: Int? = nil, mayPause: Bool = true) {
        work = RequestPace.current
        self.stall = stall
        self.mayPause = mayPause
        progress = Atomic(0)
        progress.store(now, ordering: .relaxed)
    }

    /// Throws if the transfer must end.
    ///
    /// - Parameter time: the time in nanoseconds of the transfer's own work, if it is not the present one.
    func check(at time: Int64? = nil) throws {
        if let client = work?.client, client.hasEnded { throw ClientLeft() }
        if let stall, (time ?? now) - progress.load(ordering: .relaxed) > Int64(stall) * 1_000_000_000 {
            throw Problem(
                .importStalled,
                "For \(stall) s no line of the file was valid, so the import ended (limits.importStall). Check the contents of the file."
            )
        }
        if mayPause, let work, work.mustPause { work.pause() }
    }

    /// Waits for others. The time does not count as one without progress.
    ///
    /// - Parameter wait: calls its argument now and then.
    func whileWaiting<R>(_ wait: (_ check: () throws -> Void) throws -> R) throws -> R {
        let start = now
        defer { progress.add(now - start, ordering: .relaxed) }
        return try wait { try check(at: start) }
    }

    /// Records progress.
    func advance() { progress.store(now, ordering: .relaxed) }

    /// Nanoseconds of the transfer's own work, of which differences alone mean something.
    var worked: Int64 { now }

    private var now: Int64 {
        let rested = (work?.paused ?? .zero).components
        return monotonicNanoseconds() - rested.seconds * 1_000_000_000 - rested.attoseconds / 1_000_000_000
    }
}
