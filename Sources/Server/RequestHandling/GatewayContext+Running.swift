import FairScheduling
import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import Synchronization

/// Runs handlers: on the loop's thread, on a worker, and when there is memory for them. A request waits for the memory
/// that it needs, so that concurrent requests together stay within the limit.
extension GatewayContext {
    /// The number of attempts at a request whose schema is replaced between its preparation and its write.
    private static let maximumAttempts = 5

    /// Runs a handler. The reply to a request that it refuses says why.
    package func reply(
        to request: Request, _ path: PathParameters, _ handler: @escaping Handler, attempt: Int = 1
    ) -> Reply {
        do {
            return try handler(repeatable(request, path, handler, attempt), path)
        } catch is TextMemory.Exhausted where request.isRead && !request.hasReservedMemory {
            return runScheduled(request, path, handler)
        } catch {
            return refusal(of: request, error)
        }
    }

    /// Runs a write that can be prepared again.
    private func repeatable(
        _ request: Request, _ path: PathParameters, _ handler: @escaping Handler, _ attempt: Int
    ) -> Request {
        guard !request.isRead, attempt < Self.maximumAttempts else { return request }
        var known = request
        known.again = { [self] in reply(to: request, path, handler, attempt: attempt + 1) }
        return known
    }

    /// Handles a request on the loop's thread if it is short, and passes it to a worker if it turns out not to be. By
    /// then the handler has only read, and it begins again there.
    func runHere(_ request: Request, _ path: PathParameters, _ handler: @escaping Handler) -> Reply {
        var here = repeatable(request, path, handler, 1)
        here.isOnLoop = true
        do {
            return try handler(here, path)
        } catch  where NeedsWorker.isMeant(by: error) {
            requestCounters.movedReads.add(1, ordering: .relaxed)
            return workers.reply(for: request.limitKey) { [self] in reply(to: request, path, handler) }
        } catch {
            return refusal(of: request, error)
        }
    }

    /// Handles a request whose body is long: on a worker, and when there is memory for the values in the body.
    ///
    /// - Parameter folds: whether the handler parses the body with long lists left as text.
    package func runLong(
        _ request: Request, _ path: PathParameters, folds: Bool, _ handler: @escaping Handler
    ) -> Reply {
        let key = request.limitKey
        return workers.reply(for: key) { [self] in
            let weight = JSONValue.weight(of: request.body, folding: folds)
            guard weight <= bodyValues else { return .now(response(to: tooManyValues, of: request)) }
            if let share = values.reserve(weight, for: key) { return reply(to: request.with(share), path, handler) }
            return .later { [self] responder in
                values.await(weight, for: key) { [self] share in
                    begin(for: responder, key) { [self] in reply(to: request.with(share), path, handler) }
                }
            }
        }
    }

    /// Handles a request with a short body on the loop, if there is memory for the values in it.
    package func runShort(_ request: Request, _ path: PathParameters, _ handler: @escaping Handler) -> Reply {
        guard request.body.count > Self.uncountedBody else { return runHere(request, path, handler) }
        guard let share = values.reserve(request.body.count * Self.maximumWeight, for: request.limitKey) else {
            return runLong(request, path, folds: false, handler)
        }
        return runHere(request.with(share), path, handler)
    }

    /// Handles a read again that found no memory for its response: when there is enough for the longest one.
    func runScheduled(_ request: Request, _ path: PathParameters, _ handler: @escaping Handler) -> Reply {
        let key = request.limitKey
        let answerBytes = settings.now.answerBytes
        let bytes = answerBytes + answerBytes / 4
        return .later { [self] responder in
            responseMemory.await(bytes, for: key) { [self] share in
                begin(for: responder, key) { [self] in
                    // The parameters may be in a body, whose values keep their memory.
                    var known = request.with(Shares(request.share, share))
                    known.hasReservedMemory = true
                    return TextMemory.$current.withValue(TextMemory(limit: bytes)) { reply(to: known, path, handler) }
                }
            }
        }
    }

    /// Runs work that has waited for memory. It was admitted to the workers before.
    private func begin(for responder: Responder, _ key: LimitKey, _ work: @escaping @Sendable () -> Reply) {
        workers.run(for: key, responder.client) {
            // A response that nobody reads ends the request.
            guard !responder.client.hasLeft else { return responder.send(.empty(503)) }
            work().send(to: responder)
        }
    }

    /// The size in bytes of the bodies whose values are not counted.
    private static let uncountedBody = 4 << 10
    /// The bytes that the values of a short body take for each of its bytes, at most.
    private static let maximumWeight = 64

    private var tooManyValues: Problem {
        Problem(
            JSONError.Code.tooLarge,
            "The body has too many values for the memory of one request (limits.memory). Send them in several requests, or import them from a file."
        )
    }
}

/// The memory of a request that has some for the values in its body and some for its response.
private final class Shares: Sendable {
    private let shares: [any AnyObject & Sendable]

    init(_ shares: (any AnyObject & Sendable)?...) { self.shares = shares.compactMap { $0 } }
}

extension Request {
    /// Returns the request with memory that its work has.
    fileprivate func with(_ share: any AnyObject & Sendable) -> Request {
        var request = self
        request.share = share
        return request
    }
}
