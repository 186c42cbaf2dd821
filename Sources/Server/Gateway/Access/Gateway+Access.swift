import AccessRules
import HTTPServer
import ObjectModel
import StoreContract

extension Gateway {
    /// Finds out who calls, for the handlers inside.
    func identify(_ request: Request, _ next: (Request) -> Reply) throws -> Reply {
        guard let access else { return next(request) }
        let reply = next(try access.identified(request))
        guard request.segments.first == "v1" else { return reply }
        // Tags are of versions, which all callers share: what was kept for one must not be shown to another.
        return reply.mapHead { $0.headers.vary("Authorization, X-API-Key") }
    }

    /// Throws 401 for a request that nobody was found to have made, although that matters.
    func caller(of request: Request) throws(Problem) -> Caller {
        if let known = request.context as? CallerContext { return known.caller }
        guard access == nil else {
            throw Problem(401, "auth.required", "Say who you are in a header 'Authorization: Bearer …'.")
        }
        return .unrestricted
    }

    /// Throws 403 when the caller may not do everything.
    func requireAdministrator(_ request: Request) throws(Problem) {
        guard try caller(of: request).view.isUnrestricted else {
            throw Problem(403, "access.denied", "This takes a key or token of an administrator's role.")
        }
    }

    /// The store as it exists for the caller. Everything that a request reads is read from here.
    func snapshot(for request: Request) throws -> any Snapshot {
        let whole = try store.snapshot()
        let limited = request.isOnLoop ? try whole.limited(by: queryBudget(for: request)) : whole
        return try show(limited, to: try caller(of: request))
    }

    /// Whether a version needs no `show`.
    func seesEverything(_ request: Request) -> Bool { (request.context as? CallerContext)?.seesEverything ?? false }

    /// A version of the store as it exists for the caller.
    func show(_ whole: any Snapshot, to caller: Caller) throws -> any Snapshot {
        let seen = try caller.view.restrict(whole)
        if let access = BoundAccess.of(seen) { ruleProblems.tell(access) }
        return seen
    }

    /// Runs work in a write transaction, as far as the caller may do it, and answers with what it gives once the
    /// commit is on disk. A request with an `Idempotency-Key` is done once; its answer is kept in the same commit.
    ///
    /// - Parameter snapshot: what the work was prepared from. When the writer finds another schema than that one has, the
    ///   work's numbers may mean other things by now: then the request is answered again from the beginning.
    func write(
        for request: Request, preparedFrom snapshot: any Snapshot,
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Response
    ) throws(Problem) -> Reply {
        let caller = try caller(of: request)
        let view = caller.view
        let known = try IdempotentRequest(request, caller)
        let settings = settings.now
        let account = Self.limitKey(request)
        let schema = BoundAccess.of(snapshot)?.schema ?? snapshot.schema
        return .later { [self] responder in
            let answer = Slot<Response>()
            let kept = Slot<(bytes: Int, time: Timestamp)>()
            store.submit { [ruleProblems, repetitions] transaction in
                let time = settings.all.clock()
                try known?.checkNew(in: transaction, view, at: time)
                try StoreError.check(transaction, has: schema)
                if !view.isUnrestricted { ruleProblems.tell(view.access(under: transaction.schema)) }
                guard let known else {
                    var response = try view.perform(in: transaction, work)
                    response.headers.add(transaction.mark)
                    return answer.put(response)
                }
                try repetitions.check(account, most: settings.all.idempotencyBytesPerCaller, at: time)
                let rows = AnswerRows()
                var response = try AnswerRows.$current.withValue(rows) {
                    try view.perform(in: transaction, work)
                }
                response.headers.add(transaction.mark)
                let record = KeptAnswer(response, rows.rows, verbatim: settings.all.idempotencyVerbatim)
                let bytes = try known.keep(
                    record, in: transaction, from: time, for: settings.all.idempotencyLifetime)
                kept.put((bytes, time))
                answer.put(response)
            } completion: { [self] outcome in
                if case .success = outcome, let kept = kept.value {
                    repetitions.add(kept.bytes, of: account, at: kept.time, for: settings.all.idempotencyLifetime)
                }
                switch outcome {
                case .success: responder.answer(answer.value ?? response(to: Problem.internalError))
                case .failure(let replay as IdempotentRequest.Replay): responder.answer(replay.response)
                case .failure(let error as StoreError) where error.code == .schemaReplaced && request.again != nil:
                    // Not on the writer's thread, where this runs.
                    workers.run(for: account) { request.again?().answer(responder) }
                case .failure(let error): responder.answer(response(to: error, of: request))
                }
            }
        }
    }

    /// Tells the log of rules that do not fit the schema.
    func checkRoles() {
        guard let access, let schema = try? store.snapshot().schema else { return }
        ruleProblems.tell(of: access.roles, schema)
    }

    /// What a request gets that is refused before it comes to its write. One that was done before, under its
    /// `Idempotency-Key`, gets the answer of then: what its path leads to may be gone since, perhaps by its own doing.
    func refusal(of request: Request, _ error: any Error) -> Reply {
        guard request.method != .get, request.method != .head, let caller = try? caller(of: request),
            let known = try? IdempotentRequest(request, caller)
        else { return .now(response(to: error, of: request)) }
        let clock = configuration.clock
        return .later { [self] responder in
            store.submit { transaction in
                try known.checkNew(in: transaction, caller.view, at: clock())
                throw error
            } completion: { [self] outcome in
                if case .failure(let replay as IdempotentRequest.Replay) = outcome {
                    responder.answer(replay.response)
                } else {
                    responder.answer(response(to: error, of: request))
                }
            }
        }
    }

    /// Notes a stream that ends when its caller may not see any more what it saw when it was opened.
    func opened(_ stream: EventStream, by caller: Caller) {
        guard let access else { return }
        streams.add(stream, of: caller)
        // It may have changed since the caller was let in.
        if !access.isValid(caller) { endStreams() }
    }

    /// Ends the streams of callers that are not let in any more, or may do other things now.
    func endStreams() {
        guard let access else { return }
        streams.end { access.isValid($0) }
    }
}
