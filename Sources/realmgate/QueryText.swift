import Gateway
import ObjectModel
import QueryLanguage

/// Queries typed on the command line.
enum QueryText {
    /// Reads a filter, --sort and --distinct. Throws `CommandFailure` that shows the place of a fault.
    ///
    /// - Parameter filterName: what errors call the filter.
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

    /// Reads the text of an option. Throws as `bind`.
    static func read<R>(_ option: String, _ text: String, _ bind: (String) throws(QueryError) -> R) throws -> R {
        do throws(QueryError) {
            return try bind(text)
        } catch {
            throw failure(error, option, text)
        }
    }

    private static func failure(_ error: QueryError, _ option: String, _ text: String) -> CommandFailure {
        var message = "\(option): " + withHint(error.message, error.hint)
        // Under a text of one line, a mark at the place; a longer one would not line up.
        if text.count <= 100, !text.contains(where: \.isNewline) {
            let mark =
                String(repeating: " ", count: error.position) + String(repeating: "^", count: max(1, error.length))
            message += "\n  \(text)\n  \(mark)"
        }
        return CommandFailure(message)
    }
}
