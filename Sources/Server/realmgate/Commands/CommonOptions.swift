import ArgumentParser
import EmbeddedStore
import Hosting
import StoreContract

/// `--data`, an option of every command that accesses the database.
struct DataOptions: ParsableArguments {
    static let fallback = "data.realmgate"

    @Option(
        help: ArgumentHelp(
            "The database file (REALMGATE_DATA; default: \(fallback)).",
            discussion: "Its lock file is in the same directory. Several programs can have the database open at once.",
            valueName: "file"
        ),
        completion: .file())
    var data: String?

    func path(_ sources: SettingSources) -> String { sources.text(data, "REALMGATE_DATA") ?? Self.fallback }

    /// Opens the file. Creates it unless `mustExist`.
    func open(_ sources: SettingSources, mustExist: Bool) throws -> any Store {
        let path = path(sources)
        if mustExist, !InstalledFiles.isFile(path) {
            throw CommandFailure("There is no database file '\(path)'. Name one with --data FILE.")
        }
        return try EmbeddedStore.open(path: path, options: .roomy)
    }
}

/// `--host` and `--port`.
struct AddressOptions: ParsableArguments {
    @Option(help: "The address to listen on (REALMGATE_HOST; default: 127.0.0.1).")
    var host: String?

    @Option(help: "The port to listen on; 0 chooses a free one (REALMGATE_PORT; default: 8080).")
    var port: Int?
}

/// Opens a database that must exist.
enum DatabaseFile {
    static func open(_ path: String) throws -> EmbeddedStore {
        guard InstalledFiles.isFile(path) else { throw CommandFailure("There is no database file '\(path)'.") }
        return try EmbeddedStore.open(path: path, options: .roomy)
    }
}
