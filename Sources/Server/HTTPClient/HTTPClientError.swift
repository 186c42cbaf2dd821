/// A request that has no response.
package enum HTTPClientError: Error, Hashable, Sendable {
    /// The field has characters that a header cannot have.
    case badField(String)
    case badTarget
    case unresolved(host: String, reason: String)
    case unreachable(endpoint: String, reason: String)
    case noTLS(endpoint: String)
    case untrusted(endpoint: String, reason: String)
    case handshake(endpoint: String, reason: String)
    /// Nothing was sent or received for so long.
    case silence(endpoint: String, seconds: Int)
    /// The connection ended before the response, or what came is not HTTP/1.
    case incomplete(endpoint: String)
    /// In bytes.
    case tooLong(limit: Int)
    /// Without certificates of authorities no server could be verified. The reason is a sentence.
    case noAuthorities(reason: String)
    case outOfMemory

    /// A sentence, or several.
    package var message: String {
        switch self {
        case .badField(let name): "The field \(name) has characters that a header cannot have."
        case .badTarget: "The path has characters that a request cannot have."
        case .unresolved(let host, let reason): "'\(host)' is not a host that can be resolved: \(reason)."
        case .unreachable(let endpoint, let reason): "Cannot connect to \(endpoint): \(reason)."
        case .noTLS(let endpoint): "\(endpoint) does not speak TLS."
        case .untrusted(let endpoint, let reason): "The certificate of \(endpoint) is not accepted: \(reason)."
        case .handshake(let endpoint, let reason): "The TLS handshake with \(endpoint) failed: \(reason)."
        case .silence(let endpoint, let seconds): "\(endpoint) did not respond within \(seconds) s."
        case .incomplete(let endpoint): "\(endpoint) did not give a whole response of HTTP."
        case .tooLong(let limit): "The response is longer than \(limit >> 20) MiB."
        case .noAuthorities(let reason): "\(reason) Install ca-certificates, or name a PEM file in SSL_CERT_FILE."
        case .outOfMemory: "There is no memory for a TLS session."
        }
    }
}
