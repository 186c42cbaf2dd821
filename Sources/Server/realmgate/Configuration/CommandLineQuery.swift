import Basics
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract

/// Parses queries from the command line.
enum CommandLineQuery {
    /// Parses a filter, --sort and --distinct. Throws `CommandError` that shows the position of an error.
    ///
    /// - Parameter filterName: the name of the filter in errors.
    static func bind(
        filter: String?, filterName: String = "the predicate", sort: String?, distinct: String? = nil,
        class objectClass: ClassSchema, schema: Schema
    ) throws -> BoundQuery {
        let binder = QueryBinder(schema: schema, checksSums: true)
        var query = BoundQuery(classID: objectClass.id)
        if let filter {
            query = try read(filterName, filter) { text throws(QueryError) in
                try binder.bind(text, class: objectClass)
            }
        }
        if let sort {
            let keys = try read("--sort", sort) { text throws(QueryError) in
                try binder.bindSort(text, class: objectClass)
            }
            query.steps.append(.sort(keys))
        }
        if let distinct {
            let paths = try read("--distinct", distinct) { text throws(QueryError) in
                try binder.bindDistinct(text, class: objectClass)
            }
            query.steps.append(.distinct(paths))
        }
        return query
    }

    /// Parses the text of an option. Throws as `bind` does.
    static func read<R>(_ option: String, _ text: String, _ bind: (String) throws(QueryError) -> R) throws -> R {
        do throws(QueryError) {
            return try bind(text)
        } catch {
            throw failure(error, option, text)
        }
    }

    private static func failure(_ error: QueryError, _ option: String, _ text: String) -> CommandError {
        var message = "\(option): " + withHint(error.message, error.hint)
        // Marks the position below a text of one line; below a longer one the mark would not line up.
        if text.count <= 100, !text.contains(where: \.isNewline) {
            let mark =
                String(repeating: " ", count: error.position) + String(repeating: "^", count: max(1, error.length))
            message += "\n  \(text)\n  \(mark)"
        }
        return CommandError(message)
    }
}

/// Formats a query plan as lines of text, each operator below its parent.
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
