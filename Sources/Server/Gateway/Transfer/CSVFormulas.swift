import ObjectModel

/// Texts that spreadsheets take for formulas, which can send elsewhere what stands beside them, or start programs. An
/// apostrophe in front makes a text of them. Texts that begin with an apostrophe get another, so that every text is read
/// back as it was.
enum CSVFormulas {
    /// Also the wide forms that East Asian keyboards write, and what some programs skip before they look.
    private static let beginnings: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "'",
    ]

    static func escaped(_ text: String) -> String {
        text.unicodeScalars.first.map(beginnings.contains) == true ? "'" + text : text
    }

    /// Undoes `escaped`.
    static func plain(_ text: String) -> String {
        // By scalars: a combining mark makes one character of both.
        text.unicodeScalars.first == "'" ? String(text.unicodeScalars.dropFirst()) : text
    }
}

extension PropertyType {
    /// Whether the text of a value may begin with anything. Numbers and dates are no formulas, whatever their sign.
    var hasFreeText: Bool { base == .string || base == .data }
}
