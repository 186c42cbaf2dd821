extension String {
    /// A noun with its article, as its first letter suggests: `a Dog`, `an Airport`.
    package var withArticle: String { Self.vowels.contains(prefix(1).lowercased()) ? "an \(self)" : "a \(self)" }

    /// The noun with its article, capitalised for the beginning of a sentence.
    package var withCapitalArticle: String { Self.vowels.contains(prefix(1).lowercased()) ? "An \(self)" : "A \(self)" }

    /// `u` is left out: it often has the sound of the one in `User`.
    private static let vowels: Set<String> = ["a", "e", "i", "o"]
}
