/// A response.
///
/// The server writes `Content-Length` or `Transfer-Encoding` itself and omits the body for `HEAD`, 204 and 304.
package struct Response: Sendable {
    package enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// A body that many responses share; it is sent without copying.
        case shared(SharedBytes)
        /// A body that is produced while it is sent.
        case pieces(any BodySource)
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
        // Capacity for the fields that middlewares add.
        var headers = HeaderFields(capacity: 12)
        headers.add("Content-Type", contentType)
        self.init(status: status, headers: headers, body: .bytes(body))
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

    /// The body's length in bytes; 0 if it is not known.
    package var contentLength: Int {
        switch body {
        case .empty, .pieces: 0
        case .bytes(let bytes): bytes.count
        case .shared(let shared): shared.count
        }
    }

    /// The body as an array; copies a shared body, and produces all pieces of a streamed one.
    package var bodyBytes: [UInt8] {
        switch body {
        case .empty: return []
        case .bytes(let bytes): return bytes
        case .shared(let shared): return shared.bytes
        case .pieces(let source):
            var bytes: [UInt8] = []
            while let piece = try? source.next() { bytes += piece }
            return bytes
        }
    }
}
