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

/// The name of one state of a store: a version, and the history that it belongs to. Equal marks are equal states, seen
/// with equal permissions.
///
/// As text `VERSION-TTTTTTTT`: the first 32 bits of the tag in hexadecimal digits. For callers who do not see
/// everything `-VVVVVVVV` follows, the fingerprint of what they may see. Clients get marks wherever they later present
/// the state that they know: ids of events, ETags, cursors.
package struct Mark: Hashable, Sendable {
    package let version: Version
    /// The first 32 bits of the history's tag.
    package let shownTag: UInt32
    /// Identifies the permissions with which the state was read; nil for full access. What a client knows of a state is
    /// something else when its permissions were others.
    package private(set) var view: UInt32?

    package init(_ version: Version, _ tag: HistoryTag) {
        self.version = version
        shownTag = tag.shown
    }

    /// Whether the state belongs to that history.
    package func isOf(_ tag: HistoryTag) -> Bool { shownTag == tag.shown }

    /// Returns the mark of the same state for a caller with these permissions.
    package func seen(by view: UInt32?) -> Mark {
        var seen = self
        seen.view = view
        return seen
    }

    /// Whether both name the same state of the store, whoever saw it.
    package func isSameState(as other: Mark) -> Bool { seen(by: nil) == other.seen(by: nil) }
}

extension HistoryTag {
    fileprivate var shown: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
}

extension Mark: LosslessStringConvertible {
    /// The digits of a tag and of a view.
    private static let partDigits = 8
    /// The digits of the largest version.
    private static let versionDigits = 20
    /// The length of the longest mark.
    private static let longest = versionDigits + 2 * (1 + partDigits)

    /// Returns nil for a text that `description` does not produce.
    package init?(_ text: String) { self.init(text[...]) }

    package init?(_ text: Substring) {
        guard text.utf8.count <= Self.longest, var (rest, tag) = Self.lastPart(of: text) else { return nil }
        if let (before, first) = Self.lastPart(of: rest) {
            view = tag
            (rest, tag) = (before, first)
        }
        guard (1...Self.versionDigits).contains(rest.utf8.count),
            rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let version = UInt64(rest)
        else { return nil }
        self.version = Version(version)
        shownTag = tag
    }

    /// Parses `-` and eight hexadecimal digits at the end; nil if there are none.
    private static func lastPart(of text: Substring) -> (rest: Substring, value: UInt32)? {
        let utf8 = text.utf8
        guard utf8.count > partDigits else { return nil }
        let dash = utf8.index(utf8.endIndex, offsetBy: -(partDigits + 1))
        guard utf8[dash] == UInt8(ascii: "-") else { return nil }
        var value: UInt32 = 0
        for byte in utf8[utf8.index(after: dash)...] {
            guard let digit = digits.firstIndex(of: byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return (text[..<dash], value)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Cost: no allocation for full access as long as the version has at most six digits.
    package var description: String {
        String(unsafeUninitializedCapacity: Self.longest) { text in
            var length = 0
            var rest = version.rawValue
            repeat {
                text[length] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
                length += 1
            } while rest > 0
            for index in 0..<length / 2 { text.swapAt(index, length - 1 - index) }
            func write(_ part: UInt32) {
                text[length] = UInt8(ascii: "-")
                length += 1
                for index in (0..<Self.partDigits).reversed() {
                    let digit = UInt8(truncatingIfNeeded: part >> UInt32(4 * index)) & 15
                    text[length] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                    length += 1
                }
            }
            write(shownTag)
            if let view { write(view) }
            return length
        }
    }
}
