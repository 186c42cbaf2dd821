package import Compression

/// A parsed `Accept-Encoding` header.
package struct AcceptEncoding: Hashable, Sendable {
    /// The supported coding that the client prefers; among equals the first of `Coding.allCases`. Nil for none.
    package let coding: Coding?
    /// Whether the client accepts an uncompressed body.
    package let allowsIdentity: Bool

    /// - Parameter header: the value; nil or an invalid one requests an uncompressed body.
    package init(_ header: String?) {
        if let header, let plain = Self.plain(header) {
            self = plain
            return
        }
        guard let header, let weights = Self.weights(header) else {
            (coding, allowsIdentity) = (nil, true)
            return
        }
        // Of two elements with the same name, the last one applies.
        func weight(of name: String) -> Int? { weights.last { $0.name == name }?.weight }
        let (others, identity) = (weight(of: "*"), weight(of: "identity"))
        allowsIdentity = (identity ?? others ?? 1) > 0
        var best: (coding: Coding, weight: Int)?
        for coding in Coding.allCases {
            let named = weights.last { Coding(name: $0.name) == coding }?.weight
            let present = named ?? others ?? 0
            if present > best?.weight ?? 0 { best = (coding, present) }
        }
        // A client that prefers an uncompressed body says so by name.
        if let identity, let known = best, identity > known.weight { best = nil }
        coding = best?.coding
    }

    private init(coding: Coding?, allowsIdentity: Bool) {
        self.coding = coding
        self.allowsIdentity = allowsIdentity
    }

    /// Parses a list without weights, as browsers and most clients send it, without making strings; nil for others.
    private static func plain(_ header: String) -> AcceptEncoding? {
        var header = header
        return header.withUTF8 { header in
            var preferred = Coding.names.endIndex
            var start = 0
            while start < header.count {
                var end = start
                while end < header.count, header[end] != UInt8(ascii: ",") { end += 1 }
                var (first, last) = (start, end)
                while first < last, isBlank(header[first]) { first += 1 }
                while last > first, isBlank(header[last - 1]) { last -= 1 }
                let name = UnsafeBufferPointer(rebasing: header[first..<last])
                // A wildcard stands for what is not named, and a parameter may be a weight.
                guard !name.contains(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ";") }) else { return nil }
                if let index = Coding.names.firstIndex(where: { equals(name, $0.name) }) {
                    preferred = min(preferred, index)
                }
                start = end + 1
            }
            return AcceptEncoding(
                coding: preferred < Coding.names.endIndex ? Coding.names[preferred].coding : nil, allowsIdentity: true)
        }
    }

    /// Returns the weight of each coding in thousandths; nil if the header is not a list of codings.
    private static func weights(_ header: String) -> [(name: String, weight: Int)]? {
        var weights: [(name: String, weight: Int)] = []
        for element in FieldElement.list(header) {
            var weight = 1000
            for parameter in element.parameters {
                guard parameter.name == "q", let value = parameter.value.flatMap(thousandths) else { return nil }
                weight = value
            }
            weights.append((element.name, weight))
        }
        return weights
    }

    /// Parses a weight of RFC 9110: 0 or 1 with up to three digits.
    private static func thousandths(_ text: String) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1", parts.count <= 2 else { return nil }
        let digits = parts.count == 2 ? String(parts[1]) : ""
        guard digits.utf8.count <= 3, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let fraction = Int(digits + String(repeating: "0", count: 3 - digits.utf8.count)) ?? 0
        guard whole == "0" || fraction == 0 else { return nil }
        return whole == "1" ? 1000 : fraction
    }
}
