package import HTTPMessages

/// The key by which a limit counts.
package enum LimitKey: Hashable, Sendable {
    case address(UInt32)
    /// The first 64 bits of an IPv6 address: one customer can use any address that begins with them.
    case network(UInt64)
    case caller(String)

    /// Returns the key of a peer's address; nil for requests without a socket.
    package init?(_ address: RemoteAddress) {
        switch address {
        case .none: return nil
        case .v4(let address, _): self = .address(address)
        // An IPv4-mapped IPv6 address.
        case .v6(0, let low, _) where low >> 32 == 0xffff: self = .address(UInt32(truncatingIfNeeded: low))
        case .v6(let high, _, _): self = .network(high)
        }
    }
}
