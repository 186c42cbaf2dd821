import ArgumentParser
import ObjectModel
import StoreContract

/// `realmgate schema`: the classes of a file.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print, check or replace the classes of a database file.",
        discussion: """
            Prints the classes as JSON, in the form that --apply and `serve --schema` read. --check reads a schema file \
            and says everything that is wrong with it, and what would change in the database if there is one; \
            nothing is written. --apply takes the file's classes over: what is new is added, what is gone is \
            removed with its data if the file's schemaVersion is higher than before, and what would have to be \
            converted is refused.

            The database is --data or REALMGATE_DATA.

            Examples:

              realmgate schema --data shop.realmgate
              realmgate schema --check shop.json
              realmgate schema --apply shop.json --data shop.realmgate
            """)

    @OptionGroup var database: DataOptions

    @Option(
        help: ArgumentHelp("Take over the classes of this schema file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var apply: String?

    @Option(
        help: ArgumentHelp("Say what is wrong with this schema file, and what it would change.", valueName: "file"),
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
            let before = try store.snapshot().schema
            let after = try SchemaFile.apply(apply, to: store)
            report(SchemaChanges(from: before, to: after))
        } else {
            let store = try database.open(.process, mustExist: true)
            defer { store.close() }
            print(SchemaFile.text(of: try store.snapshot().schema))
        }
    }

    private func check(_ file: String) throws {
        let schema = try SchemaFile.read(file)
        guard InstalledFiles.isFile(database.path(.process)) else {
            print("The schema is sound.")
            return
        }
        let store = try database.open(.process, mustExist: true)
        defer { store.close() }
        report(SchemaChanges(from: try store.snapshot().schema, to: schema))
    }

    private func report(_ changes: SchemaChanges) {
        print(changes.lines.isEmpty ? "Nothing changes." : changes.lines.joined(separator: "\n"))
    }
}
