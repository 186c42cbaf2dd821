import Promises
import Synchronization

/// Writes the lines of a log that one turn of an event loop adds with one system call, at the end of the turn. Other
/// threads' lines are written at once.
///
/// So a line may appear some microseconds after the response that it is about. A program that is killed loses the lines
/// of the turn that it is in.
final class GatheredLines: Sleeper {
    private let waiting = Mutex<[UInt8]>([])
    private let put: @Sendable ([UInt8]) -> Void

    /// More bytes do not wait for the end of a turn.
    private static let most = 32 << 10

    /// - Parameter put: writes whole lines.
    init(_ put: @escaping @Sendable ([UInt8]) -> Void) { self.put = put }

    /// Adds a line, which includes its line break.
    func add(_ line: [UInt8]) {
        let isFull = waiting.withLock { waiting in
            waiting += line
            return waiting.count > Self.most
        }
        if isFull { wake() } else { WakeUps.wake(self) }
    }

    /// Writes the lines that wait.
    func wake() {
        let lines = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        if !lines.isEmpty { put(lines) }
    }
}
