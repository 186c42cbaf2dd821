/// What a limit counts by.
package enum LimitKey: Hashable, Sendable {
    case address(UInt32)
    /// Of an IPv6 address the part that one customer has: he can take any address that begins with it.
    case network(UInt64)
    case caller(String)

    /// The key of a peer's address; nil for requests that came over no socket.
    package init?(_ address: RemoteAddress) {
        switch address {
        case .none: return nil
        case .v4(let address, _): self = .address(address)
        // An IPv4 address in IPv6's clothes.
        case .v6(0, let low, _) where low >> 32 == 0xffff: self = .address(UInt32(truncatingIfNeeded: low))
        case .v6(let high, _, _): self = .network(high)
        }
    }
}
