import AccessRules
import HTTPServer
import ObjectModel
import StoreContract

extension Gateway {
    /// What became of a write within its turn.
    private enum Written: Sendable {
        case response(Response)
        /// The rest is made after the commit, of which this is the state.
        case answer(WriteAnswer, Mark)
    }

    /// Runs work in a write transaction, as far as the caller may do it, and answers with what it gives once the
    /// commit is on disk. A request with an `Idempotency-Key` is done once; its answer is kept in the same commit.
    ///
    /// - Parameter snapshot: what the work was prepared from. When the writer finds another schema than that one has, the
    ///   work's numbers may mean other things by now: then the request is answered again from the beginning.
    func write(
        for request: Request, preparedFrom snapshot: any Snapshot,
        _ work: @escaping @Sendable (any WriteTransaction) throws -> WriteAnswer
    ) throws(Problem) -> Reply {
        let caller = try caller(of: request)
        let view = caller.view
        let known = try IdempotentRequest(request, caller)
        let settings = settings.now
        let account = Self.limitKey(request)
        let schema = BoundAccess.wholeSchema(of: snapshot)
        return .later { [self] responder in
            let written = Slot<Written>()
            let kept = Slot<(bytes: Int, time: Timestamp)>()
            store.submit { [ruleProblems, repetitions] transaction in
                let time = settings.all.clock()
                try known?.checkNew(in: transaction, at: time)
                try StoreError.check(transaction, has: schema)
                if !view.isUnrestricted { ruleProblems.tell(view.access(under: transaction.schema)) }
                if known != nil {
                    try repetitions.check(account, most: settings.all.idempotencyBytesPerCaller, at: time)
                }
                let (answer, response) = try view.perform(in: transaction) { transaction in
                    var answer = try work(transaction)
                    answer.headers.add(transaction.mark)
                    return (answer, try answer.response(in: transaction))
                }
                if let known {
                    let record = KeptAnswer(answer, response, verbatim: settings.all.idempotencyVerbatim)
                    let bytes = try known.keep(
                        record, in: transaction, from: time, for: settings.all.idempotencyLifetime)
                    kept.put((bytes, time))
                }
                written.put(response.map { .response($0) } ?? .answer(answer, transaction.mark))
            } completion: { [self] outcome in
                if case .success = outcome, let kept = kept.value {
                    repetitions.add(kept.bytes, of: account, at: kept.time, for: settings.all.idempotencyLifetime)
                }
                switch outcome {
                case .success:
                    switch written.value {
                    case .response(let response): responder.answer(response)
                    case .answer(let answer, let mark): finish(answer, of: mark, for: caller, account, responder)
                    case nil: responder.answer(response(to: Problem.internalError))
                    }
                case .failure(let replay as IdempotentRequest.Replay): repeated(replay, for: caller, account, responder)
                case .failure(let error as StoreError) where error.code == .schemaReplaced && request.again != nil:
                    // Not on the writer's thread, where this runs.
                    workers.run(for: account) { request.again?().answer(responder) }
                case .failure(let error): responder.answer(response(to: error, of: request))
                }
            }
        }
    }

    /// What a request gets that is refused before it comes to its write. One that was done before, under its
    /// `Idempotency-Key`, gets the answer of then: what its path leads to may be gone since, perhaps by its own doing.
    func refusal(of request: Request, _ error: any Error) -> Reply {
        guard request.method != .get, request.method != .head, let caller = try? caller(of: request),
            let known = try? IdempotentRequest(request, caller)
        else { return .now(response(to: error, of: request)) }
        let clock = configuration.clock
        let account = Self.limitKey(request)
        return .later { [self] responder in
            store.submit { transaction in
                try known.checkNew(in: transaction, at: clock())
                throw error
            } completion: { [self] outcome in
                if case .failure(let replay as IdempotentRequest.Replay) = outcome {
                    repeated(replay, for: caller, account, responder)
                } else {
                    responder.answer(response(to: error, of: request))
                }
            }
        }
    }

    /// Writes the rest of an answer on another thread than the writer's, on which this is called.
    private func finish(
        _ answer: WriteAnswer, of mark: Mark, for caller: Caller, _ account: LimitKey, _ responder: Responder
    ) {
        // Now, when hardly anything can have been written after it.
        let newest = Result { try store.snapshot() }
        workers.run(for: account, responder.client) { [self] in
            do {
                let newest = try newest.get()
                responder.answer(
                    answer.response(
                        from: try state(at: mark, newest, caller) ?? caller.view.restrict(newest),
                        answerBytes: settings.now.all.answerBytes))
            } catch {
                // It was done, whatever can be read now.
                responder.answer(answer.plainResponse)
            }
        }
    }

    /// Gives an answer again, with its objects as they are now.
    private func repeated(
        _ replay: IdempotentRequest.Replay, for caller: Caller, _ account: LimitKey, _ responder: Responder
    ) {
        let answer = replay.answer
        guard !answer.isReady else { return responder.answer(answer.plainResponse) }
        workers.run(for: account, responder.client) { [self] in
            do {
                let newest = try store.snapshot()
                let now = try caller.view.restrict(newest)
                let mark = answer.headers["Realmgate-Mark"].flatMap { Mark($0) }
                let earlier = try mark.flatMap { try state(at: $0, newest, caller) }
                var known = answer
                if earlier == nil { known.tagged = nil }
                known.headers["ETag"] = nil
                responder.answer(
                    known.response(
                        from: now, answerBytes: settings.now.all.answerBytes, unlessChangedSince: earlier))
            } catch {
                responder.answer(response(to: error))
            }
        }
    }

    /// An earlier state, or this one, as the caller sees it; nil when it cannot be told any more.
    private func state(at mark: Mark, _ newest: any Snapshot, _ caller: Caller) throws -> (any ObjectReads)? {
        if mark == newest.mark { return try caller.view.restrict(newest) }
        guard try store.knows(mark), let past = try store.asOf(mark.version, before: newest) else { return nil }
        return try caller.view.restrict(past: past.reads)
    }
}
