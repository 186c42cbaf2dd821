/// Names by which a browser reaches the machine that it runs on, and nothing else.
package enum LocalName {
    /// Whether the origin of a page, such as `http://localhost:5173`, is on this machine. `null`, which pages from files
    /// and from sandboxes send, is not.
    package static func isOrigin(_ origin: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            return isAuthority(origin.dropFirst(scheme.count))
        }
        return false
    }

    /// Whether a `Host` field, a name or an address with or without a port, means this machine: `localhost` and the
    /// names below it, which browsers never look up, and loopback addresses.
    package static func isAuthority(_ authority: some StringProtocol) -> Bool {
        let authority = authority.lowercased()
        if authority.hasPrefix("[") {
            return authority == "[::1]" || authority.hasPrefix("[::1]:") && isPort(authority, 6)
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2, parts.count == 1 || isDigits(parts[1]) else { return false }
        return name == "localhost" || name.hasSuffix(".localhost") || isLoopback(name)
    }

    private static func isPort(_ authority: String, _ start: Int) -> Bool { isDigits(authority.dropFirst(start)) }

    private static func isDigits(_ text: Substring) -> Bool { text.utf8.allSatisfy { 48...57 ~= $0 } }

    /// Four numbers of which the first is 127. A name such as `127.example` is none.
    private static func isLoopback(_ name: Substring) -> Bool {
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { isDigits($0) && UInt8($0) != nil }
    }
}

/// Refuses requests that name another host than this machine, while the condition holds. A page can have its own name
/// lead to a loopback address, and is then of the same origin as the server behind it: without this it could do there
/// what it likes, if nobody is asked for credentials.
package func refuseForeignHosts(while condition: @escaping @Sendable () -> Bool) -> Middleware {
    { request, next in
        guard let host = request.header("Host"), condition(), !LocalName.isAuthority(host) else { return next(request) }
        throw HTTPError(
            421, code: "host.foreign",
            detail: """
                As long as nobody is asked for credentials, requests are answered that name this machine as their host, \
                such as localhost or 127.0.0.1, and no others. Make an API key, or start the server with --allow-open.
                """)
    }
}
