import FairScheduling
import HTTPProblems
import HTTPServer
import JSONCoding
import ObjectCoding
import WireProtocol

/// How the outcome of a transfer is sent to its client.
struct TransferForm<Step, Outcome>: Sendable {
    /// Returns the data of a `progress` event.
    let progress: @Sendable (Step) -> [UInt8]
    /// Returns the data of the `done` event.
    let done: @Sendable (Outcome) -> [UInt8]
    /// Returns the response to a client that did not ask for a stream.
    let response: @Sendable (Outcome) throws -> Response
}

extension Gateway {
    /// Runs a transfer of a request's file in the caller's turn. A client that accepts `text/event-stream` receives a
    /// stream: `progress` now and then, and at the end `done`, or `error` with a problem. The client's presence is that
    /// of the work, so that it can end with its client.
    ///
    /// Throws 429 or 503 when too many transfers wait.
    func reply<Step, Outcome>(
        transferring request: Request, as form: TransferForm<Step, Outcome>,
        _ run: @escaping @Sendable (_ progress: @escaping @Sendable (Step) -> Void) throws -> Outcome
    ) throws -> Reply {
        let account = Self.limitKey(request)
        guard request.header("Accept").map({ AcceptedTypes($0).names("text/event-stream") }) == true else {
            return transfers.reply(for: account) { [self] in
                do {
                    return .now(try form.response(try run { _ in }))
                } catch {
                    return .now(response(to: error, of: request))
                }
            }
        }
        let place = try transfers.place(for: account)
        try transfers.checkRoom()
        return .events { [self] stream in
            let client = ClientPresence()
            stream.onClose { _ in client.leave() }
            transfers.run(for: account, client) { [self] in
                defer { withExtendedLifetime(place) {} }
                do {
                    let outcome = try run { step in
                        stream.send(.event(name: EventKind.progress.rawValue, data: form.progress(step)))
                    }
                    stream.send(.event(name: EventKind.done.rawValue, data: form.done(outcome)))
                } catch {
                    let json = JSONWriter(capacity: 512)
                    problem(of: error).encode(into: json)
                    stream.send(.event(name: EventKind.error.rawValue, data: json.bytes))
                }
                stream.close()
            }
        }
    }
}

/// A size for people, exactly: `256 MiB`, `4 KiB` or `1500 bytes`, as settings take it.
func sizeInWords(_ bytes: Int) -> String {
    for (unit, shift) in [("MiB", 20), ("KiB", 10)] where bytes >= 1 << shift && bytes % (1 << shift) == 0 {
        return "\(bytes >> shift) \(unit)"
    }
    return "\(bytes) bytes"
}
