/// Refuses requests that are to change something and that a browser says a page from elsewhere makes, while the policy
/// is that of a server that asks nobody for credentials.
///
/// CORS does not do this: it keeps a page from reading an answer, and a browser sends a form, a beacon or a `no-cors`
/// request without asking first. Browsers name the page in `Origin`, and in `Sec-Fetch-Site` how far it is from here;
/// no page can change either field. Programs send neither, and pass. Pages of the server itself pass, and those whose
/// origin is listed by name. Reads pass as well: without the fields of CORS no page sees what is answered.
///
/// - Parameter policy: asked for at each request, because it may change.
package func refuseForeignPages(_ policy: @escaping @Sendable () -> CrossOriginPolicy) -> Middleware {
    { request, next in
        guard request.method.mayChange else { return next(request) }
        let policy = policy()
        guard policy.isOpen(), request.isOfForeignPage(policy) else { return next(request) }
        throw HTTPError(
            403, code: "origin.foreign",
            detail: """
                As long as nobody is asked for credentials, pages of other origins change nothing here. Name the page's \
                origin in cors.origins, or make an API key, which the page sends from then on.
                """)
    }
}

extension HTTPMethod {
    /// Whether RFC 9110 lets a request of this method change what there is.
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
        // `none` is what the user does, such as typing an address.
        guard let site = header("Sec-Fetch-Site") else { return false }
        return site != "same-origin" && site != "none"
    }
}

extension String {
    /// Whether this is the origin of pages that a server with this name gives. The scheme is left out: a proxy may have
    /// taken TLS off. Where it is the only difference, `Sec-Fetch-Site` tells.
    fileprivate func isOrigin(of host: String?) -> Bool {
        guard let host, !host.isEmpty else { return false }
        let name = lowercased()
        return ["http://", "https://"].contains { name == $0 + host.lowercased() }
    }
}
