import ArgumentParser
import ObjectCoding
import ObjectModel
import StoreContract

/// `realmgate types`: writes the classes of a database as source text of another language.
struct TypesCommand: ParsableCommand {
    enum Language: String, ExpressibleByArgument, CaseIterable {
        case typescript
    }

    static let configuration = CommandConfiguration(
        commandName: "types",
        abstract: "Print the classes of a database as TypeScript.",
        discussion: """
            Prints a module with an interface for each class, and the interface Classes for the JavaScript client:

              const db = new Realmgate<Classes>("http://127.0.0.1:8080");

            A running server has the same at GET /v1/schema?format=typescript.

            Examples:

              realmgate types typescript --data shop.realmgate > classes.ts
              realmgate types typescript --schema shop.json > classes.ts
            """)

    @OptionGroup var database: StoreOptions

    @Option(
        help: ArgumentHelp("Print the classes of this schema file; no database is needed.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Argument(help: "The language: typescript.")
    var language: Language

    func validate() throws {
        if schema != nil, database.file.data != nil { throw ValidationError("Give --schema or --data, not both.") }
    }

    func run() throws {
        let schema = try self.schema.map { try SchemaFile.read($0).schema } ?? storedSchema()
        switch language {
        case .typescript: print(TypeScriptDeclarations.text(of: schema), terminator: "")
        }
    }

    private func storedSchema() throws -> Schema {
        let store = try database.open(.process, mustExist: true)
        defer { store.close() }
        return try store.snapshot().schema
    }
}
