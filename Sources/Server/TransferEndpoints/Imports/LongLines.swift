import FairScheduling
import HTTPServer
import Synchronization
import Transfer

/// The memory for the long lines of one transfer's file.
///
/// One such line at a time is read, in all transfers: it holds the only turn, and then takes the memory of its values from
/// that of request bodies. Nobody who has that memory waits for a turn, so that no two wait for each other.
final class LongLines: LineMemory {
    private let turns: MemoryQueue
    private let values: MemoryQueue
    private let most: Int
    private let caller: LimitKey
    /// Nil for work on the writer's thread, for which those who have memory wait: it takes what it needs, one line at a
    /// time.
    private let watch: TransferWatch?

    /// - Parameters:
    ///   - turns: has room for one turn.
    ///   - most: the bytes that one line may take.
    ///   - watch: ends a transfer that waits for nobody.
    init(
        turns: MemoryQueue, values: MemoryQueue, most: Int, for caller: LimitKey, _ watch: TransferWatch?
    ) {
        self.turns = turns
        self.values = values
        self.most = most
        self.caller = caller
        self.watch = watch
    }

    private final class Share: LineShare {
        private let lines: LongLines
        private let turn: MemoryQueue.Share?
        private let memory = Mutex<MemoryQueue.Share?>(nil)

        init(_ lines: LongLines, _ turn: MemoryQueue.Share?) {
            self.lines = lines
            self.turn = turn
        }

        func count(_ bytes: Int) throws -> Bool {
            guard bytes <= lines.most else { return false }
            let share = try lines.take(bytes, of: lines.values)
            memory.withLock { $0 = share }
            return true
        }
    }

    func begin() throws -> any LineShare { Share(self, watch == nil ? nil : try take(1, of: turns)) }

    /// Waits for memory in the time of the transfer. Throws when the transfer must end.
    private func take(_ bytes: Int, of queue: MemoryQueue) throws -> MemoryQueue.Share {
        guard let watch else { return queue.seize(bytes, for: caller) }
        return try watch.whileWaiting { try queue.wait(bytes, for: caller, check: $0) }
    }
}
