import FairScheduling
import HTTPServer
import JSONCoding
import ObjectCoding

/// Requests wait for the memory that their work needs, so that any number of them at once takes no more than one.
extension Gateway {
    /// Handles a request whose body is long: on a worker, and when there is memory for the values in the body.
    ///
    /// - Parameter folds: whether the handler parses the body with long lists left as text.
    func answerLong(
        _ request: Request, _ path: PathParameters, folds: Bool, _ handler: @escaping Handler
    ) -> Reply {
        let key = Self.limitKey(request)
        return workers.reply(for: key) { [self] in
            let weight = JSONValue.weight(of: request.body, folding: folds)
            guard weight <= bodyValues else { return .now(response(to: tooManyValues, of: request)) }
            if let share = values.take(weight, for: key) { return answer(request.with(share), path, handler) }
            return .later { [self] responder in
                values.await(weight, for: key) { [self] share in
                    begin(for: responder, key) { [self] in answer(request.with(share), path, handler) }
                }
            }
        }
    }

    /// Handles a request with a short body on the loop, if there is memory for the values in it.
    func answerShort(_ request: Request, _ path: PathParameters, _ handler: @escaping Handler) -> Reply {
        guard request.body.count > Self.uncountedBody else { return answerHere(request, path, handler) }
        guard let share = values.take(request.body.count * Self.maximumWeight, for: Self.limitKey(request)) else {
            return answerLong(request, path, folds: false, handler)
        }
        return answerHere(request.with(share), path, handler)
    }

    /// Handles a read again that found no memory for its response: when there is enough for the longest one.
    func answerInTurn(_ request: Request, _ path: PathParameters, _ handler: @escaping Handler) -> Reply {
        let key = Self.limitKey(request)
        let bytes = configuration.answerBytes + configuration.answerBytes / 4
        return .later { [self] responder in
            turns.await(bytes, for: key) { [self] share in
                begin(for: responder, key) { [self] in
                    // The parameters may be in a body, whose values keep their memory.
                    var known = request.with(Shares(request.share, share))
                    known.hasTurn = true
                    return TextMemory.$current.withValue(TextMemory(limit: bytes)) { answer(known, path, handler) }
                }
            }
        }
    }

    /// Runs work that has waited for memory. It was admitted to the workers before.
    private func begin(for responder: Responder, _ key: LimitKey, _ work: @escaping @Sendable () -> Reply) {
        workers.run(for: key, responder.client) {
            // A response that nobody reads ends the request.
            guard !responder.client.hasLeft else { return responder.answer(.empty(503)) }
            work().answer(responder)
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
