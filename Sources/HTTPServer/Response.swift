/// An answer with a body of known size.
///
/// The server writes `Content-Length` itself and leaves the body out for `HEAD`, 204 and 304.
package struct Response: Sendable {
    package enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// A body that many answers share; it is sent from where it lies.
        case shared(SharedBytes)
    }

    /// 200...599.
    package var status: Int
    package var headers: HeaderFields
    package var body: Body

    package init(status: Int = 200, headers: HeaderFields = [:], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package init(status: Int = 200, contentType: String, body: [UInt8]) {
        self.init(status: status, headers: ["Content-Type": contentType], body: .bytes(body))
    }

    package static func json(_ body: [UInt8], status: Int = 200) -> Response {
        Response(status: status, contentType: "application/json", body: body)
    }

    package static func text(_ text: String, status: Int = 200) -> Response {
        Response(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }

    package static func empty(_ status: Int = 204) -> Response {
        Response(status: status)
    }

    /// The body's length in bytes.
    package var contentLength: Int {
        switch body {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .shared(let shared): shared.count
        }
    }

    /// The body as an array; copies a shared one.
    package var bodyBytes: [UInt8] {
        switch body {
        case .empty: []
        case .bytes(let bytes): bytes
        case .shared(let shared): shared.bytes
        }
    }
}
