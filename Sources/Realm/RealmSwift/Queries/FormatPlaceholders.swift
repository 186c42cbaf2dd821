import ObjectModel
import QuerySyntax

/// A predicate format with the placeholders that the parser has, and its arguments.
///
/// `NSPredicate` also takes `%K` as a part of a path, as in `%K.%K` and `$dog.%K`, where the parser takes it as a whole
/// path only; every placeholder for numbers that `printf` has; and `SELF` before a path of an object.
struct FormatPlaceholders {
    private(set) var format: String
    private(set) var arguments: [Any]

    /// Whether the condition is one on plain values, which are `SELF`.
    private let isOfValues: Bool

    init(_ format: String, _ arguments: [Any], isOfValues: Bool) {
        self.format = format
        self.arguments = arguments
        self.isOfValues = isOfValues
        if Self.isForeign(format) { rewrite(Array(format.unicodeScalars)) }
    }

    /// Whether something may be there that the parser does not have. Filters ask this each time, so it makes nothing.
    private static func isForeign(_ format: String) -> Bool {
        let text = format.utf8
        var position = text.startIndex
        var previous: UInt8 = 0
        /// The last four letters, in lower case.
        var letters: UInt32 = 0
        func next(_ distance: Int) -> UInt8 {
            guard let index = text.index(position, offsetBy: distance, limitedBy: text.endIndex), index < text.endIndex
            else { return 0 }
            return text[index]
        }
        while position < text.endIndex {
            let unit = text[position]
            if unit == UInt8(ascii: "%") {
                switch next(1) {
                case UInt8(ascii: "@"), UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "f"):
                    break
                case UInt8(ascii: "K"):
                    let dot = UInt8(ascii: ".")
                    if previous == dot || next(2) == dot && next(3) != UInt8(ascii: "@") { return true }
                default: return true
                }
            }
            if unit == UInt8(ascii: "."), letters == 0x7365_6C66 { return true }
            letters = letters << 8 | UInt32(unit | 0x20)
            previous = unit
            text.formIndex(after: &position)
        }
        return false
    }

    private mutating func rewrite(_ given: [Unicode.Scalar]) {
        var written = String.UnicodeScalarView()
        var remaining: [Any] = []
        var used = 0
        /// The quotation mark of the string that is open.
        var quote: Unicode.Scalar?
        var position = 0
        func next(_ distance: Int) -> Unicode.Scalar? {
            given.indices.contains(position + distance) ? given[position + distance] : nil
        }
        while position < given.count {
            let scalar = given[position]
            if let open = quote {
                written.append(scalar)
                if scalar == "\\", let escaped = next(1) {
                    written.append(escaped)
                    position += 1
                } else if scalar == open {
                    quote = nil
                }
            } else if scalar == "%" {
                let argument = arguments.indices.contains(used) ? arguments[used] : nil
                used += 1
                let isWithinPath = next(-1) == "." || (next(2) == "." && next(3) != "@")
                if next(1) == "K", isWithinPath, let path = argument.flatMap({ flattened($0) }) as? String {
                    written.append(contentsOf: Self.written(path).unicodeScalars)
                    position += 1
                } else {
                    if let argument { remaining.append(argument) }
                    let length = Self.numberLength(given[(position + 1)...])
                    written.append(contentsOf: length == 0 ? "%".unicodeScalars : "%@".unicodeScalars)
                    position += length
                }
            } else if scalar == ".", !isOfValues, next(1) != "@", Self.endsInSelf(written) {
                written.removeLast(4)
            } else {
                if scalar == "'" || scalar == "\"" { quote = scalar }
                written.append(scalar)
            }
            position += 1
        }
        format = String(written)
        arguments = remaining + arguments.dropFirst(used)
    }

    /// Whether the text ends in the word `SELF`, which is not a part of another name or path.
    private static func endsInSelf(_ text: String.UnicodeScalarView) -> Bool {
        guard String(String.UnicodeScalarView(text.suffix(4))).lowercased() == "self" else { return false }
        guard let before = text.dropLast(4).last else { return true }
        return !before.properties.isAlphabetic
            && !(before.value < 128 && "_0123456789.$\\@".unicodeScalars.contains(before))
    }

    /// The path with escapes where the names are keywords.
    private static func written(_ path: String) -> String {
        path.split(separator: ".", omittingEmptySubsequences: false).map {
            $0.hasPrefix("@") ? String($0) : QueryPrinter.escaped(String($0), .format)
        }.joined(separator: ".")
    }

    /// The length of `printf`'s conversion of a number after the percent sign; 0 for anything else.
    private static func numberLength(_ text: ArraySlice<Unicode.Scalar>) -> Int {
        let sizes = text.prefix { ("hlqLzjt" as String).unicodeScalars.contains($0) }.count
        guard sizes <= 2, let conversion = text.dropFirst(sizes).first,
            ("dDiuUoOxXfFeEgGaA" as String).unicodeScalars.contains(conversion)
        else { return 0 }
        return sizes + 1
    }
}
