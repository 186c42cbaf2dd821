import HTTPMessages
package import HTTPServer
import JSONCoding
import LiveStreams
package import ObjectCoding
package import ObjectModel
import Synchronization
import WireProtocol

/// The open requests, of all callers. Event streams end when their caller's permissions change.
///
/// Memory: some 250 bytes for each, with the action at its end.
package final class OpenConnections: Sendable {
    private struct State {
        var last: UInt64 = 0
        var open: [UInt64: OpenConnection] = [:]
    }

    private let state = Mutex(State())
    /// Distinguishes ids from those of another process, so that none names another connection after a restart.
    private let process = String(UInt32.random(in: 1 << 28 ... .max), radix: 16)

    /// Registers a stream until it closes.
    func add(_ stream: EventStream, costing owner: (any CostedStream)?, of request: Request, since: Timestamp) {
        let number = add(.stream(stream, owner), of: request, since: since)
        stream.onClose { [self] _ in remove(number) }
    }

    /// Registers a long poll until `remove`.
    ///
    /// - Parameter end: answers it at once.
    package func add(read request: Request, since: Timestamp, end: @escaping @Sendable () -> Void) -> UInt64 {
        add(.read(end: end), of: request, since: since)
    }

    private func add(_ kind: OpenConnection.Kind, of request: Request, since: Timestamp) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.open[state.last] = OpenConnection(state.last, kind, of: request, since: since)
            return state.last
        }
    }

    package func remove(_ number: UInt64) {
        // Released outside of the lock.
        let removed = state.withLock { $0.open.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }

    /// All of them, in no order.
    package var all: [OpenConnection] { state.withLock { Array($0.open.values) } }

    /// The id that clients see.
    package func id(of connection: OpenConnection) -> String { "\(process)-\(connection.number)" }

    /// Ends a connection in an orderly way: a stream with a last event that asks the client to connect again, a waiting
    /// read with the answer that nothing has changed. Returns false if there is none with that id.
    package func end(_ id: String) -> Bool {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == process, let number = UInt64(parts[1]),
            let connection = state.withLock({ $0.open[number] }), id == self.id(of: connection)
        else { return false }
        switch connection.kind {
        case .stream(let stream, _):
            // A client that does not read gets no last event.
            stream.send(Self.closing)
            stream.close()
        case .read(let end): end()
        }
        return true
    }

    /// Ends the streams of callers whose permissions were lost or have changed. Cost: one check per caller.
    func endStreams(unless isValid: (Caller) -> Bool) {
        let callers = Dictionary(grouping: all.filter { $0.stream != nil }) { $0.caller }
        for (caller, opened) in callers where !isValid(caller) {
            for stream in opened.compactMap(\.stream) {
                stream.send(Self.ending.event.bytes)
                stream.close()
            }
        }
    }

    private static let closing: SharedBytes = {
        let json = JSONWriter(capacity: 64)
        json.closing(code: Problem.Code.connectionEnded.rawValue)
        return .event(name: EventKind.closing.rawValue, retry: 2000, data: json.bytes)
    }()

    private static let ending = Ending.error(
        Problem(
            .accessEnded,
            "The key or token of the stream has expired, or its permissions have changed. Open the stream again with a valid one."
        ))

    /// The answer to a read of such a caller that waits for a change.
    package static let accessEnded = Problem(
        .accessEnded,
        "The key or token of the request has expired, or its permissions have changed, while it waited. Repeat it with a valid one."
    )
}
