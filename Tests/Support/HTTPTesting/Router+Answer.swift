package import HTTPMessages
package import HTTPServer
import Promises

extension Router {
    /// Sends a request without a socket and waits for the answer. For an event stream it is the head.
    package func answer(_ request: Request) throws -> Response {
        switch respond(to: request) {
        case .now(let response): return response
        case .events(let headers, _): return Response(headers: headers)
        case .later(let start):
            let answered = Promise<Response?>()
            start(
                Responder { answer in
                    if case .response(let response) = answer { answered.set(response) } else { answered.set(nil) }
                })
            return answered.wait() ?? .empty(599)
        }
    }
}
