/// Adds the fields that keep browsers from doing more with an answer than it was made for. Fields that an answer has
/// already stay as they are.
///
/// Pages bring a `Content-Security-Policy` of their own; whatever else is answered gets one that lets it do nothing.
/// `Cross-Origin-Resource-Policy` is about embedding without asking, and does not stand in the way of CORS.
///
/// - Parameter strictTransportSeconds: how long browsers are to come by TLS alone; nil or 0 for a server without TLS.
package func secureAnswers(strictTransportSeconds: Int? = nil) -> Middleware {
    var fields: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    if let seconds = strictTransportSeconds, seconds > 0 {
        fields.append(("Strict-Transport-Security", "max-age=\(seconds)"))
    }
    let all = fields
    return { request, next in
        next(request).mapHead { head in
            for field in all where head.headers[field.name] == nil { head.headers.add(field.name, field.value) }
        }
    }
}
