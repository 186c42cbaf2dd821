import CKernels

/// `LIKE`: `*` is any run, `?` one character; every other character matches itself, and the whole text must match. The
/// pattern is in lower case when case is ignored, which here is that of ASCII letters.
struct LikePattern: Sendable {
    /// The parts between the `*`; nil for a pattern with `?`, which is compared character by character.
    private let parts: [Range<Int>]?
    /// The longest part without `*` and `?`, which every matching text contains; the first of equally long ones.
    let longest: Range<Int>
    private let isText: Bool

    /// - Parameter isText: whether texts are UTF-8, of which `?` matches whole characters; otherwise they are data.
    init(_ pattern: [UInt8], isText: Bool) {
        self.isText = isText
        let wildcards = [UInt8(ascii: "*"), UInt8(ascii: "?")]
        var parts: [Range<Int>] = []
        var start = 0
        for (index, byte) in pattern.enumerated() where wildcards.contains(byte) {
            parts.append(start..<index)
            start = index + 1
        }
        parts.append(start..<pattern.count)
        longest = parts.reduce(parts[0]) { $1.count > $0.count ? $1 : $0 }
        self.parts = pattern.contains(UInt8(ascii: "?")) ? nil : parts
    }

    /// - Parameter pattern: the bytes that the pattern was made of.
    ///
    /// Cost: without `?` that of searching each part once; otherwise at most length of text × length of pattern,
    /// without recursion.
    func matches(
        _ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>, ignoresCase: Bool
    ) -> Bool {
        guard let parts else { return matchesCharacters(text, pattern, ignoresCase: ignoresCase) }
        return matchesParts(parts, text, pattern, folds: ignoresCase ? 1 : 0)
    }

    /// Whether the text begins with the first part, ends with the last one, and has the others in between, in order: of
    /// each, the first occurrence leaves most to those behind it. Characters need no attention, because a part of whole
    /// characters occurs only where a character begins.
    private func matchesParts(
        _ parts: [Range<Int>], _ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>, folds: Int32
    ) -> Bool {
        let first = parts[0]
        guard text.count >= first.count, find(pattern, first, in: text, 0..<first.count, folds) != nil else {
            return false
        }
        guard parts.count > 1 else { return text.count == first.count }
        let last = parts[parts.count - 1]
        let end = text.count - last.count
        guard end >= first.count, find(pattern, last, in: text, end..<text.count, folds) != nil else { return false }
        var position = first.count
        for part in parts[1..<parts.count - 1] where !part.isEmpty {
            guard let found = find(pattern, part, in: text, position..<end, folds) else { return false }
            position = found + part.count
        }
        return true
    }

    /// Returns the first position of a part of the pattern in a range of the text.
    @inline(__always)
    private func find(
        _ pattern: UnsafeBufferPointer<UInt8>, _ part: Range<Int>, in text: UnsafeBufferPointer<UInt8>,
        _ range: Range<Int>, _ folds: Int32
    ) -> Int? {
        guard !part.isEmpty else { return range.lowerBound }
        guard let start = text.baseAddress, let wanted = pattern.baseAddress else { return nil }
        let offset = rk_find(start + range.lowerBound, range.count, wanted + part.lowerBound, part.count, folds)
        return offset < 0 ? nil : range.lowerBound + offset
    }

    private func matchesCharacters(
        _ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>, ignoresCase: Bool
    ) -> Bool {
        var position = 0
        var wanted = 0
        // The position to resume from when the part after the last `*` did not match: the `*` then covers one character
        // more.
        var star: (wanted: Int, position: Int)?
        while position < text.count {
            if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "*") {
                wanted += 1
                star = (wanted, position)
                continue
            }
            if wanted < pattern.count {
                let byte = text[position]
                if pattern[wanted] == UInt8(ascii: "?") {
                    let length = Self.characterLength(byte)
                    if length <= text.count - position {
                        wanted += 1
                        position += length
                        continue
                    }
                } else if (ignoresCase ? TextFolding.asciiFolded(byte) : byte) == pattern[wanted] {
                    wanted += 1
                    position += 1
                    continue
                }
            }
            guard let back = star else { return false }
            // In text, whole characters, so that no `?` begins within one.
            position = back.position + (isText ? Self.characterLength(text[back.position]) : 1)
            wanted = back.wanted
            star = (wanted, position)
        }
        return position == text.count && pattern[wanted...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// The number of bytes of the character that begins with a byte; 1 for a byte that begins none.
    private static func characterLength(_ first: UInt8) -> Int {
        switch first {
        case 0xC0..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0..<0xF8: 4
        default: 1
        }
    }
}
