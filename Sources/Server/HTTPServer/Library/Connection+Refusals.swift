import CMicrohttpd
import Glibc

/// Responses to requests that no middleware sees.
extension Connection {
    /// Returns the response as pages of other origins can read it.
    ///
    /// - Parameter isHeaderWhole: whether the whole header has arrived.
    func readable(_ response: Response, isHeaderWhole: Bool = true) -> Response {
        var request = RefusedRequest(origin: field("Origin"), isHeaderWhole: isHeaderWhole)
        if request.origin == nil, !isHeaderWhole { request.origin = unreadOrigin() }
        if method == .options, let asked = field("Access-Control-Request-Method") {
            request.preflight = (asked, field("Access-Control-Request-Headers"))
        }
        return loop.router.changed(response, to: request)
    }

    /// Returns a header field, as far as the library has parsed the header. It has not parsed the last complete line.
    private func field(_ name: String) -> String? {
        MHD_lookup_connection_value(handle, .HEADER_KIND, name).flatMap { String(validatingCString: $0) }
    }

    /// Returns the origin if it has arrived behind the part of the header that found room. With TLS that cannot be known.
    private func unreadOrigin() -> String? {
        withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { buffer in
            let count = recv(fd, buffer.baseAddress, buffer.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            guard count > 0 else { return nil }
            return RefusedRequest.origin(in: buffer[..<count])
        }
    }
}
