/// What is known of a request that the server refuses before any middleware sees it.
package struct RefusedRequest: Sendable {
    /// The field `Origin`.
    package var origin: String?
    /// The method and the header fields for which a browser asks for permission; nil if it does not.
    package var preflight: (method: String, fields: String?)?

    package init(origin: String?, preflight: (method: String, fields: String?)? = nil) {
        self.origin = origin
        self.preflight = preflight
    }
}
