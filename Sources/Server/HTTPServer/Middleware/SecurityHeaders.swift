import HTTPMessages

/// Adds security headers for browsers. Does not change fields that a response already has.
///
/// Pages set their own `Content-Security-Policy`; all other responses get one that allows nothing.
/// `Cross-Origin-Resource-Policy` concerns embedding, and does not affect CORS.
///
/// - Parameter strictTransportSeconds: the `max-age` of `Strict-Transport-Security`; nil or 0 for a server without TLS.
package func addSecurityHeaders(strictTransportSeconds: Int? = nil) -> Middleware {
    var fields: HeaderFields = [
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "Cross-Origin-Resource-Policy": "same-origin",
    ]
    if let seconds = strictTransportSeconds, seconds > 0 {
        fields.add("Strict-Transport-Security", "max-age=\(seconds)")
    }
    let all = fields
    return { request, next in next(request).mapHead { $0.headers.addMissing(all) } }
}
