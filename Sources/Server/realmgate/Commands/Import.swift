import ArgumentParser
import EmbeddedStore
import Glibc
import ObjectCoding
import ObjectModel
import RealmFiles
import RealmImport
import StoreContract
import Synchronization
import Transfer

/// `realmgate import`: reads objects from a file into a class.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read objects from an NDJSON or CSV file into a class, or all classes and objects of a Realm file.",
        discussion: """
            NDJSON has one JSON object per line. CSV names the properties in its first line; an empty field is null, an \
            empty field in quotes is the empty string, binary data is base64, and collections, mixed values and \
            embedded objects are JSON. Links are the primary key of their target, so import the \
            targets first; links within the file may refer to later lines. Missing properties get their default. A file \
            compressed with gzip or zstd is decompressed. Values may be in the Extended JSON of MongoDB.

            With --create the command makes the class first, from the whole file: it infers the names, types and \
            the primary key, and prints why on standard error. Texts that a number would change, such as 01234, stay \
            texts. Give a type with --type, and see the result without writing anything with --dry-run.

            Invalid lines are reported on standard error with the reason. The others are imported, and the exit code is \
            then 1. A server may use the database at the same time (REALMGATE_DATA names it, too).

            A Realm file is given without a class: it has its own. It is found by its bytes, and is not changed. Its \
            classes come into the database with all their objects, or nothing does. What the database cannot have is \
            named before anything is written; --rename and --leave-out are the way on. Counts and sums of each class \
            are printed at the end, to compare with what the app says. --dry-run tries everything against the database, \
            and writes nothing.

            Examples:

              realmgate import Airport airports.ndjson --data demo.realmgate --schema schema.json
              realmgate import Dog dogs.csv --update modified
              realmgate import --create Dog dogs.csv --dry-run
              realmgate import --create Dog dogs.csv --type zip=string --primary-key id
              realmgate import Dog dogs.csv.gz
              ssh host cat dogs.ndjson | realmgate import Dog -
              realmgate import default.realm --data app.realmgate --dry-run
              realmgate import default.realm --data app.realmgate
              realmgate import default.realm --rename Dog=Hound --leave-out Cat.cache
            """)

    @Argument(help: "The class; or, alone, a Realm file.", completion: .file())
    var className: String

    @Argument(help: "The file with objects of the class; - is standard input.", completion: .file())
    var file: String?

    @OptionGroup var database: StoreOptions

    @Option(help: "ndjson or csv (default: by the name of the file, else ndjson).")
    var format: TransferFormat?

    @Flag(help: "In CSV, remove the apostrophes that `realmgate export --escape-formulas` wrote.")
    var escapeFormulas = false

    @Option(
        help: ArgumentHelp(
            "The handling of an object whose primary key exists: error, modified or all (default: error).",
            discussion: """
                'error' rejects the line, or all of a Realm file, 'modified' assigns the given properties that differ, and 'all' assigns all \
                given properties.
                """))
    var update = UpdatePolicy.error

    @Option(
        help: ArgumentHelp("A JSON file with the schema, applied first (REALMGATE_SCHEMA).", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @OptionGroup(title: "A new class") var newClass: NewClassOptions

    @OptionGroup(title: "A Realm file") var realmFile: RealmFileOptions

    @Flag(
        help: ArgumentHelp(
            "Import everything or nothing.",
            discussion: "The import is one transaction, which is in memory until it is on disk."))
    var atomic = false

    @Option(
        help: ArgumentHelp(
            "The maximum size of a file for --atomic, in MiB.",
            discussion: "The import needs about as much memory.", valueName: "MiB"))
    var atomicLimit = ObjectImporter.wholeLimit >> 20

    /// More rows in a commit than a server takes, in which other clients wait for the writer.
    private static let batchSize = 4 * ObjectImporter.batchSize

    func validate() throws {
        guard (1...(1 << 20)).contains(atomicLimit) else {
            throw ValidationError("--atomic-limit is from 1 to 1048576 MiB.")
        }
        guard !newClass.dryRun || newClass.create || file == nil else {
            throw ValidationError(
                "--dry-run is for a new class: add --create. For a Realm file, omit the class.")
        }
        if newClass.create, schema != nil {
            throw ValidationError(
                "--create makes the class from the file, and --schema from a schema: give one of them.")
        }
    }

    func run() throws {
        guard let file else { return try importRealmFile(className) }
        guard !RealmFile.isPlain(path: file) else {
            throw CommandError(
                "'\(file)' is a Realm file, which has its own classes: `realmgate import \(file)` imports them. Leave classes out with --leave-out.",
                exitCode: 64)
        }
        try realmFile.refuse()
        try importObjects(file)
    }

    private func importObjects(_ file: String) throws {
        let sources = SettingSources.process
        let schemaFile = sources.text(schema, "REALMGATE_SCHEMA")
        let format = format ?? TransferFormat(fileName: file) ?? .ndjson
        guard format == .csv || !escapeFormulas else {
            throw CommandError("--escape-formulas applies to CSV only: add --format csv, or omit it.", exitCode: 64)
        }
        let input = try InputFile(file, isReadTwice: newClass.create)
        // Before the database is created: a file from which no class follows leaves none.
        var proposal: ClassProposal?
        if newClass.create {
            let present = try present(sources)
            let inferred = try infer(input, format, present)
            if newClass.dryRun { return try show(inferred, after: present) }
            proposal = inferred
        }
        let store = try database.open(sources, mustExist: schemaFile == nil && !newClass.create)
        defer { store.close() }
        if let proposal {
            let schema = proposal.schema(after: try store.snapshot().schema)
            try store.replaceSchema(with: schema, migration: Migration(steps: []))
        } else if let schemaFile {
            _ = try SchemaFile.apply(schemaFile, to: store)
        }
        let schema = try store.snapshot().schema
        let objectClass = try schema.named(className)
        guard !objectClass.isEmbedded else {
            throw CommandError(
                "'\(className)' is a class of embedded objects, which are imported within the objects that own them.")
        }
        let importer = ObjectImporter(
            store: store, objectClass: objectClass, schema: schema, policy: update,
            wholeLimit: atomicLimit << 20, batchSize: Self.batchSize,
            threads: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        let source = try input.source()
        let outcome: ObjectImporter.Outcome
        do {
            switch format {
            case .ndjson:
                outcome = try run(importer, NDJSONRowSource(source, class: objectClass, schema: schema), source.size)
            case .csv:
                let rows = try CSVRowSource(
                    source, class: objectClass, schema: schema, escapesFormulas: escapeFormulas)
                outcome = try run(importer, rows, source.size)
            }
        } catch let failure as ObjectImporter.Failure {
            printSummary(failure.outcome)
            if let line = failure.line { StandardError.write("The import ended at line \(line).\n") }
            throw failure
        }
        printSummary(outcome)
        if outcome.refused + outcome.incomplete > 0 { throw ExitCode(1) }
    }

    /// Imports a file that was given without a class.
    private func importRealmFile(_ path: String) throws {
        guard let source = try realmFile.source(path) else {
            guard RealmSource.isFile(path) else {
                throw CommandError(
                    "There is no file '\(path)'. Give a class and its file, or a Realm file alone.", exitCode: 66)
            }
            throw CommandError(
                "'\(path)' is not a Realm file, or an encrypted one, whose key --encryption-key-file names. To import NDJSON or CSV, give the class, too: `realmgate import CLASS \(path)`.",
                exitCode: 65)
        }
        guard format == nil, !escapeFormulas, schema == nil, !newClass.create, !atomic else {
            throw CommandError(
                "--format, --escape-formulas, --schema, --create and --atomic are for NDJSON and CSV. A Realm file has its own classes, and is imported as a whole.",
                exitCode: 64)
        }
        if newClass.dryRun { return try preview(source) }
        let (classes, report) = try source.read { file, classes in
            try database.fill(.process) { store in
                (classes, try RealmSource.copy(file, classes, into: store, update))
            }
        }
        RealmReport.printNotes(classes, report)
        for line in RealmReport.lines(report) { print(line) }
    }

    /// Says what the import of a Realm file would do to the database, and writes nothing.
    private func preview(_ source: RealmSource) throws {
        if let store = try database.openIfPresent(.process) {
            defer { store.close() }
            return try preview(source, into: try store.snapshot())
        }
        let scratch = try TemporaryDirectory(prefix: "realmgate-")
        defer { scratch.remove() }
        let store = try EmbeddedStore.open(path: scratch.path + "/realm")
        defer { store.close() }
        try preview(source, into: try store.snapshot())
    }

    private func preview(_ source: RealmSource, into snapshot: any Snapshot) throws {
        let preview = try source.read { file, _ in
            var preview = try RealmPreview(file, source.selection, into: snapshot, update)
            try preview.rehearse(file, source.selection, into: snapshot, update)
            return preview
        }
        RealmReport.printNotes(preview)
        if let refusal = preview.refusal { throw CommandError(refusal, source.path) }
        for line in RealmReport.lines(preview) { print(line) }
    }

    /// The classes of the database, if there is one.
    private func present(_ sources: SettingSources) throws -> Schema {
        guard let store = try database.openIfPresent(sources) else { return .empty }
        defer { store.close() }
        return try store.snapshot().schema
    }

    /// Prints the schema with a class, for `realmgate schema --apply`.
    private func show(_ proposal: ClassProposal, after present: Schema) throws {
        for fault in proposal.faults { StandardError.write("line \(fault.line): \(fault.message)\n") }
        print(SchemaFile.text(of: proposal.schema(after: present)))
        if proposal.refused > 0 || proposal.properties.contains(where: { $0.misfits > 0 }) { throw ExitCode(1) }
    }

    private func infer(
        _ input: InputFile, _ format: TransferFormat, _ present: Schema
    ) throws -> ClassProposal {
        let source = try input.source()
        let inference = try ClassInference(
            class: className, in: present, format: format,
            options: newClass.inference(escapesFormulas: escapeFormulas))
        var line = ProgressLine(of: source.size)
        let proposal = try inference.run(source) { rows in
            line.show("\(className): \(grouped(rows)) rows read for their types", at: source.filePosition)
        }
        line.finish()
        for reason in proposal.explanation { StandardError.write(reason + "\n") }
        return proposal
    }

    /// Reports the imported and the rejected lines.
    private func printSummary(_ outcome: ObjectImporter.Outcome) {
        for fault in outcome.faults { StandardError.write("line \(fault.line): \(fault.message)\n") }
        let more = outcome.refused + outcome.incomplete - outcome.faults.count
        if more > 0 { StandardError.write("and \(grouped(more)) more lines\n") }
        StandardError.write("\(className): \(outcome.summary)\n")
    }

    private func run(
        _ importer: ObjectImporter, _ source: sending some RowSource, _ size: Int?
    ) throws -> ObjectImporter.Outcome {
        let line = Mutex(ProgressLine(of: size))
        let report: @Sendable (ObjectImporter.Outcome) -> Void = { done in
            line.withLock { $0.show("\(className): \(done.summary)", at: done.bytes) }
        }
        defer { line.withLock { $0.finish() } }
        guard atomic else {
            var source = source
            return try importer.run(&source, progress: report)
        }
        do {
            return try importer.runAsWhole(source, progress: report)
        } catch let refusal as ObjectImporter.Refusal {
            return refusal.outcome
        }
    }
}

extension TransferFormat: ExpressibleByArgument {}

extension UpdatePolicy: ExpressibleByArgument {}

extension ObjectImporter.Outcome {
    /// `3,376 created, 0 changed, 1 refused`
    var summary: String {
        var text = "\(grouped(created)) created, \(grouped(modified)) changed"
        if unchanged > 0 { text += ", \(grouped(unchanged)) unchanged" }
        if refused > 0 { text += ", \(grouped(refused)) refused" }
        if incomplete > 0 { text += ", \(grouped(incomplete)) of them without a link" }
        return text
    }
}
