import Basics
import ArgumentParser
import ObjectCoding
import ObjectModel
import RealmImport
import StoreContract

/// `realmgate schema`: shows and changes the classes of a database.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print, check or replace the classes of a database file, or print those of a Realm file.",
        discussion: """
            Prints the classes as JSON, in the form that --apply and `serve --schema` read. --check reports all errors \
            in a schema file and, if there is a database, what the file would change in it; nothing is written. --apply \
            makes the database's classes those of the file: it adds new classes and properties, and removes missing \
            ones with their data if the file's schemaVersion is higher than the database's. If values have to be \
            converted, the steps of the file's "migration" say how, one after the other:

              "migration": [
                {"rename": {"class": "Dog", "from": "name", "to": "title"}},
                {"convert": {"class": "Dog", "from": "age", "to": "age", "fallback": 0}},
                {"copy": {"class": "Dog", "from": "weight", "to": "mass"}},
                {"default": {"class": "Dog", "property": "good", "value": true}},
                {"deleteClass": "Cat"}
              ]

            Either all changes are made, or none.

            The database is --data or REALMGATE_DATA. With a Realm file instead, the command prints its classes as \
            `realmgate import` would make them, and on standard error what would be different, and how many objects \
            there are.

            Examples:

              realmgate schema --data shop.realmgate
              realmgate schema --check shop.json
              realmgate schema --apply shop.json --data shop.realmgate
              realmgate schema default.realm
            """)

    @Argument(help: "A Realm file.", completion: .file())
    var realmFile: String?

    @OptionGroup var database: StoreOptions

    @Option(
        help: ArgumentHelp("Make the database's classes those of this schema file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var apply: String?

    @Option(
        help: ArgumentHelp("Report the errors in this schema file, and what it would change.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var check: String?

    @OptionGroup(title: "A Realm file") var realmOptions: RealmFileOptions

    func validate() throws {
        if apply != nil, check != nil { throw ValidationError("Give --apply or --check, not both.") }
        if realmFile != nil, apply != nil || check != nil {
            throw ValidationError("--apply and --check are for databases: omit the Realm file.")
        }
    }

    func run() throws {
        if let realmFile { return try show(realmFile) }
        try realmOptions.refuse()
        if let check {
            try self.check(check)
        } else if let apply {
            let store = try database.open(.process, mustExist: false)
            defer { store.close() }
            report(try SchemaFile.apply(apply, to: store))
        } else {
            let store = try database.open(.process, mustExist: true)
            defer { store.close() }
            print(SchemaFile.text(of: try store.snapshot().schema))
        }
    }

    /// Prints the classes of a Realm file.
    private func show(_ path: String) throws {
        try RealmSource.checkReadable(path)
        guard let source = try realmOptions.source(path) else {
            throw CommandError(
                "'\(path)' is not a Realm file, or an encrypted one, whose key --encryption-key-file names. For the classes of a database give --data \(path).",
                exitCode: 65)
        }
        try source.read { file, classes in
            print(SchemaFile.text(of: classes.schema))
            RealmReport.printNotes(classes)
            for line in try RealmReport.lines(counting: file, classes) { StandardError.write(line + "\n") }
        }
    }

    private func check(_ file: String) throws {
        let document = try SchemaFile.read(file)
        guard database.isThere(.process) else {
            print("The schema is valid.")
            return
        }
        let store = try database.open(.process, mustExist: true)
        defer { store.close() }
        let plan = SchemaPlan(document, for: try store.snapshot())
        report(plan)
        if let refusal = plan.refusal {
            let faults = plan.faults.map { "\n  - \($0)" }.joined()
            throw CommandError(
                "This cannot be applied. \(withHint(refusal.detail, refusal.hint))\(faults)")
        }
    }

    private func report(_ plan: SchemaPlan) {
        let lines = SchemaChanges(plan).lines
        print(lines.isEmpty ? "Nothing changes." : lines.joined(separator: "\n"))
    }
}
