import Basics
import ObjectModel

/// Gives names that PostgreSQL keeps as they are, each one once.
struct UniqueNames {
    private var taken: Set<String> = []

    /// PostgreSQL cuts longer names off, and two of them could then be the same.
    static let limit = 63

    /// The name, or a similar one when it is too long or taken. The same names in the same order give the same result.
    mutating func add(_ name: String) -> String {
        var candidate = Self.fitting(name)
        var number = 2
        while !taken.insert(candidate).inserted {
            candidate = Self.fitting("\(name)_\(number)")
            number += 1
        }
        return candidate
    }

    private static func fitting(_ name: String) -> String {
        // PostgreSQL has no text with a zero byte.
        let name = name.utf8.contains(0) ? name.replacingZeros : name
        guard name.utf8.count > limit else { return name }
        var hash = FNV1a()
        hash.combine(name.utf8)
        let ending = "_" + String(hash.value, radix: 16)
        var start = ""
        for character in name.unicodeScalars {
            guard start.utf8.count + String(character).utf8.count + ending.utf8.count <= limit else { break }
            start.unicodeScalars.append(character)
        }
        return start + ending
    }
}

extension String {
    /// Without zero bytes, which PostgreSQL's texts cannot have: each becomes U+FFFD.
    var replacingZeros: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
    }
}
