/// Distinguishes the histories of a store: 64 random bits, drawn when a history begins.
///
/// A version's number alone does not identify a state: after a backup was restored, other work makes the same numbers
/// again.
package struct HistoryTag: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A new tag each time, from the system's random generator.
    package static func random() -> HistoryTag { HistoryTag(rawValue: .random(in: .min ... .max)) }
}

/// The name of one state of a store: a version, and the history that it belongs to. Equal marks are equal states.
///
/// As text `VERSION-TTTTTTTT`: the first 32 bits of the tag in hexadecimal digits. Clients get marks wherever they
/// later present the state that they know: ids of events, ETags, cursors.
package struct Mark: Hashable, Sendable {
    package let version: Version
    /// The first 32 bits of the history's tag.
    package let shownTag: UInt32

    package init(_ version: Version, _ tag: HistoryTag) {
        self.version = version
        shownTag = tag.shown
    }

    /// Whether the state belongs to that history.
    package func isOf(_ tag: HistoryTag) -> Bool { shownTag == tag.shown }
}

extension HistoryTag {
    fileprivate var shown: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
}

extension Mark: LosslessStringConvertible {
    private static let tagDigits = 8
    /// The length of the longest mark: a number of 20 digits, a dash, the tag.
    private static let longest = 29

    /// Returns nil for a text that `description` does not produce.
    package init?(_ text: String) { self.init(text[...]) }

    package init?(_ text: Substring) {
        let utf8 = text.utf8
        guard utf8.count > Self.tagDigits + 1, utf8.count <= Self.longest else { return nil }
        let dash = utf8.index(utf8.endIndex, offsetBy: -(Self.tagDigits + 1))
        guard utf8[dash] == UInt8(ascii: "-"), utf8[..<dash].allSatisfy({ (0x30...0x39).contains($0) }),
            let version = UInt64(text[..<dash])
        else { return nil }
        var tag: UInt32 = 0
        for byte in utf8[utf8.index(after: dash)...] {
            guard let digit = Self.digits.firstIndex(of: byte) else { return nil }
            tag = tag << 4 | UInt32(digit)
        }
        self.version = Version(version)
        shownTag = tag
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Cost: no allocation as long as the version has at most six digits.
    package var description: String {
        String(unsafeUninitializedCapacity: Self.longest) { text in
            var length = 0
            var rest = version.rawValue
            repeat {
                text[length] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
                length += 1
            } while rest > 0
            for place in 0..<length / 2 { text.swapAt(place, length - 1 - place) }
            text[length] = UInt8(ascii: "-")
            length += 1
            for place in (0..<Self.tagDigits).reversed() {
                let digit = UInt8(truncatingIfNeeded: shownTag >> UInt32(4 * place)) & 15
                text[length] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                length += 1
            }
            return length
        }
    }
}
