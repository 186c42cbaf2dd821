import HTTPServer
import LiveStreams
package import ObjectCoding
import Synchronization

/// The open event streams by caller. They end when their caller's permissions change.
package final class OpenStreams: Sendable {
    private struct Opened {
        let stream: EventStream
        let caller: Caller
    }

    private let streams = Mutex<[ObjectIdentifier: Opened]>([:])

    /// Registers a stream until it closes.
    func add(_ stream: EventStream, of caller: Caller) {
        let id = ObjectIdentifier(stream)
        streams.withLock { $0[id] = Opened(stream: stream, caller: caller) }
        stream.onClose { [self] _ in streams.withLock { $0[id] = nil } }
    }

    /// Ends the streams of callers whose permissions were lost or have changed. Cost: one check per caller.
    func end(unless isValid: (Caller) -> Bool) {
        let all = streams.withLock { Array($0.values) }
        let callers = Dictionary(grouping: all) { $0.caller }
        for (caller, opened) in callers where !isValid(caller) {
            for opened in opened {
                _ = opened.stream.send(Self.ending.event.bytes)
                opened.stream.close()
            }
        }
    }

    /// The number of open streams.
    var count: Int { streams.withLock { $0.count } }

    private static let ending = Ending.error(
        Problem(
            .accessEnded,
            "The key or token of the stream has expired, or its permissions have changed. Open the stream again with a valid one."
        ))

    /// The answer to a read of such a caller that waits for a change.
    package static let ended = Problem(
        .accessEnded,
        "The key or token of the request has expired, or its permissions have changed, while it waited. Repeat it with a valid one."
    )
}
