/// Recognises names that always lead a browser to its own machine.
package enum LocalName {
    /// Whether a `Host` field, with or without a port, refers to this machine: `localhost` and its subdomains, which
    /// browsers never look up, and loopback addresses.
    package static func isAuthority(_ authority: some StringProtocol) -> Bool {
        authority.utf8.withContiguousStorageIfAvailable { isLocal($0) }
            ?? Array(authority.utf8).withUnsafeBufferPointer { isLocal($0) }
    }

    /// Whether a name is `localhost` or a subdomain, which RFC 6761 assigns to this machine without a lookup.
    package static func isName(_ name: String) -> Bool {
        let name = name.hasSuffix(".") ? String(name.dropLast()) : name
        return Array(name.utf8).withUnsafeBufferPointer { isLocalhost($0) }
    }

    /// Returns the name to look up: the loopback address for `localhost` and its subdomains.
    package static func address(_ name: String) -> String { isName(name) ? "127.0.0.1" : name }

    private static func isLocal(_ authority: UnsafeBufferPointer<UInt8>) -> Bool {
        let isBracketed = authority.first == UInt8(ascii: "[")
        let nameEnd =
            isBracketed
            ? authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } : authority.firstIndex(of: UInt8(ascii: ":"))
        let name = UnsafeBufferPointer(rebasing: authority[..<(nameEnd ?? authority.count)])
        let port = authority[name.count...]
        guard port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(isDigit) else {
            return false
        }
        if isBracketed { return name.elementsEqual("[::1]".utf8) }
        // A name, unlike an address, may end in the point of the root.
        let isAbsolute = name.last == UInt8(ascii: ".")
        return isLocalhost(UnsafeBufferPointer(rebasing: isAbsolute ? name.dropLast() : name[...])) || isLoopback(name)
    }

    /// Whether the name is `localhost` or a subdomain.
    private static func isLocalhost(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let local = "localhost".utf8
        guard name.count >= local.count else { return false }
        let start = name.count - local.count
        return zip(name[start...], local).allSatisfy { foldedASCII($0) == $1 }
            && (start == 0 || name[start - 1] == UInt8(ascii: "."))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }

    /// Whether the name is an IPv4 address in 127.0.0.0/8. A name such as `127.example` is not.
    private static func isLoopback(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.starts(with: "127.".utf8) else { return false }
        var numbers = 0
        var number = 0
        var hasDigits = false
        for byte in name {
            if byte == UInt8(ascii: "."), hasDigits {
                numbers += 1
                (number, hasDigits) = (0, false)
            } else {
                guard isDigit(byte) else { return false }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
                guard number <= 255 else { return false }
                hasDigits = true
            }
        }
        return numbers == 3 && hasDigits
    }
}
