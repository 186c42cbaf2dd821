import Glibc

/// What a text is tested for: equality, order, or a part of it, byte by byte, or with ASCII and Latin-1 letters
/// folded.
package struct TextPattern: Sendable {
    package enum Test: Hashable, Sendable {
        case equal
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
        case prefix
        case suffix
        case contains
        /// `*` is any run, `?` one character.
        case like
    }

    package let test: Test
    package let ignoresCase: Bool
    package let ignoresDiacritics: Bool
    /// Folded already when case is ignored.
    let needle: [UInt8]

    package init(_ test: Test, _ text: String, ignoresCase: Bool = false, ignoresDiacritics: Bool = false) {
        self.init(test, bytes: text.utf8, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
    }

    /// Of UTF-8, or of any bytes.
    package init(
        _ test: Test, bytes: some Collection<UInt8>, ignoresCase: Bool = false, ignoresDiacritics: Bool = false
    ) {
        self.test = test
        self.ignoresCase = ignoresCase
        self.ignoresDiacritics = ignoresDiacritics
        needle = ignoresCase ? Self.folded(Array(bytes)) : Array(bytes)
    }

    package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        needle.withUnsafeBufferPointer { needle in
            if ignoresCase, test == .like {
                let folded = Self.folded(Array(text))
                return folded.withUnsafeBufferPointer { Self.like($0, needle) }
            }
            switch test {
            case .equal: return text.count == needle.count && equal(text, at: 0, needle)
            case .prefix: return text.count >= needle.count && equal(text, at: 0, needle)
            case .suffix: return text.count >= needle.count && equal(text, at: text.count - needle.count, needle)
            case .contains: return contains(text, needle)
            case .like: return Self.like(text, needle)
            case .less: return Self.order(text, needle) < 0
            case .lessOrEqual: return Self.order(text, needle) <= 0
            case .greater: return Self.order(text, needle) > 0
            case .greaterOrEqual: return Self.order(text, needle) >= 0
            }
        }
    }

    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches($0) }
    }

    /// By bytes, a prefix first: negative, zero or positive.
    package static func order(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        if let left = a.baseAddress, let right = b.baseAddress {
            let order = memcmp(left, right, min(a.count, b.count))
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }

    /// Lower-case ASCII letters and À–Þ without ×. In UTF-8 the byte C3 begins U+00C0 to U+00FF and nothing else.
    private static func folded(_ text: [UInt8]) -> [UInt8] {
        var folded = text
        var previous: UInt8 = 0
        for index in folded.indices {
            folded[index] = fold(text[index], after: previous)
            previous = text[index]
        }
        return folded
    }

    @inline(__always)
    private static func fold(_ byte: UInt8, after previous: UInt8) -> UInt8 {
        if byte &- 0x41 < 26 { return byte | 0x20 }
        if previous == 0xC3, byte >= 0x80, byte <= 0x9E, byte != 0x97 { return byte | 0x20 }
        return byte
    }

    /// Whether the needle stands at `offset`, where there is room for it.
    @inline(__always)
    private func equal(_ text: UnsafeBufferPointer<UInt8>, at offset: Int, _ needle: UnsafeBufferPointer<UInt8>) -> Bool
    {
        guard let start = text.baseAddress, let wanted = needle.baseAddress else { return needle.isEmpty }
        if !ignoresCase { return memcmp(start + offset, wanted, needle.count) == 0 }
        var previous: UInt8 = offset > 0 ? start[offset - 1] : 0
        for index in 0..<needle.count {
            let byte = start[offset + index]
            if Self.fold(byte, after: previous) != wanted[index] { return false }
            previous = byte
        }
        return true
    }

    private func contains(_ text: UnsafeBufferPointer<UInt8>, _ needle: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = needle.first else { return true }
        guard text.count >= needle.count, let start = text.baseAddress else { return false }
        let last = text.count - needle.count
        if ignoresCase {
            return (0...last).contains { equal(text, at: $0, needle) }
        }
        var offset = 0
        while offset <= last, let hit = memchr(start + offset, Int32(first), last - offset + 1) {
            offset = UnsafeRawPointer(start).distance(to: UnsafeRawPointer(hit))
            if equal(text, at: offset, needle) { return true }
            offset += 1
        }
        return false
    }

    /// Cost: at most length of text × length of pattern, without recursion.
    private static func like(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        var wanted = 0
        // Where to go on when what follows the last `*` did not match: the `*` takes one character more.
        var star: (wanted: Int, position: Int)?
        while position < text.count {
            if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "*") {
                wanted += 1
                star = (wanted, position)
            } else if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "?") {
                wanted += 1
                position = afterCharacter(text, position)
            } else if wanted < pattern.count, pattern[wanted] == text[position] {
                wanted += 1
                position += 1
            } else if let back = star {
                position = afterCharacter(text, back.position)
                wanted = back.wanted
                star = (wanted, position)
            } else {
                return false
            }
        }
        return pattern[wanted...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    private static func afterCharacter(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
        var next = position + 1
        while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
        return next
    }
}
