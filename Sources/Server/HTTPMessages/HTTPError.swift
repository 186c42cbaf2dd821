/// An error that determines the response to its request.
///
/// Handlers throw it; the router renders it. Any other error is logged and becomes a 500 without its cause.
package protocol HTTPErrorConvertible: Error {
    var httpResponse: Response { get }
}

/// An error response as an `application/problem+json` document: of the HTTP layer, or of a handler that has no error
/// type of its own.
package struct HTTPError: HTTPErrorConvertible {
    /// Stable, for programs: lower-case words joined by underscores. Each has one status.
    package enum Code: String, CaseIterable, Hashable, Sendable {
        case malformedRequest = "malformed_request"
        case malformedTarget = "malformed_target"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case bodyTooLarge = "body_too_large"
        case targetTooLong = "target_too_long"
        case headerTooLarge = "header_too_large"
        case expectationFailed = "expectation_failed"
        case notImplemented = "not_implemented"
        case versionNotSupported = "version_not_supported"
        case encodingInvalid = "encoding.invalid"
        case encodingUnsupported = "encoding.unsupported"
        case encodingNotAcceptable = "encoding.not_acceptable"
        case originForeign = "origin.foreign"
        case hostForeign = "host.foreign"
        case rateLimited = "rate.limited"
        case streamsLimited = "streams.limited"
        case tooManyStreams = "too_many_streams"
        case tooManyConnections = "too_many_connections"
        case answerNoMemory = "answer.no_memory"
        case bodyNoMemory = "body.no_memory"
        case outOfMemory = "out_of_memory"
        case storageFull = "storage.full"
        case stopping = "stopping"
        case internalError = "internal_error"

        /// 400...599.
        package var status: Int {
            switch self {
            case .malformedRequest, .malformedTarget, .encodingInvalid: 400
            case .originForeign: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .encodingNotAcceptable: 406
            case .bodyTooLarge: 413
            case .targetTooLong: 414
            case .encodingUnsupported: 415
            case .expectationFailed: 417
            case .hostForeign: 421
            case .rateLimited, .streamsLimited: 429
            case .headerTooLarge: 431
            case .internalError: 500
            case .notImplemented: 501
            case .tooManyStreams, .tooManyConnections, .answerNoMemory, .bodyNoMemory, .outOfMemory, .stopping: 503
            case .versionNotSupported: 505
            case .storageFull: 507
            }
        }
    }

    package var code: Code
    /// A sentence for people that says what to do.
    package var detail: String
    package var headers: HeaderFields

    package init(_ code: Code, detail: String, headers: HeaderFields = [:]) {
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    package var status: Int { code.status }

    package var httpResponse: Response {
        var json = "{\"type\":\"about:blank\",\"title\":"
        appendJSON(reasonPhrase(status), to: &json)
        json += ",\"status\":\(status),\"detail\":"
        appendJSON(detail, to: &json)
        json += ",\"code\":"
        appendJSON(code.rawValue, to: &json)
        json += "}"
        var response = Response(status: status, contentType: "application/problem+json", body: Array(json.utf8))
        for field in headers { response.headers.add(field.name, field.value) }
        return response
    }

    package static func notFound(_ detail: String) -> HTTPError {
        HTTPError(.notFound, detail: detail)
    }

    /// The response to an internal error.
    package static let internalError = HTTPError(
        .internalError, detail: "The server could not answer this request. Its log says why.")
}

/// Appends a JSON string literal, including the quotes.
private func appendJSON(_ text: String, to json: inout String) {
    json.unicodeScalars.append("\"")
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": json += "\\\""
        case "\\": json += "\\\\"
        case "\n": json += "\\n"
        case "\u{0}"..."\u{1f}":
            let hex = String(scalar.value, radix: 16)
            json += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        default: json.unicodeScalars.append(scalar)
        }
    }
    json.unicodeScalars.append("\"")
}

/// Returns the phrase of RFC 9110 for a status that this server or its gateway sends.
package func reasonPhrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 507: "Insufficient Storage"
    case 505: "HTTP Version Not Supported"
    default: status < 500 ? "Request Failed" : "Server Error"
    }
}
