extension Reply {
    /// Returns this reply with its answer transformed, also a later one.
    func map(_ transform: @escaping @Sendable (Responder.Answer) -> Responder.Answer) -> Reply {
        switch self {
        case .now(let response): return Reply(transform(.response(response)))
        case .events(let headers, let start): return Reply(transform(.events(headers: headers, start: start)))
        case .later(let body):
            return .later { responder in
                body(
                    Responder(client: responder.client) { answer in
                        switch transform(answer) {
                        case .response(let response): responder.answer(response)
                        case .events(let headers, let start): responder.openEvents(headers: headers, start: start)
                        }
                    })
            }
        }
    }

    private init(_ answer: Responder.Answer) {
        switch answer {
        case .response(let response): self = .now(response)
        case .events(let headers, let start): self = .events(headers: headers, start: start)
        }
    }
}
