/// The differences that a comparison of texts ignores: `[c]`, `[d]`, `[cd]`.
///
/// Case is ignored by Unicode's simple case folding, scalar by scalar: Σ, σ and ς are one, ß stays ß. Diacritics are
/// the combining marks of the canonical decomposition: é is e, Й is И, a Hangul syllable stays.
package struct TextFolding: Hashable, Sendable {
    private enum Form: Hashable {
        case none
        /// ASCII letters only, of bytes that need not be text.
        case asciiCase
        case text(ignoresCase: Bool, ignoresDiacritics: Bool)
    }

    private let form: Form

    package init(ignoresCase: Bool, ignoresDiacritics: Bool) {
        form =
            ignoresCase || ignoresDiacritics
            ? .text(ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics) : .none
    }

    private init(_ form: Form) { self.form = form }

    package static let none = TextFolding(.none)
    static let asciiCase = TextFolding(.asciiCase)

    @inline(__always)
    var isNone: Bool { form == .none }

    /// Whether ASCII letters that differ by case are equal.
    @inline(__always)
    var ignoresASCIICase: Bool {
        switch form {
        case .none: false
        case .asciiCase: true
        case .text(let ignoresCase, _): ignoresCase
        }
    }

    /// Whether scalars other than ASCII letters are folded.
    @inline(__always)
    var changesNonASCII: Bool {
        if case .text = form { return true }
        return false
    }

    /// The folded text; equal bytes mean equal text. Bytes that are not UTF-8 are unchanged.
    package func folded(_ text: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.underestimatedCount)
        append(text, to: &result)
        return result
    }

    /// Adds the folded text to `result`.
    func append(_ text: some Sequence<UInt8>, to result: inout [UInt8]) {
        guard case .text(let ignoresCase, let ignoresDiacritics) = form else {
            for byte in text { result.append(ignoresASCIICase ? Self.asciiFolded(byte) : byte) }
            return
        }
        var decoder = ScalarDecoder(text.makeIterator())
        while let next = decoder.next() {
            switch next {
            case .byte(let byte):
                result.append(ignoresCase ? Self.asciiFolded(byte) : byte)
            case .scalar(let scalar):
                var value = scalar.value
                if ignoresDiacritics {
                    if Self.isMark(scalar) { continue }
                    value = BaseLetters.byLetter[value] ?? value
                }
                if ignoresCase { value = CaseFolding.folded(value) }
                Self.append(value, to: &result)
            }
        }
    }

    @inline(__always)
    static func asciiFolded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        // No combining mark is below U+0300, and none is among the ideographs and Hangul.
        if scalar.value < 0x300 || (0x3400..<0xA000).contains(scalar.value) || (0xAC00..<0xD800).contains(scalar.value)
        {
            return false
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }

    @inline(__always)
    private static func append(_ value: UInt32, to result: inout [UInt8]) {
        func byte(_ bits: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: bits) }
        switch value {
        case 0..<0x80:
            result.append(byte(value))
        case 0x80..<0x800:
            result.append(byte(0xC0 | value >> 6))
            result.append(byte(0x80 | value & 0x3F))
        case 0x800..<0x10000:
            result.append(byte(0xE0 | value >> 12))
            result.append(byte(0x80 | value >> 6 & 0x3F))
            result.append(byte(0x80 | value & 0x3F))
        default:
            result.append(byte(0xF0 | value >> 18))
            result.append(byte(0x80 | value >> 12 & 0x3F))
            result.append(byte(0x80 | value >> 6 & 0x3F))
            result.append(byte(0x80 | value & 0x3F))
        }
    }
}

/// Reads UTF-8 scalar by scalar, and invalid bytes one by one.
private struct ScalarDecoder<Bytes: IteratorProtocol<UInt8>> {
    enum Element {
        /// ASCII, or a byte that belongs to no scalar.
        case byte(UInt8)
        case scalar(Unicode.Scalar)
    }

    private var bytes: Bytes
    /// Bytes that were read and not returned yet, the first one lowest.
    private var pending: UInt32 = 0
    private var pendingCount = 0

    init(_ bytes: Bytes) { self.bytes = bytes }

    @inline(__always)
    mutating func next() -> Element? {
        guard fill(1) else { return nil }
        let first = UInt8(truncatingIfNeeded: pending)
        if first < 0x80 { return removeFirst() }
        let length = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1
        guard length > 1, fill(length) else { return removeFirst() }
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for index in 1..<length {
            let byte = pending >> UInt32(8 * index) & 0xFF
            guard byte & 0xC0 == 0x80 else { return removeFirst() }
            value = value << 6 | byte & 0x3F
        }
        // Overlong encodings and surrogates are not scalars.
        guard value >= [0x80, 0x800, 0x10000][length - 2], let scalar = Unicode.Scalar(value) else {
            return removeFirst()
        }
        pending = length == 4 ? 0 : pending >> UInt32(8 * length)
        pendingCount -= length
        return .scalar(scalar)
    }

    private mutating func removeFirst() -> Element {
        let byte = UInt8(truncatingIfNeeded: pending)
        pending >>= 8
        pendingCount -= 1
        return .byte(byte)
    }

    private mutating func fill(_ count: Int) -> Bool {
        while pendingCount < count {
            guard let byte = bytes.next() else { return false }
            pending |= UInt32(byte) << UInt32(8 * pendingCount)
            pendingCount += 1
        }
        return true
    }
}
