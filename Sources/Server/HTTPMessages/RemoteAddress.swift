/// The peer's address and port. Its string is created only on demand.
package enum RemoteAddress: Sendable, Equatable, CustomStringConvertible {
    /// A request without a socket.
    case none
    /// The four address bytes, most significant first.
    case v4(UInt32, port: UInt16)
    case v6(high: UInt64, low: UInt64, port: UInt16)

    /// The address without the port, as `inet_ntop` would write a v4 address; v6 groups are not compressed.
    package var host: String {
        switch self {
        case .none: "-"
        case .v4(let address, _):
            "\(address >> 24).\(address >> 16 & 0xff).\(address >> 8 & 0xff).\(address & 0xff)"
        case .v6(let high, let low, _):
            [high, low].flatMap { half in
                stride(from: 48, through: 0, by: -16).map { String(half >> UInt64($0) & 0xffff, radix: 16) }
            }.joined(separator: ":")
        }
    }

    package var description: String {
        switch self {
        case .none: "-"
        case .v4(_, let port): "\(host):\(port)"
        case .v6(_, _, let port): "[\(host)]:\(port)"
        }
    }
}
