package import HTTPMessages

/// A handler's reply.
package enum Reply: Sendable {
    /// The response is ready.
    case now(Response)
    /// The response comes later, from any thread. The connection is suspended meanwhile. The closure runs at once on
    /// the loop's thread and must not block.
    case later(@Sendable (Responder) -> Void)
    /// A stream of server-sent events. `start` runs on the loop's thread once the stream exists; events sent before the
    /// connection is ready are kept in order.
    case events(headers: HeaderFields = [:], start: @Sendable (EventStream) -> Void)

    /// Sends the reply to a request that has been waiting for it.
    package func send(to responder: Responder) {
        switch self {
        case .now(let response): responder.send(response)
        case .later(let body): body(responder)
        case .events(let headers, let start): responder.openEvents(headers: headers, start: start)
        }
    }

    /// Returns this reply with each response, also a later one, and the head of an event stream, passed through
    /// `transform`. For an event stream only the headers of the transformed head are used.
    ///
    /// Consumes the reply, so that the header of a response is changed in place.
    package consuming func mapHead(_ transform: @escaping @Sendable (inout Response) -> Void) -> Reply {
        switch consume self {
        case .now(var response):
            transform(&response)
            return .now(response)
        case .later(let body):
            return .later { body($0.mapHead(transform)) }
        case .events(let headers, let start):
            var head = Response(headers: headers)
            transform(&head)
            return .events(headers: head.headers, start: start)
        }
    }
}

extension Reply {
    /// Returns this reply with its answer transformed, also a later one.
    func map(_ transform: @escaping @Sendable (Responder.Outcome) -> Responder.Outcome) -> Reply {
        switch self {
        case .now(let response): return Reply(transform(.response(response)))
        case .events(let headers, let start): return Reply(transform(.events(headers: headers, start: start)))
        case .later(let body):
            return .later { responder in
                body(
                    Responder(client: responder.client) { outcome in
                        switch transform(outcome) {
                        case .response(let response): responder.send(response)
                        case .events(let headers, let start): responder.openEvents(headers: headers, start: start)
                        }
                    })
            }
        }
    }

    private init(_ outcome: Responder.Outcome) {
        switch outcome {
        case .response(let response): self = .now(response)
        case .events(let headers, let start): self = .events(headers: headers, start: start)
        }
    }
}
