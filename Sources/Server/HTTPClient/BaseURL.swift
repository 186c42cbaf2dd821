/// A server's address, and the path below which its own paths are: `http://HOST[:PORT][/PATH]`, or with `https`.
package struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    package var isSecure: Bool
    /// A name or an address; an IPv6 address without brackets.
    package var host: String
    package var port: Int
    /// In front of the paths of requests, without a slash at the end.
    package var prefix: String

    package init(host: String, port: Int, isSecure: Bool = false, prefix: String = "") {
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.prefix = prefix
    }

    /// Nil for another form: another scheme, a user, a query, a fragment or a port out of range.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"?#@\\\"<>".utf8.contains($0) }),
            let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://")
        else { return nil }
        switch text[..<colon].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let rest = text[colon...].dropFirst(3)
        let authority = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(authority.count)
        while path.last == "/" { path.removeLast() }
        prefix = String(path)
        let usual = isSecure ? 443 : 80
        guard let (host, port) = Self.parts(of: authority, usualPort: usual), !host.isEmpty,
            (1...65_535).contains(port)
        else { return nil }
        (self.host, self.port) = (host, port)
    }

    private static func parts(of authority: Substring, usualPort: Int) -> (host: String, port: Int)? {
        var (host, rest) = (authority, Substring())
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
            guard rest.isEmpty || rest.first == ":" else { return nil }
        } else if let colon = authority.firstIndex(of: ":") {
            (host, rest) = (authority[..<colon], authority[colon...])
        }
        guard !rest.isEmpty else { return (String(host), usualPort) }
        let digits = rest.dropFirst()
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = Int(digits) else { return nil }
        return (String(host), port)
    }

    /// Host and port, as messages name a server.
    package var endpoint: String { "\(bracketed):\(port)" }

    /// The value of a `Host` field.
    var authority: String { port == (isSecure ? 443 : 80) ? bracketed : endpoint }

    private var bracketed: String { host.contains(":") ? "[\(host)]" : host }

    package var description: String { "\(isSecure ? "https" : "http")://\(authority)\(prefix)" }
}
