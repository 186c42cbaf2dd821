import CMicrohttpd

/// Responses to requests that no middleware sees.
extension Connection {
    /// Returns the response as pages of other origins can read it.
    func readable(_ response: Response) -> Response {
        var request = RefusedRequest(origin: field("Origin"))
        if method == .options, let asked = field("Access-Control-Request-Method") {
            request.preflight = (asked, field("Access-Control-Request-Headers"))
        }
        return loop.router.changed(response, to: request)
    }

    private func field(_ name: String) -> String? {
        MHD_lookup_connection_value(handle, .HEADER_KIND, name).flatMap { String(validatingCString: $0) }
    }
}
