import ArgumentParser
import ObjectCoding
import ObjectModel
import QueryLanguage
import StoreContract
import Transfer

/// `realmgate export`: writes the objects of a class to a file.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the objects of a class as NDJSON or CSV.",
        discussion: """
            Writes the objects that the class has at the start of the command, in the order of creation or of --sort, to \
            standard output or a file. `realmgate import` can read it. Links are written as the primary key of their \
            target; in CSV, binary data is base64, and collections, mixed values and embedded objects are JSON. A server \
            may use the database at the same time (REALMGATE_DATA names it, too).

            Examples:

              realmgate export Airport --data demo.realmgate > airports.ndjson
              realmgate export Flight --filter 'delay > 60 AND origin.iata == "JFK"' --sort -delay
              realmgate export Flight --fields id,date,destination --output flights.csv
            """)

    @Argument(help: "The class.")
    var className: String

    @OptionGroup var database: StoreOptions

    @Option(help: "ndjson or csv (default: by the name of the output, else ndjson).")
    var format: TransferFormat?

    @Flag(
        help: ArgumentHelp(
            "In CSV, put an apostrophe before strings that spreadsheets would interpret as formulas.",
            discussion: "`realmgate import --escape-formulas` removes it."))
    var escapeFormulas = false

    @Option(help: "Only the objects that satisfy this predicate.")
    var filter: String?

    @OptionGroup var order: OrderOptions

    @Option(help: ArgumentHelp("Only these properties, separated by commas.", valueName: "names"))
    var fields: String?

    @Option(help: ArgumentHelp("The file; - is standard output.", valueName: "file"), completion: .file())
    var output = "-"

    func run() throws {
        let store = try database.open(.process, mustExist: true)
        defer { store.close() }
        let snapshot = try store.snapshot()
        let objectClass = try snapshot.schema.named(className)
        let properties = try chosen(in: objectClass)
        let query = try QueryText.bind(
            filter: filter, filterName: "--filter", sort: order.sort, class: objectClass, schema: snapshot.schema)
        let format = format ?? TransferFormat(fileName: output) ?? .ndjson
        guard format == .csv || !escapeFormulas else {
            throw CommandFailure("--escape-formulas applies to CSV only: add --format csv, or omit it.", exitCode: 64)
        }
        let exporter = try ObjectExporter(
            snapshot, query, of: objectClass, properties: properties, as: format, escapesFormulas: escapeFormulas)
        let sink = try ByteSink(path: output)
        var progress = ProgressLine(of: try snapshot.count(query))
        while try sink.write({ try exporter.next(into: &$0) }) {
            // On standard output the lines themselves show the progress.
            if output != "-" { progress.show("\(className): \(grouped(exporter.count)) written", at: exporter.count) }
        }
        try sink.finish()
        progress.finish()
        if output != "-" { StandardError.write("\(className): \(grouped(exporter.count)) written\n") }
    }

    private func chosen(in objectClass: ClassSchema) throws -> [PropertySchema] {
        guard let fields else { return objectClass.storedProperties }
        return try fields.split(separator: ",", omittingEmptySubsequences: false).map { name in
            let name = String(name)
            do {
                let property = try objectClass.importable(name)
                guard !property.type.isComputed else {
                    throw CommandFailure("'\(name)' is computed from links of other objects and cannot be exported.")
                }
                return property
            } catch let fault as RecordFault {
                throw CommandFailure("--fields: \(fault.message)")
            }
        }
    }
}
