import ObjectModel
import QueryLanguage

/// Queries typed on the command line.
enum QueryText {
    /// Reads --filter and --sort. Throws `CommandFailure` that shows the place of a fault.
    static func bind(
        filter: String?, sort: String?, class objectClass: ClassSchema, schema: Schema
    ) throws -> BoundQuery {
        let binder = QueryBinder(schema: schema)
        var query = BoundQuery(classID: objectClass.id)
        if let filter {
            do {
                query = try binder.bind(filter, class: objectClass)
            } catch {
                throw failure(error, "--filter", filter)
            }
        }
        if let sort {
            do {
                query.steps.append(.sort(try binder.bindSort(sort, class: objectClass)))
            } catch {
                throw failure(error, "--sort", sort)
            }
        }
        return query
    }

    private static func failure(_ error: QueryError, _ option: String, _ text: String) -> CommandFailure {
        var message = "\(option): " + CommandFailure.sentence(error.message, hint: error.hint)
        // Under a text of one line, a mark at the place; a longer one would not line up.
        if text.count <= 100, !text.contains(where: \.isNewline) {
            let mark =
                String(repeating: " ", count: error.position) + String(repeating: "^", count: max(1, error.length))
            message += "\n  \(text)\n  \(mark)"
        }
        return CommandFailure(message)
    }
}
