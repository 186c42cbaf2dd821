// The standard library decomposes text only in this SPI. The engine has tables of its own, so this is an independent
// implementation.
@_spi(_Unicode) import Swift

import ObjectModel
import QueryLanguage

/// The semantics of texts in queries: folding, patterns and words.
enum ReferenceText {
    /// The text without the differences that `[c]` and `[d]` ignore; other values unchanged. For data `[c]` folds the
    /// bytes that are ASCII letters.
    static func folded(_ value: Value, ignoresCase: Bool, ignoresDiacritics: Bool) -> Value {
        switch value {
        case .string(let text) where ignoresCase || ignoresDiacritics:
            var scalars = Array(text.unicodeScalars)
            if ignoresDiacritics { scalars = bare(scalars) }
            if ignoresCase { scalars = scalars.map(caseless) }
            return .string(String(String.UnicodeScalarView(scalars)))
        case .data(let bytes) where ignoresCase:
            return .data(bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 })
        default: return value
        }
    }

    /// The letter to which all case variants fold: the lower case of the upper case, where each is a single scalar.
    private static func caseless(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        // Its upper case is I, but folding keeps this letter apart, alone among letters with such a mapping.
        if scalar == "ı" { return scalar }
        func single(_ text: String) -> Unicode.Scalar? {
            text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
        }
        let capital = single(scalar.properties.uppercaseMapping) ?? scalar
        return single(capital.properties.lowercaseMapping) ?? capital
    }

    /// Decomposed, without combining marks.
    private static func bare(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)._nfd.filter { !isMark($0) }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }

    // MARK: Patterns

    /// `*` is any run of characters and `?` exactly one; the whole text must match.
    static func isLike(_ text: String, _ pattern: String) -> Bool {
        isLike(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...], any: "*", one: "?") { _ in 1 }
    }

    /// The same on bytes, where `?` matches as many as the first one announces for a UTF-8 character.
    static func isLike(_ bytes: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        isLike(bytes, pattern, any: UInt8(ascii: "*"), one: UInt8(ascii: "?")) { first in
            switch first {
            case 0xC0...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF7: 4
            default: 1
            }
        }
    }

    private static func isLike<Unit: Equatable>(
        _ text: ArraySlice<Unit>, _ pattern: ArraySlice<Unit>, any: Unit, one: Unit, length: (Unit) -> Int
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == any {
            // Tries every length of the run. A run of stars is equivalent to one.
            let rest = pattern.drop { $0 == any }
            return rest.isEmpty
                || (text.startIndex...text.endIndex).contains {
                    isLike(text[$0...], rest, any: any, one: one, length: length)
                }
        }
        guard let unit = text.first, first == one || first == unit else { return false }
        let taken = first == one ? length(unit) : 1
        guard taken <= text.count else { return false }
        return isLike(text.dropFirst(taken), pattern.dropFirst(), any: any, one: one, length: length)
    }

    // MARK: Words

    /// Whether a text contains all required words, and no excluded one.
    static func satisfies(_ text: String, _ search: FullTextSearch) -> Bool {
        let words = words(of: text)
        return search.words.allSatisfy { wanted in
            let sought = Self.words(of: wanted.text).first ?? []
            let occurs = words.contains { wanted.isPrefix ? $0.starts(with: sought) : $0 == sought }
            return occurs != wanted.isExcluded
        }
    }

    /// The runs of letters and digits, in lower case, without the diacritics of Latin letters.
    static func words(of text: String) -> [[Unicode.Scalar]] {
        let letters = text.unicodeScalars.filter { $0.properties.generalCategory != .nonspacingMark }
        let runs = letters.split { !($0.properties.isAlphabetic || $0.properties.numericType != nil) }
        return runs.map { run in
            run.flatMap { String($0).lowercased().unicodeScalars.flatMap(withoutDiacritics) }
        }
    }

    private static func withoutDiacritics(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        // These have a stroke, which is not a combining mark.
        let strokes: [Unicode.Scalar: Unicode.Scalar] = ["ø": "o", "đ": "d", "ł": "l"]
        if let plain = strokes[scalar] { return [plain] }
        let parts = bare([scalar])
        return parts.first.map { $0.isASCII && $0.properties.isAlphabetic } == true ? parts : [scalar]
    }
}
