package import FairScheduling
import HTTPProblems
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
package import RequestHandling
import RequestParameters
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

/// Reads and writes of whole files: exports, imports, backups and the demo.
package final class TransferEndpoints: Sendable {
    let context: GatewayContext
    /// Runs transfers, whose duration depends on the size of a file.
    package let pool: WorkerPool
    /// Admits one transfer at a time to read a long line.
    package let lineAdmission = MemoryQueue(limit: 1)
    let demo = DemoState()

    package init(_ context: GatewayContext) {
        self.context = context
        let configuration = context.settings.now
        // Their turns are longer than those of other requests.
        pool = WorkerPool(
            count: configuration.transfers, begun: max(configuration.transfers * 8, 16),
            limit: configuration.transferQueue, perCaller: configuration.transfersPerCaller ?? .max,
            slice: 100_000_000,
            WorkerPool.Names(
                limited: .transfersLimited, busy: .gatewayBusy, work: "imports, exports or backups",
                remedy: "Wait for one of them to end, or close its connection, before you begin another.",
                setting: "limits.transfersPerCaller"))
    }

    /// Applies the settings that can change while requests are handled.
    package func update(_ configuration: GatewayConfiguration) {
        pool.quota.limit = configuration.transfersPerCaller ?? .max
    }

    /// The memory for the long lines of a transfer.
    func longLines(of request: Request, _ watch: TransferWatch?) -> LongLines {
        LongLines(
            admission: lineAdmission, values: context.values, most: context.bodyValues, for: request.limitKey, watch)
    }

    /// Runs a transfer of a request's file in the caller's turn. A client that accepts `text/event-stream` receives a
    /// stream: `progress` now and then, and at the end `done`, or `error` with a problem. The client's presence is that
    /// of the work, so that it can end with its client.
    ///
    /// Throws 429 or 503 when too many transfers wait.
    func reply<Step, Outcome>(
        transferring request: Request, as form: TransferForm<Step, Outcome>,
        _ run: @escaping @Sendable (_ progress: @escaping @Sendable (Step) -> Void) throws -> Outcome
    ) throws -> Reply {
        let account = request.limitKey
        guard request.header("Accept").map({ AcceptedTypes($0).names("text/event-stream") }) == true else {
            return pool.reply(for: account) { [self] in
                do {
                    return .now(try form.response(try run { _ in }))
                } catch {
                    return .now(context.response(to: error, of: request))
                }
            }
        }
        let lease = try pool.lease(for: account)
        try pool.checkRoom()
        return .events { [self] stream in
            let client = ClientPresence()
            stream.onClose { _ in client.leave() }
            pool.run(for: account, client) { [self] in
                defer { withExtendedLifetime(lease) {} }
                do {
                    let outcome = try run { step in
                        stream.send(.event(name: EventKind.progress.rawValue, data: form.progress(step)))
                    }
                    stream.send(.event(name: EventKind.done.rawValue, data: form.done(outcome)))
                } catch {
                    let json = JSONWriter(capacity: 512)
                    context.problem(of: error).encode(into: json)
                    stream.send(.event(name: EventKind.error.rawValue, data: json.bytes))
                }
                stream.close()
            }
        }
    }
}
