import HTTPServer
import StoreContract
import Synchronization

/// Ends a transfer that nobody waits for any more, or that comes no further, and lets it rest while others have their
/// turn. It is asked by the transfer's thread every few milliseconds of work.
final class TransferWatch: Sendable {
    private let work: RequestWork?
    /// Seconds without progress; nil for any time.
    private let stall: Int?
    private let mayRest: Bool
    /// When it last came further, in nanoseconds of its own work.
    private let progress: Atomic<Int64>

    /// Nobody waits for the transfer any more.
    struct Abandoned: Error {}

    /// - Parameter mayRest: false for work that holds up others while it rests.
    init(stall: Int? = nil, mayRest: Bool = true) {
        work = RequestWork.current
        self.stall = stall
        self.mayRest = mayRest
        progress = Atomic(0)
        progress.store(now, ordering: .relaxed)
    }

    /// Throws when it is to end.
    func check() throws {
        if let client = work?.client, client.hasEnded { throw Abandoned() }
        if let stall, now - progress.load(ordering: .relaxed) > Int64(stall) * 1_000_000_000 {
            throw Problem(
                422, "import.stalled",
                "For \(stall) s no line of the file did fit, so the import ended (limits.importStall). Look at what the file holds."
            )
        }
        if mayRest, let work, work.mustPause { work.pause() }
    }

    /// It came further.
    func advance() { progress.store(now, ordering: .relaxed) }

    private var now: Int64 {
        let rested = (work?.paused ?? .zero).components
        return monotonicNanoseconds() - rested.seconds * 1_000_000_000 - rested.attoseconds / 1_000_000_000
    }
}
