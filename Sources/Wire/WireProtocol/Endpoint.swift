/// A path of the gateway that followers request, as a pattern with a parameter for each `:name`.
package struct Endpoint: Hashable, Sendable {
    /// The pattern in the router's syntax.
    package let pattern: String

    private init(_ pattern: String) { self.pattern = pattern }

    /// Reports that the gateway is running.
    package static let health = Endpoint("/healthz")
    /// Performs several writes, all or none.
    package static let transactions = Endpoint("/v1/transactions")
    /// The objects of a class.
    package static let objects = Endpoint("/v1/objects/:class")
    package static let subscriptionSet = Endpoint("/v1/subscriptions/:set")
    package static let subscription = Endpoint("/v1/subscriptions/:set/:name")
    /// The events of all subscriptions of a set.
    package static let subscriptionStream = Endpoint("/v1/subscriptions/:set/stream")
    /// Requests a barrier event on the open streams of a set: see `BarrierToken`.
    package static let barrier = Endpoint("/v1/subscriptions/:set/barriers/:token")

    /// The names of parameters in patterns.
    package enum Parameter {
        package static let `class` = "class"
        package static let set = "set"
        package static let name = "name"
        package static let token = "token"
    }

    /// Returns the path with the given segments in place of the parameters, in order; each is percent-encoded.
    ///
    /// - Parameter query: the names and values of the query parameters, in order.
    package func path(_ segments: String..., query: [(name: String, value: String)] = []) -> String {
        var rest = segments[...]
        var path = ""
        for part in pattern.split(separator: "/") {
            path += "/"
            path += part.hasPrefix(":") ? Self.encoded(rest.popFirst() ?? "") : String(part)
        }
        guard !query.isEmpty else { return path }
        return path + "?" + query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    /// Percent-encodes all bytes except ASCII letters, digits and `-._~`.
    package static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: bytes.append(byte)
            default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
