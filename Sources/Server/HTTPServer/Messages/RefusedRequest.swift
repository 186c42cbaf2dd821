/// What is known of a request that the server refuses before any middleware sees it.
package struct RefusedRequest: Sendable {
    /// The field `Origin`.
    package var origin: String?
    /// Whether the header was received up to its end, so that a missing origin is none.
    package var isHeaderWhole: Bool
    /// The method and the header fields for which a browser asks for permission; nil if it does not.
    package var preflight: (method: String, fields: String?)?

    package init(origin: String?, isHeaderWhole: Bool = true, preflight: (method: String, fields: String?)? = nil) {
        self.origin = origin
        self.isHeaderWhole = isHeaderWhole
        self.preflight = preflight
    }

    /// Returns the value of `Origin` in bytes that are a part of a header, which may begin and end anywhere.
    static func origin(in bytes: some BidirectionalCollection<UInt8>) -> String? {
        let label = Array("origin:".utf8)
        for line in bytes.split(separator: UInt8(ascii: "\n")).dropFirst()
        where line.last == UInt8(ascii: "\r") && line.prefix(label.count).map({ foldedASCII($0) }) == label {
            let value = line.dropFirst(label.count).dropLast().drop { isBlank($0) }
            return String(validating: value, as: UTF8.self)
        }
        return nil
    }
}
