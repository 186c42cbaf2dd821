package import Compression

/// A parsed `Accept-Encoding` header.
package struct AcceptEncoding: Hashable, Sendable {
    /// The supported coding that the client prefers; among equals the first of `Coding.allCases`. Nil for none.
    package let coding: Coding?
    /// Whether the client accepts an uncompressed body.
    package let allowsIdentity: Bool

    /// - Parameter header: the value; nil or an invalid one requests an uncompressed body.
    package init(_ header: String?) {
        guard let header, let weights = Self.weights(header) else {
            (coding, allowsIdentity) = (nil, true)
            return
        }
        let others = weights["*"]
        allowsIdentity = (weights["identity"] ?? others ?? 1) > 0
        var best: (coding: Coding, weight: Int)?
        for coding in Coding.allCases {
            let named = weights[coding.rawValue] ?? (coding == .gzip ? weights["x-gzip"] : nil)
            let weight = named ?? others ?? 0
            if weight > best?.weight ?? 0 { best = (coding, weight) }
        }
        // A client that prefers an uncompressed body says so by name.
        if let identity = weights["identity"], let known = best, identity > known.weight { best = nil }
        coding = best?.coding
    }

    /// Returns the weights in thousandths, by coding; nil for an invalid list.
    private static func weights(_ header: String) -> [String: Int]? {
        var weights: [String: Int] = [:]
        for element in header.split(separator: ",") {
            let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
            guard let name = parts.first?.lowercased() else { continue }
            if name.isEmpty, parts.count == 1 { continue }
            var weight = 1000
            for parameter in parts.dropFirst() {
                let sides = parameter.split(separator: "=", maxSplits: 1).map(trimmed)
                guard sides.count == 2, sides[0].lowercased() == "q", let value = thousandths(sides[1]) else {
                    return nil
                }
                weight = value
            }
            weights[name] = weight
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

private func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
}
