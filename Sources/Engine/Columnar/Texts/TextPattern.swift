import CKernels
import Glibc

/// A test of a text: equality, order, or a part of it, byte by byte or folded; or the same test of data.
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
    private let folding: TextFolding
    /// The needle, already folded.
    let needle: [UInt8]
    private let like: LikePattern
    /// Bytes that every text contains for which a `LIKE` holds; empty for other tests.
    var requiredPart: ArraySlice<UInt8> { needle[test == .like ? like.longest : 0..<0] }

    /// Order tests never fold.
    package init(_ test: Test, _ text: String, ignoresCase: Bool = false, ignoresDiacritics: Bool = false) {
        var folding = TextFolding(ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
        if test.isOrder { folding = .none }
        self.test = test
        self.ignoresCase = ignoresCase
        self.ignoresDiacritics = ignoresDiacritics
        self.folding = folding
        needle = folding.isNone ? Array(text.utf8) : folding.folded(text.utf8)
        like = LikePattern(test == .like ? needle : [], isText: true)
    }

    /// Makes a test of data: only ASCII letters are folded. In `LIKE`, `?` matches as many bytes as the first one
    /// announces for its character.
    package init(_ test: Test, data: [UInt8], ignoresCase: Bool = false) {
        self.test = test
        self.ignoresCase = ignoresCase
        ignoresDiacritics = false
        folding = ignoresCase && !test.isOrder ? .asciiCase : .none
        needle = folding.folded(data)
        like = LikePattern(test == .like ? needle : [], isText: false)
    }

    /// Whether bytes are compared without folding.
    var isExact: Bool { folding.isNone }

    /// Whether texts of ASCII alone are compared without the case of their letters.
    var foldsASCIICase: Bool { folding.ignoresASCIICase }

    /// Whether letters beyond ASCII have to be folded before they are compared.
    var foldsBeyondASCII: Bool { folding.changesNonASCII }

    /// Cost: for ASCII texts that of comparing bytes, or of searching them, also when case is ignored.
    package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        needle.withUnsafeBufferPointer { needle in
            if folding.isNone { return matchesExactly(text, needle) }
            if let decided = matchesASCII(text, needle) { return decided }
            return matchesFolded(text, needle)
        }
    }

    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches($0) }
    }

    /// Compares by bytes, a prefix first; returns a negative number, zero or a positive one.
    package static func order(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        if let left = a.baseAddress, let right = b.baseAddress {
            let order = memcmp(left, right, min(a.count, b.count))
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }

    // MARK: Byte by byte

    private func matchesExactly(_ text: UnsafeBufferPointer<UInt8>, _ needle: UnsafeBufferPointer<UInt8>) -> Bool {
        switch test {
        case .equal: text.count == needle.count && Self.equal(text, at: 0, needle)
        case .prefix: text.count >= needle.count && Self.equal(text, at: 0, needle)
        case .suffix: text.count >= needle.count && Self.equal(text, at: text.count - needle.count, needle)
        case .contains: rk_find(text.baseAddress, text.count, needle.baseAddress, needle.count, 0) >= 0
        case .like: like.matches(text, needle, ignoresCase: false)
        case .less: Self.order(text, needle) < 0
        case .lessOrEqual: Self.order(text, needle) <= 0
        case .greater: Self.order(text, needle) > 0
        case .greaterOrEqual: Self.order(text, needle) >= 0
        }
    }

    /// Whether the needle is at `offset`, where the text is long enough for it.
    @inline(__always)
    private static func equal(
        _ text: UnsafeBufferPointer<UInt8>, at offset: Int, _ needle: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let start = text.baseAddress, let wanted = needle.baseAddress else { return needle.isEmpty }
        return memcmp(start + offset, wanted, needle.count) == 0
    }

    // MARK: Folded

    /// Returns nil when the text has to be folded first: the deciding part has letters beyond ASCII.
    private func matchesASCII(_ text: UnsafeBufferPointer<UInt8>, _ needle: UnsafeBufferPointer<UInt8>) -> Bool? {
        let foldsCase = folding.ignoresASCIICase
        switch test {
        case .equal, .prefix:
            for index in 0..<needle.count {
                guard index < text.count else { return false }
                let byte = text[index]
                // Folding removed nothing before this position, so this is the letter that the needle is compared with.
                if byte >= 0x80, folding.changesNonASCII { return nil }
                if (foldsCase ? TextFolding.asciiFolded(byte) : byte) != needle[index] { return false }
            }
            if test == .prefix || text.count == needle.count { return true }
            return folding.changesNonASCII && text[needle.count] >= 0x80 ? nil : false
        case .suffix:
            for distance in 1..<needle.count + 1 {
                guard distance <= text.count else { return false }
                let byte = text[text.count - distance]
                if byte >= 0x80, folding.changesNonASCII { return nil }
                if (foldsCase ? TextFolding.asciiFolded(byte) : byte) != needle[needle.count - distance] {
                    return false
                }
            }
            return true
        case .contains:
            // A match before folding is one after it.
            if rk_find(text.baseAddress, text.count, needle.baseAddress, needle.count, foldsCase ? 1 : 0) >= 0 {
                return true
            }
            return isFoldedByASCII(text) ? false : nil
        case .like:
            guard isFoldedByASCII(text) else { return nil }
            return like.matches(text, needle, ignoresCase: foldsCase)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return matchesExactly(text, needle)
        }
    }

    /// Whether folding changes nothing but the case of ASCII letters.
    private func isFoldedByASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        !folding.changesNonASCII || rk_is_ascii(text.baseAddress, text.count) != 0
    }

    private func matchesFolded(_ text: UnsafeBufferPointer<UInt8>, _ needle: UnsafeBufferPointer<UInt8>) -> Bool {
        folding.folded(text).withUnsafeBufferPointer { matchesExactly($0, needle) }
    }
}

extension TextPattern.Test {
    fileprivate var isOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual: true
        case .equal, .prefix, .suffix, .contains, .like: false
        }
    }
}
