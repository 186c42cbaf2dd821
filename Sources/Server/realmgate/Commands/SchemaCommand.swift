import ArgumentParser
import Hosting
import ObjectCoding
import ObjectModel
import StoreContract

/// `realmgate schema`: shows and changes the classes of a database.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print, check or replace the classes of a database file.",
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

            The database is --data or REALMGATE_DATA.

            Examples:

              realmgate schema --data shop.realmgate
              realmgate schema --check shop.json
              realmgate schema --apply shop.json --data shop.realmgate
            """)

    @OptionGroup var database: StoreOptions

    @Option(
        help: ArgumentHelp("Make the database's classes those of this schema file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var apply: String?

    @Option(
        help: ArgumentHelp("Report the errors in this schema file, and what it would change.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var check: String?

    func validate() throws {
        if apply != nil, check != nil { throw ValidationError("Give --apply or --check, not both.") }
    }

    func run() throws {
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
            throw CommandFailure(
                "This cannot be applied. \(withHint(refusal.detail, refusal.hint))\(faults)")
        }
    }

    private func report(_ plan: SchemaPlan) {
        let lines = SchemaChanges(plan).lines
        print(lines.isEmpty ? "Nothing changes." : lines.joined(separator: "\n"))
    }
}
