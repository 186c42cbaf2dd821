import ObjectModel

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
