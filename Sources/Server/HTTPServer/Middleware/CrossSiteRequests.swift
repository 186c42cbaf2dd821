import HTTPMessages

/// Rejects modifying requests from web pages of other origins, while the server requires no credentials.
///
/// CORS does not do this: it keeps a page from reading a response, but a browser sends a form, a beacon or a `no-cors`
/// request without asking first. Browsers name the page's origin in `Origin`, and its relation to the server in
/// `Sec-Fetch-Site`; pages cannot change either field. Other programs send neither and pass. The server's own pages
/// pass, and so do origins listed by name. Reads pass as well: without the fields of CORS no page can read the
/// response.
///
/// - Parameter policy: called for each request, because it may change.
package func refuseCrossSiteRequests(_ policy: @escaping @Sendable () -> CrossOriginPolicy) -> Middleware {
    { request, next in
        guard request.method.mayChange else { return next(request) }
        let policy = policy()
        guard policy.isOpen(), request.isOfForeignPage(policy) else { return next(request) }
        throw HTTPError(
            .originForeign,
            detail: """
                While the server requires no credentials, pages of other origins cannot change anything. Add the page's \
                origin to cors.origins, or create an API key and send it from the page.
                """)
    }
}

extension HTTPMethod {
    /// Whether RFC 9110 allows a request with this method to change state.
    var mayChange: Bool {
        switch self {
        case .get, .head, .options: false
        case .post, .put, .patch, .delete, .other: true
        }
    }
}

extension Request {
    /// Whether a page makes this request that is neither the server's own nor listed.
    fileprivate func isOfForeignPage(_ policy: CrossOriginPolicy) -> Bool {
        if let origin = header("Origin") {
            if policy.lists(origin) { return false }
            guard origin.isOrigin(of: header("Host")) else { return true }
        }
        // `none` is an action of the user, such as typing an address.
        guard let site = header("Sec-Fetch-Site") else { return false }
        return site != "same-origin" && site != "none"
    }
}

extension String {
    /// Whether this is the origin of pages of a server with this name. The scheme is ignored, because a proxy may have
    /// terminated TLS. If only the scheme differs, `Sec-Fetch-Site` decides.
    fileprivate func isOrigin(of host: String?) -> Bool {
        guard let host, !host.isEmpty else { return false }
        let name = lowercased()
        return ["http://", "https://"].contains { name == $0 + host.lowercased() }
    }
}

/// Rejects requests whose `Host` is not this machine, while the condition is true. A page can make its own name resolve
/// to a loopback address (DNS rebinding), and then has the same origin as the server there: without this check it could
/// do anything on a server that requires no credentials.
package func refuseUnknownHosts(while condition: @escaping @Sendable () -> Bool) -> Middleware {
    { request, next in
        guard let host = request.header("Host"), condition(), !LocalName.isAuthority(host) else { return next(request) }
        throw HTTPError(
            .hostForeign,
            detail: """
                While the server requires no credentials, it answers only requests whose host is this machine, such as \
                localhost or 127.0.0.1. Create an API key, or start the server with --allow-open.
                """)
    }
}
