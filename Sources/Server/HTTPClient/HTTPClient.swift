import Cryptography
package import HTTPMessages

/// Sends requests to one server, over HTTP or HTTPS, with a connection for each.
///
/// Calls block their thread. Over HTTPS the server's certificate is verified before anything is sent. There are no
/// redirects, cookies, proxies and event streams.
///
/// It is for programs that have GnuTLS and no Foundation; an app's follower uses `URLSession` (`SyncEngine`).
package struct HTTPClient: Sendable {
    package let base: BaseURL
    /// The seconds that it waits for each progress: a connection, bytes sent, bytes received.
    package var patience: Int
    /// The maximum length of a response's body.
    package var responseLimit: Int
    /// Nil for plain HTTP.
    private let trust: TLSTrust?

    /// Which servers it accepts over HTTPS.
    package enum Trust: Sendable, Hashable {
        /// Those whose certificate an authority has issued that the system trusts.
        case system
        /// Those of the authorities in a file in PEM format, and no others.
        case authorities(file: String)
        /// All. A request must contain no secret, and its response proves nothing.
        case unverified
    }

    /// - Throws: ``HTTPClientError/noAuthorities(reason:)``, for HTTPS only.
    package init(
        to base: BaseURL, trusting trust: Trust = .system, patience: Int = 60,
        responseLimit: Int = 64 << 20
    ) throws(HTTPClientError) {
        self.base = base
        self.patience = patience
        self.responseLimit = responseLimit
        self.trust = base.isSecure ? try Self.made(trust) : nil
    }

    private static func made(_ trust: Trust) throws(HTTPClientError) -> TLSTrust {
        do throws(TLSTrust.Error) {
            switch trust {
            case .system: return try TLSTrust(.system)
            case .authorities(let file): return try TLSTrust(.file(file))
            case .unverified: return try TLSTrust(.unverified)
            }
        } catch {
            switch error {
            case .noSystemAuthorities:
                throw .noAuthorities(reason: "This system has no file with certificates of authorities.")
            case .unusableFile(let path, let reason):
                throw .noAuthorities(
                    reason: "'\(path)' cannot be used as the certificates of authorities: \(reason).")
            case .outOfMemory: throw .outOfMemory
            }
        }
    }

    /// Sends a request and returns its response, of any status.
    ///
    /// - Parameters:
    ///   - target: path and query below the base, percent-encoded.
    ///   - headers: all but `Host`, `Connection` and `Content-Length`.
    package func send(
        _ method: HTTPMethod, _ target: String, headers: HeaderFields = [:], body: [UInt8]? = nil
    ) throws(HTTPClientError) -> Response {
        let request = Array(try head(method, target, headers, bodyLength: body?.count).utf8) + (body ?? [])
        let connection = try ClientConnection(to: base, trust: trust, patience: patience)
        try connection.send(request)
        var reader = ResponseReader(limit: responseLimit, hasBody: method != .head)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !reader.isWhole {
            let received = try connection.received(&buffer)
            do throws(ResponseReader.Error) {
                switch received {
                case .bytes(let count): try reader.feed(buffer[..<count])
                case .end: try reader.end()
                case .cut: throw .malformed
                }
            } catch {
                throw error == .tooLong ? .tooLong(limit: responseLimit) : .incomplete(endpoint: base.endpoint)
            }
        }
        return reader.response
    }

    private func head(
        _ method: HTTPMethod, _ target: String, _ headers: HeaderFields, bodyLength: Int?
    ) throws(HTTPClientError) -> String {
        guard target.hasPrefix("/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw .badTarget }
        var head = "\(method) \(base.prefix)\(target) HTTP/1.1\r\nHost: \(base.authority)\r\nConnection: close\r\n"
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }),
                value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 })
            else { throw .badField(name) }
            head += "\(name): \(value)\r\n"
        }
        if let bodyLength { head += "Content-Length: \(bodyLength)\r\n" }
        return head + "\r\n"
    }
}
