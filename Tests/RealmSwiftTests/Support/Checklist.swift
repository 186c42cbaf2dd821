/// The rows of the checklist's first part, one for each declaration of the documents that the interface follows: each has
/// a test whose display name has its id before the text.
enum Checklist {
    static let rows: [String] =
        ids("C", 1...56) + ["C09a"] + ids("O", 1...23) + ids("S", 1...12) + ids("K", 1...33) + ids("R", 1...9)

    /// Rows that have no test yet. It must shrink: a row that has one does not belong here.
    static let missing: Set<String> = [
        "K04", "K05", "K10", "K12", "K13", "K14", "K15", "K16", "K17", "K18", "K19", "K20", "K26", "K27", "K28",
        "K29", "K30", "K31", "K32", "K33",
    ]

    private static func ids(_ letter: String, _ numbers: ClosedRange<Int>) -> [String] {
        numbers.map { letter + ($0 < 10 ? "0" : "") + String($0) }
    }
}
