import FairScheduling
import HTTPServer
import Synchronization
import Transfer

/// The memory for the long lines of one transfer's file.
///
/// All transfers together read one such line at a time: it holds the only admission, and then takes the memory of its
/// values from that of request bodies. No holder of that memory waits for the admission, so there is no deadlock.
final class LongLines: LineMemory {
    private let admission: MemoryQueue
    private let values: MemoryQueue
    private let most: Int
    private let caller: LimitKey
    /// Nil for work on the writer's thread, for which those who have memory wait: it takes what it needs, one line at a
    /// time.
    private let watch: TransferWatch?

    /// - Parameters:
    ///   - admission: admits one line at a time.
    ///   - most: the bytes that one line may take.
    ///   - watch: ends a transfer that waits for nobody.
    init(
        admission: MemoryQueue, values: MemoryQueue, most: Int, for caller: LimitKey, _ watch: TransferWatch?
    ) {
        self.admission = admission
        self.values = values
        self.most = most
        self.caller = caller
        self.watch = watch
    }

    private final class Share: LineShare {
        private let lines: LongLines
        private let admission: MemoryQueue.Share?
        private let memory = Mutex<MemoryQueue.Share?>(nil)

        init(_ lines: LongLines, _ admission: MemoryQueue.Share?) {
            self.lines = lines
            self.admission = admission
        }

        func count(_ bytes: Int) throws -> Bool {
            guard bytes <= lines.most else { return false }
            let share = try lines.reserve(bytes, of: lines.values)
            memory.withLock { $0 = share }
            return true
        }
    }

    func begin() throws -> any LineShare { Share(self, watch == nil ? nil : try reserve(1, of: admission)) }

    /// Waits for memory in the time of the transfer. Throws when the transfer must end.
    private func reserve(_ bytes: Int, of queue: MemoryQueue) throws -> MemoryQueue.Share {
        guard let watch else { return queue.seize(bytes, for: caller) }
        return try watch.whileWaiting { try queue.wait(bytes, for: caller, check: $0) }
    }
}
