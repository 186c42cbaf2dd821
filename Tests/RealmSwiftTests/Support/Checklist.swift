/// The rows of the checklist's first part, one for each declaration of the documents that the interface follows: each has
/// a test whose display name has its id before the text.
enum Checklist {
    static let rows: [String] =
        ids("C", 1...56) + ["C09a"] + ids("O", 1...23) + ids("S", 1...12) + ids("K", 1...33) + ids("R", 1...9)

    /// Rows that have no test yet. It must shrink: a row that has one does not belong here.
    static let missing: Set<String> = []

    /// The sections of the second part, but for logging, which is optional and not there.
    static let sections = (1...13).map { "§2.\($0)" } + ["§2.15", "§2.16", "§2.17"]

    private static func ids(_ letter: String, _ numbers: ClosedRange<Int>) -> [String] {
        numbers.map { letter + ($0 < 10 ? "0" : "") + String($0) }
    }
}
