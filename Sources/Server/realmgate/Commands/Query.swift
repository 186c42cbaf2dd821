import ArgumentParser
import JSONCoding
import ObjectCoding
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract

/// `realmgate query`: runs a query on a database.
struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a query and print its result.",
        discussion: """
            Prints the objects as JSON, one per line, and their number on standard error; or, with an option, only \
            their number, the plan of the query, or the number of objects in each group. \
            docs/reference/query-language.md describes the predicates. A server may use the database at the same time \
            (REALMGATE_DATA names it, too).

            Examples:

              realmgate query Flight 'delay > 60 AND origin.iata == "JFK"' --data demo.realmgate --sort -delay --limit 5
              realmgate query Airport 'ANY departures.delay > 600' --count
              realmgate query Flight 'delay > 60' --sort -delay --explain
              realmgate query Flight 'delay > 60' --group origin.state
              realmgate query Airport --sections name.first
            """)

    @Argument(help: "The class.")
    var className: String

    @Argument(help: "The predicate (default: all objects).")
    var filter: String?

    @OptionGroup var database: StoreOptions

    @OptionGroup var order: OrderOptions

    @Option(
        help: ArgumentHelp("Only the first of all objects with equal values at these key paths.", valueName: "paths"))
    var distinct: String?

    @Option(help: ArgumentHelp("The maximum number of objects (default: 100; 0 for no limit).", valueName: "number"))
    var limit = 100

    @Option(help: ArgumentHelp("Only these properties, separated by commas.", valueName: "names"))
    var fields: String?

    @Flag(help: "Print only the number of objects.")
    var count = false

    @Flag(help: "Run the query and print its plan with the work of each part.")
    var explain = false

    @Option(help: ArgumentHelp("Print the number of objects for each combination of values.", valueName: "paths"))
    var group: String?

    @Option(
        help: ArgumentHelp(
            "Print the number of objects in each section: a key path, or one with a function such as name.first or date.year.",
            valueName: "path"))
    var sections: String?

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit is a number from 0.") }
        let modes = [
            ("--count", count), ("--explain", explain), ("--group", group != nil), ("--sections", sections != nil),
        ]
        let given = modes.filter(\.1).map(\.0)
        guard given.count < 2 else { throw ValidationError("Give \(given[0]) or \(given[1]), not both.") }
    }

    func run() throws {
        let store = try database.open(.process, mustExist: true)
        defer { store.close() }
        let snapshot = try store.snapshot()
        let objectClass = try snapshot.schema.named(className)
        var query = try CommandLineQuery.bind(
            filter: filter, sort: order.sort, distinct: distinct, class: objectClass, schema: snapshot.schema)
        let binder = QueryBinder(schema: snapshot.schema, checksSums: true)
        if count {
            print(try snapshot.count(query))
        } else if explain {
            let window = Window(limit: limit == 0 ? nil : limit)
            PlanText.write(try snapshot.explain(query, window, running: true)) { print($0) }
        } else if let group {
            let paths = try CommandLineQuery.read("--group", group) { text throws(QueryError) in
                try binder.bindGroup(text, class: objectClass)
            }
            for found in try snapshot.aggregate(query, [], by: paths) {
                try Self.printLine(found.key, found.count)
            }
        } else if let sections {
            let key = try CommandLineQuery.read("--sections", sections) { text throws(QueryError) in
                try binder.bindSection(text, class: objectClass)
            }
            if order.sort == nil { query.steps.append(.sort([SortKey(key.path)])) }
            for section in try snapshot.sections(query, by: key).sections {
                try Self.printLine([section.key], section.range.count)
            }
        } else {
            try printObjects(query, objectClass, snapshot)
        }
    }

    private func printObjects(_ query: BoundQuery, _ objectClass: ClassSchema, _ snapshot: any Snapshot) throws {
        var properties = objectClass.storedProperties
        if let fields {
            properties = try fields.split(separator: ",", omittingEmptySubsequences: false).map { name in
                guard let found = objectClass[String(name)], !found.type.isComputed else {
                    throw CommandError("--fields: '\(className)' stores no property '\(name)'.")
                }
                return found
            }
        }
        let keys = try snapshot.select(query, Window(limit: limit == 0 ? nil : limit))
        let plan = RowPlan(lines: properties, of: objectClass, schema: snapshot.schema)
        let writer = JSONWriter()
        let sink = try ByteSink(path: "-")
        try plan.writeLines(keys, of: snapshot, into: writer, forImport: false)
        try sink.write { bytes in writer.withBytes { bytes.append(contentsOf: $0) } }
        try sink.finish()
        let total = keys.count == limit ? try snapshot.count(query) : keys.count
        StandardError.write(
            total > keys.count
                ? "\(grouped(keys.count)) of \(grouped(total)) objects\n" : "\(grouped(total)) objects\n")
    }

    /// Prints a number and values as JSON, separated by tabs.
    private static func printLine(_ values: [Value], _ count: Int) throws {
        let texts = values.map { value in
            let writer = JSONWriter(capacity: 64)
            writer.value(value)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        print(([String(count)] + texts).joined(separator: "\t"))
    }
}
