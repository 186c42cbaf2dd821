import ObjectModel

/// Writes CSV fields in a form that `CSVReader` reads back unchanged.
package enum CSVText {
    /// Appends one record and CR LF; nil is written as an empty field without quotes.
    package static func append(_ fields: [String?], to bytes: inout [UInt8]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let field { append(field, to: &bytes) }
        }
        bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        guard text.isEmpty || text.utf8.contains(where: isSpecial) else {
            bytes += text.utf8
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// Escapes strings that spreadsheets interpret as formulas, which can send neighbouring data elsewhere or start
/// programs. A leading apostrophe makes them text. Strings that begin with an apostrophe get another one, so that every
/// string is read back unchanged.
enum CSVFormulas {
    /// Includes the full-width forms of East Asian keyboards, and characters that some programs skip first.
    private static let beginnings: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "'",
    ]

    static func escaped(_ text: String) -> String {
        text.unicodeScalars.first.map(beginnings.contains) == true ? "'" + text : text
    }

    /// Undoes `escaped`.
    static func plain(_ text: String) -> String {
        // By scalars: a combining mark would make one character of both.
        text.unicodeScalars.first == "'" ? String(text.unicodeScalars.dropFirst()) : text
    }
}

extension PropertyType {
    /// Whether the text of a value can begin with any character. Numbers and dates are never formulas, whatever their
    /// sign.
    var hasFreeText: Bool { base == .string || base == .data }
}
