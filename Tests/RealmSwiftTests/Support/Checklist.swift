/// The rows of the checklist's first part, one for each declaration of the documents that the interface follows: each has
/// a test whose display name has its id before the text.
enum Checklist {
    static let rows: [String] =
        ids("C", 1...56) + ["C09a"] + ids("O", 1...23) + ids("S", 1...12) + ids("K", 1...33) + ids("R", 1...9)

    /// Rows that have no test yet. It must shrink: a row that has one does not belong here.
    static let missing: Set<String> = [
        "C01", "C02", "C04", "C05", "C06", "C07", "C08", "C11", "C18", "C19", "C20", "C23", "C26", "C27", "C28",
        "C29", "C30", "C31", "C32", "C33", "C34", "C35", "C36", "C37", "C38", "C39", "C40", "C45", "C46", "C47",
        "C56", "O02", "O05", "O17", "O18", "O19", "O21", "S01", "S02", "S03", "S04", "S05", "S06", "S07", "S08",
        "S09", "S10", "S11", "S12", "K01", "K02", "K03", "K04", "K05", "K06", "K07", "K08", "K09", "K10", "K11",
        "K12", "K13", "K14", "K15", "K16", "K17", "K18", "K19", "K20", "K21", "K22", "K23", "K24", "K25", "K26",
        "K27", "K28", "K29", "K30", "K31", "K32", "K33", "R02", "R03", "R07", "R08", "R09",
    ]

    private static func ids(_ letter: String, _ numbers: ClosedRange<Int>) -> [String] {
        numbers.map { letter + ($0 < 10 ? "0" : "") + String($0) }
    }
}
