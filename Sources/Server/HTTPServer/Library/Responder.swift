package import HTTPMessages
import Synchronization

/// Answers one suspended request, once, from any thread.
///
/// If it is released without a response it sends a 500, so that a lost continuation does not leave a client waiting. A
/// second response is ignored.
package final class Responder: Sendable {
    package enum Outcome: Sendable {
        case response(Response)
        case events(headers: HeaderFields, start: @Sendable (EventStream) -> Void)
    }

    private let deliver: @Sendable (Outcome) -> Void
    /// The client that waits for the response.
    package let client: ClientPresence
    private let answered = Atomic(false)

    /// - Parameter deliver: called exactly once, on the thread that answers.
    package init(client: ClientPresence = ClientPresence(), deliver: @escaping @Sendable (Outcome) -> Void) {
        self.client = client
        self.deliver = deliver
    }

    deinit {
        if !answered.load(ordering: .acquiring) { deliver(.response(HTTPError.internalError.httpResponse)) }
    }

    /// Sends the response.
    package func send(_ response: Response) {
        send(.response(response))
    }

    /// Sends the response that an error describes; any other error becomes a 500 without details.
    package func send(error: any Error) {
        let convertible = error as? any HTTPErrorConvertible
        send(.response(convertible?.httpResponse ?? HTTPError.internalError.httpResponse))
    }

    /// Opens an event stream instead of sending a response. `start` runs on the loop's thread.
    package func openEvents(headers: HeaderFields = [:], start: @escaping @Sendable (EventStream) -> Void) {
        send(.events(headers: headers, start: start))
    }

    func mapHead(_ transform: @escaping @Sendable (inout Response) -> Void) -> Responder {
        Responder(client: client) { [self] outcome in
            switch outcome {
            case .response(var response):
                transform(&response)
                send(.response(response))
            case .events(let headers, let start):
                var head = Response(headers: headers)
                transform(&head)
                send(.events(headers: head.headers, start: start))
            }
        }
    }

    private func send(_ outcome: Outcome) {
        guard !answered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        deliver(outcome)
    }
}
