/// How a handler answers.
package enum Reply: Sendable {
    /// The answer is here.
    case now(Response)
    /// The answer comes later, from any thread. The connection sleeps meanwhile; the loop goes on. The closure
    /// runs at once on the loop's thread and must not block.
    case later(@Sendable (Responder) -> Void)
    /// A stream of server-sent events. `start` runs on the loop's thread once the stream exists; events sent
    /// before the connection is ready are kept in order.
    case events(headers: HeaderFields = [:], start: @Sendable (EventStream) -> Void)

    /// Gives the answer to a request that has been waiting for it.
    package func answer(_ responder: Responder) {
        switch self {
        case .now(let response): responder.answer(response)
        case .later(let body): body(responder)
        case .events(let headers, let start): responder.openEvents(headers: headers, start: start)
        }
    }

    /// This reply with every response, also a later one, and the head of an event stream, passed through `transform`.
    /// Only the headers of the transformed head matter for an event stream.
    package func mapHead(_ transform: @escaping @Sendable (inout Response) -> Void) -> Reply {
        switch self {
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
