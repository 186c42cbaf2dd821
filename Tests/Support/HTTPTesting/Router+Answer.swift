import Dispatch
package import HTTPServer
import Synchronization

extension Router {
    /// Sends a request without a socket and waits for the answer. For an event stream it is the head.
    package func answer(_ request: Request) throws -> Response {
        switch respond(to: request) {
        case .now(let response): return response
        case .events(let headers, _): return Response(headers: headers)
        case .later(let start):
            let ready = DispatchSemaphore(value: 0)
            let box = AnswerBox()
            start(
                Responder { answer in
                    if case .response(let response) = answer { box.content.withLock { $0 = response } }
                    ready.signal()
                })
            ready.wait()
            return box.content.withLock { $0 } ?? .empty(599)
        }
    }
}

private final class AnswerBox: Sendable {
    let content = Mutex<Response?>(nil)
}
