import ArgumentParser
import EmbeddedStore
import Glibc
import ObjectCoding
import ObjectModel
import QueryLanguage
import RealmImport
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

            With a Realm file the objects are those of that file, which is not changed: name one of its classes after \
            it, or a directory with --output, which gets a file for each class.

            Examples:

              realmgate export Airport --data demo.realmgate > airports.ndjson
              realmgate export Flight --filter 'delay > 60 AND origin.iata == "JFK"' --sort -delay
              realmgate export Flight --fields id,date,destination --output flights.csv
              realmgate export default.realm Dog --format csv
              realmgate export default.realm --output dogs-and-cats
            """)

    @Argument(help: "The class, or a Realm file.", completion: .file())
    var className: String

    @Argument(help: "The class of a Realm file; may be omitted if it has one class.")
    var realmClass: String?

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

    @OptionGroup(title: "A Realm file") var realmFile: RealmFileOptions

    func run() throws {
        if let source = try realmFile.source(className) { return try export(source) }
        // A file may have the name of a class.
        guard realmClass == nil, PropertyType.isClassName(className) || !RealmSource.isFile(className) else {
            try RealmSource.checkReadable(className)
            throw CommandError(
                "'\(className)' is not a Realm file, or an encrypted one, whose key --encryption-key-file names. To export a class of a database, give the class alone.",
                exitCode: 65)
        }
        try realmFile.refuse()
        let store = try database.open(.process, mustExist: true)
        defer { store.close() }
        try export(className, of: try store.snapshot(), to: output)
    }

    /// Exports classes of a Realm file, by way of a database that is deleted afterwards.
    private func export(_ source: RealmSource) throws {
        let scratch = try TemporaryDirectory(prefix: "realmgate-")
        defer { scratch.remove() }
        let store = try EmbeddedStore.open(path: scratch.path + "/realm")
        defer { store.close() }
        let names = try source.read { file, classes in
            // A wrong name is reported before anything is read.
            let names = try exportedClasses(of: classes.schema)
            try checkLinks(names, classes)
            _ = try RealmSource.copy(file, classes, into: store)
            RealmReport.printNotes(classes)
            return names
        }
        let snapshot = try store.snapshot()
        guard realmClass == nil, names.count > 1 else {
            for name in names { try export(name, of: snapshot, to: output) }
            return
        }
        guard mkdir(output, 0o777) == 0 || errno == EEXIST else {
            throw CommandError(
                "Cannot make the directory '\(output)': \(String(cString: strerror(errno))).", exitCode: 73)
        }
        let ending = (format ?? .ndjson).rawValue
        for name in names { try export(name, of: snapshot, to: "\(output)/\(name).\(ending)") }
    }

    /// Throws for links that a line cannot have, of all classes at once and before a file is made.
    private func checkLinks(_ names: [String], _ classes: RealmClasses) throws {
        guard fields == nil else { return }
        var lines: [String] = []
        for objectClass in classes.schema.classes where names.contains(objectClass.name) {
            for property in objectClass.storedProperties {
                guard case .link(let name) = property.type.base, let target = classes.schema[name],
                    !target.isEmbedded, target.primaryKey == nil
                else { continue }
                let option = RealmOptionStyle.command.leaveOut(classes.source(of: property.name, in: objectClass.name))
                lines.append(
                    "\n  - '\(objectClass.name).\(property.name)' links to '\(target.name)'. Leave it out: \(option).")
            }
        }
        guard lines.isEmpty else {
            throw CommandError(
                "Links to objects of a class without a primary key cannot be exported.\(lines.joined())")
        }
    }

    /// The class of a Realm file that is named, or all that have objects of their own.
    private func exportedClasses(of schema: Schema) throws -> [String] {
        if let realmClass {
            let named = try schema.named(realmClass)
            guard !named.isEmbedded else {
                throw CommandError(
                    "'\(realmClass)' is a class of embedded objects, which are exported within the objects that own them."
                )
            }
            return [named.name]
        }
        let names = schema.classes.filter { !$0.isEmbedded }.map(\.name)
        guard names.count == 1 || output != "-" && filter == nil && order.sort == nil && fields == nil else {
            throw CommandError(
                "'\(className)' has several classes: \(names.sorted().joined(separator: ", ")). Name one after the file, or a directory with --output, which gets a file for each class as a whole.",
                exitCode: 64)
        }
        return names
    }

    private func export(_ className: String, of snapshot: any Snapshot, to output: String) throws {
        let objectClass = try snapshot.schema.named(className)
        let properties = try chosen(in: objectClass)
        let query = try CommandLineQuery.bind(
            filter: filter, filterName: "--filter", sort: order.sort, class: objectClass, schema: snapshot.schema)
        let format = format ?? TransferFormat(fileName: output) ?? .ndjson
        guard format == .csv || !escapeFormulas else {
            throw CommandError("--escape-formulas applies to CSV only: add --format csv, or omit it.", exitCode: 64)
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
                    throw CommandError("'\(name)' is computed from links of other objects and cannot be exported.")
                }
                return property
            } catch let fault as RecordError {
                throw CommandError("--fields: \(fault.message)")
            }
        }
    }
}
