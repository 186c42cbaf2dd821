/// Splits text into the words of full-text search: runs of letters and digits, in lower case, without the diacritics of
/// Latin letters.
package enum SearchWords {
    /// The length in UTF-8 bytes beyond which words with the same beginning are not distinguished.
    package static let limit = 128

    /// Each word of the text once.
    package static func words(of text: String) -> Set<[UInt8]> {
        var words: Set<[UInt8]> = []
        var word: [UInt8] = []
        func finish() {
            if !word.isEmpty { words.insert(word) }
            word.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            // A mark belongs to the letter before it, from which folding removes it.
            if properties.generalCategory == .nonspacingMark { continue }
            guard properties.isAlphabetic || properties.numericType != nil else {
                finish()
                continue
            }
            if word.count < limit { append(scalar, to: &word) }
        }
        finish()
        return words
    }

    private static func append(_ scalar: Unicode.Scalar, to word: inout [UInt8]) {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            word.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            return
        }
        for lower in scalar.properties.lowercaseMapping.unicodeScalars {
            word.append(contentsOf: String(plain(lower)).utf8)
        }
    }

    /// A Latin letter without its diacritics; other letters unchanged.
    private static func plain(_ letter: Unicode.Scalar) -> Unicode.Scalar {
        switch letter {
        // These have a stroke, which is not a combining mark.
        case "ø": return "o"
        case "đ": return "d"
        case "ł": return "l"
        default:
            guard let base = BaseLetters.byLetter[letter.value].flatMap(Unicode.Scalar.init), base.isASCII else {
                return letter
            }
            return base.properties.isAlphabetic ? base : letter
        }
    }
}
