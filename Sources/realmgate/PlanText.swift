import QueryLanguage
import StoreContract

/// A plan as lines of text, each part below the one that it belongs to.
enum PlanText {
    static func write(_ explanation: QueryExplanation, _ line: (String) -> Void) {
        write(explanation.root, depth: 0, line)
        if let count = explanation.count {
            line("\(grouped(count)) objects" + (explanation.nanoseconds.map { " in \(time($0))" } ?? ""))
        }
    }

    private static func write(_ part: QueryExplanation.Part, depth: Int, _ line: (String) -> Void) {
        var notes: [String] = []
        if let rowsOut = part.rowsOut {
            notes.append(part.rowsIn.map { "\(grouped(rowsOut)) of \(grouped($0))" } ?? grouped(rowsOut))
        }
        if let read = part.clustersRead {
            let skipped = part.clustersSkipped.map { ", \(grouped($0)) skipped" } ?? ""
            notes.append("\(grouped(read)) clusters read\(skipped)")
        }
        if let nanoseconds = part.nanoseconds { notes.append(time(nanoseconds)) }
        let words = String(repeating: "  ", count: depth) + part.words
        line(notes.isEmpty ? words : "\(words)  (\(notes.joined(separator: "; ")))")
        for inner in part.parts { write(inner, depth: depth + 1, line) }
    }

    private static func time(_ nanoseconds: Int) -> String {
        switch nanoseconds {
        case ..<10_000: "\(nanoseconds) ns"
        case ..<10_000_000: "\(nanoseconds / 1000) µs"
        default: "\(nanoseconds / 1_000_000) ms"
        }
    }
}
