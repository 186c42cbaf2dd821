import AccessRules
import FairScheduling
import HTTPMessages
import HTTPProblems
package import HTTPServer
package import ObjectCoding
import ObjectModel
package import StoreContract
import Synchronization
import WireProtocol
package import WriteRequests

extension GatewayContext {
    /// The result of a write within its transaction.
    private enum Written: Sendable {
        case response(Response)
        /// The rest of the response is written after the commit, which has this state.
        case result(WriteResponse, Mark)
    }

    /// Runs work in a write transaction, with the caller's permissions, and responds with its result once the commit is
    /// on disk. A request with an `Idempotency-Key` runs once; its response is stored in the same commit.
    ///
    /// - Parameter snapshot: the version from which the work was prepared. If the schema has changed by the time of the
    ///   write, the identifiers in the work may have another meaning: then the request is handled again from the
    ///   beginning.
    package func write(
        for request: Request, preparedFrom snapshot: any Snapshot,
        _ work: @escaping @Sendable (any WriteTransaction) throws -> WriteResponse
    ) throws(Problem) -> Reply {
        let caller = try caller(of: request)
        let view = caller.view
        let known = try IdempotentRequest(request, of: caller.names)
        let account = request.limitKey
        let schema = BoundAccess.wholeSchema(of: snapshot)
        return .later { [self] responder in
            let written = Slot<Written>()
            let stored = Slot<(bytes: Int, time: Timestamp)>()
            store.submit { [settings, ruleProblems, repetitions] transaction in
                let time = settings.now.clock()
                try known?.checkNew(in: transaction, at: time)
                try StoreError.check(transaction, has: schema)
                if !view.isUnrestricted { ruleProblems.report(view.access(under: transaction.schema)) }
                if known != nil {
                    try repetitions.check(account, most: settings.now.idempotencyBytesPerCaller, at: time)
                }
                let (result, response) = try view.perform(in: transaction) { transaction in
                    var result = try work(transaction)
                    result.headers.add(transaction.mark)
                    return (result, try result.response(in: transaction))
                }
                if let known {
                    let record = StoredResponse(result, response, verbatim: settings.now.idempotencyVerbatim)
                    let bytes = try known.keep(
                        record, in: transaction, from: time, for: settings.now.idempotencyLifetime)
                    stored.put((bytes, time))
                }
                written.put(response.map { .response($0) } ?? .result(result, transaction.mark))
            } completion: { [self] outcome in
                if case .success = outcome, let stored = stored.value {
                    repetitions.add(stored.bytes, of: account, at: stored.time, for: settings.now.idempotencyLifetime)
                }
                switch outcome {
                case .success:
                    switch written.value {
                    case .response(let response): responder.send(response)
                    case .result(let result, let mark): finish(result, of: mark, for: caller, account, responder)
                    case nil: responder.send(response(to: Problem.internalError))
                    }
                case .failure(let replay as IdempotentRequest.Replay): repeated(replay, for: caller, account, responder)
                case .failure(let error as StoreError) where error.code == .schemaReplaced && request.again != nil:
                    // Not on the writer's thread, where this runs.
                    workers.run(for: account) { request.again?().send(to: responder) }
                case .failure(let error): responder.send(response(to: error, of: request))
                }
            }
        }
    }

    /// Returns the reply for a request that is rejected before its write. If it was done before with its
    /// `Idempotency-Key`, it gets the stored response: the target of its path may have been deleted since, perhaps by
    /// the request itself.
    func refusal(of request: Request, _ error: any Error) -> Reply {
        guard !request.isRead, let caller = try? caller(of: request),
            let known = try? IdempotentRequest(request, of: caller.names)
        else { return .now(response(to: error, of: request)) }
        let clock = settings.now.clock
        let account = request.limitKey
        return .later { [self] responder in
            store.submit { transaction in
                try known.checkNew(in: transaction, at: clock())
                throw error
            } completion: { [self] outcome in
                if case .failure(let replay as IdempotentRequest.Replay) = outcome {
                    repeated(replay, for: caller, account, responder)
                } else {
                    responder.send(response(to: error, of: request))
                }
            }
        }
    }

    /// Writes the rest of a response on a thread other than the writer's, on which this is called.
    private func finish(
        _ result: WriteResponse, of mark: Mark, for caller: Caller, _ account: LimitKey, _ responder: Responder
    ) {
        // Read now, when hardly anything can have been committed after it.
        let newest = Result { try store.snapshot() }
        workers.run(for: account, responder.client) { [self] in
            do {
                let newest = try newest.get()
                responder.send(
                    result.response(
                        from: try state(at: mark, newest, caller) ?? caller.view.restrict(newest),
                        answerBytes: settings.now.answerBytes))
            } catch {
                // The write was committed, whatever can be read now.
                responder.send(result.plainResponse)
            }
        }
    }

    /// Repeats a response, with the present state of its objects.
    private func repeated(
        _ replay: IdempotentRequest.Replay, for caller: Caller, _ account: LimitKey, _ responder: Responder
    ) {
        let result = replay.response
        guard !result.isReady else { return responder.send(result.plainResponse) }
        workers.run(for: account, responder.client) { [self] in
            do {
                let newest = try store.snapshot()
                let now = try caller.view.restrict(newest)
                let mark = result.headers[HeaderName.mark].flatMap { Mark($0) }
                let earlier = try mark.flatMap { try state(at: $0, newest, caller) }
                var known = result
                if earlier == nil { known.tagged = nil }
                known.headers["ETag"] = nil
                responder.send(
                    known.response(
                        from: now, answerBytes: settings.now.answerBytes, unlessChangedSince: earlier))
            } catch {
                responder.send(response(to: error))
            }
        }
    }

    /// Returns an earlier or the present state as the caller sees it; nil if it is no longer available.
    private func state(at mark: Mark, _ newest: any Snapshot, _ caller: Caller) throws -> (any ObjectReads)? {
        if mark.isSameState(as: newest.mark) { return try caller.view.restrict(newest) }
        guard try store.knows(mark), let past = try store.asOf(mark.version, before: newest) else { return nil }
        return try caller.view.restrict(past: past.reads)
    }
}

extension ObjectInputReader {
    /// Creates a reader for what the caller may write, which can be more than it may read.
    package init(writing snapshot: any Snapshot) {
        self.init(schema: BoundAccess.of(snapshot)?.writableSchema ?? snapshot.schema)
    }
}

/// Passes one value from the writer's thread to the one that answers.
private final class Slot<T: Sendable>: Sendable {
    private let content = Mutex<T?>(nil)

    var value: T? { content.withLock { $0 } }

    func put(_ value: T) { content.withLock { $0 = value } }
}
