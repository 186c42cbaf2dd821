import AccessRules
import HTTPServer
import StoreContract

extension Gateway {
    /// Finds out who calls, for the handlers inside.
    func identify(_ request: Request, _ next: (Request) -> Reply) throws -> Reply {
        guard let control = configuration.accessControl else { return next(request) }
        return next(try control.identified(request))
    }

    /// Throws 401 for a request that nobody was found to have made, although that matters.
    func caller(of request: Request) throws(Problem) -> Caller {
        if let caller = request.context as? Caller { return caller }
        guard configuration.accessControl == nil else {
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
        try caller(of: request).view.restrict(try store.snapshot())
    }

    /// Runs work in a write transaction, as far as the caller may do it, and answers with what it gives once the
    /// commit is on disk.
    func write(
        for request: Request, _ work: @escaping @Sendable (any WriteTransaction) throws -> Response
    ) throws(Problem) -> Reply {
        let view = try caller(of: request).view
        return .later { [self] responder in
            let answer = Slot<Response>()
            store.submit { transaction in
                answer.put(try view.perform(in: transaction, work))
            } completion: { [self] outcome in
                switch outcome {
                case .success: responder.answer(answer.value ?? response(to: Problem.internalError))
                case .failure(let error): responder.answer(response(to: error))
                }
            }
        }
    }
}
