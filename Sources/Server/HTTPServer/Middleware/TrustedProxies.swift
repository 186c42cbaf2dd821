import HTTPMessages
import CMicrohttpd
import Glibc

/// The proxies in front of a server whose `X-Forwarded-For` is trusted.
package struct TrustedProxies: Hashable, Sendable {
    /// Addresses with a common prefix; IPv4 as IPv4-mapped IPv6.
    private struct Network: Hashable {
        let high: UInt64
        let low: UInt64
        let length: Int

        func contains(_ address: (high: UInt64, low: UInt64)) -> Bool {
            let highMask = length == 0 ? 0 : UInt64.max << UInt64(max(0, 64 - length))
            let lowMask = length <= 64 ? 0 : UInt64.max << UInt64(128 - length)
            return (high ^ address.high) & highMask == 0 && (low ^ address.low) & lowMask == 0
        }
    }

    private var networks: Set<Network> = []

    package init() {}

    package var isEmpty: Bool { networks.isEmpty }

    /// Adds an address, such as `10.0.0.7` or `fd00::7`, or a network, such as `10.0.0.0/8`. Returns false for other
    /// text.
    package mutating func insert(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let address = RemoteAddress(host: String(first)), let bits = address.bits else {
            return false
        }
        var length = 128
        if parts.count > 1 {
            let shift = if case .v4 = address { 96 } else { 0 }
            guard parts.count == 2, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(parts[1]), number <= 128 - shift
            else { return false }
            length = shift + number
        }
        networks.insert(Network(high: bits.high, low: bits.low, length: length))
        return true
    }

    func contains(_ address: RemoteAddress) -> Bool {
        guard let bits = address.bits else { return false }
        return networks.contains { $0.contains(bits) }
    }

    /// Returns the client of a request: the peer or, if that is a trusted proxy, the address that it names in
    /// `X-Forwarded-For`.
    ///
    /// Each proxy appends the address of its peer, so the field is read from the end for as long as the addresses are
    /// trusted proxies; the client could have invented everything further left.
    func client(of request: Request) -> RemoteAddress {
        var client = request.remoteAddress
        guard contains(client), let named = request.header("X-Forwarded-For") else { return client }
        for text in named.split(separator: ",", omittingEmptySubsequences: false).reversed() {
            guard let address = RemoteAddress(forwarded: text) else { return client }
            client = address
            if !contains(address) { return client }
        }
        return client
    }
}

/// Replaces the peer's address with the client's that trusted proxies name. Use it first, so that logs and limits use
/// it too.
package func trustProxies(_ proxies: @escaping @Sendable () -> TrustedProxies) -> Middleware {
    { request, next in
        let proxies = proxies()
        guard !proxies.isEmpty else { return next(request) }
        var request = request
        request.remoteAddress = proxies.client(of: request)
        return next(request)
    }
}

extension RemoteAddress {
    /// Parses an address without a port; nil for other text.
    init?(host text: String) {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self = .v4(UInt32(bigEndian: v4.s_addr), port: 0)
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let halves = withUnsafeBytes(of: v6) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self = .v6(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1), port: 0)
    }

    /// Parses an address in the form that proxies write: some add the port, with brackets around IPv6.
    fileprivate init?(forwarded text: Substring) {
        let trimmed = String(text.trimmingBlanks)
        if let address = RemoteAddress(host: trimmed) {
            self = address
        } else if trimmed.first == "[", let end = trimmed.lastIndex(of: "]") {
            self.init(host: String(trimmed[..<end].dropFirst()))
        } else if let colon = trimmed.lastIndex(of: ":") {
            self.init(host: String(trimmed[..<colon]))
        } else {
            return nil
        }
    }

    /// The address as IPv6; nil for none.
    fileprivate var bits: (high: UInt64, low: UInt64)? {
        switch self {
        case .none: nil
        case .v4(let address, _): (0, 0xffff_0000_0000 | UInt64(address))
        case .v6(let high, let low, _): (high, low)
        }
    }
}
