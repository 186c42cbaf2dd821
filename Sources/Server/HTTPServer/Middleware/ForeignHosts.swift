import HTTPMessages

/// Rejects requests whose `Host` is not this machine, while the condition is true. A page can make its own name resolve
/// to a loopback address (DNS rebinding), and then has the same origin as the server there: without this check it could
/// do anything on a server that requires no credentials.
package func refuseForeignHosts(while condition: @escaping @Sendable () -> Bool) -> Middleware {
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
