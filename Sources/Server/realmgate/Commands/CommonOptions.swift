import ArgumentParser
import EmbeddedStore
import Hosting
import StoreContract

/// `--data`, an option of every command that accesses the database.
struct DataOptions: ParsableArguments {
    @Option(
        help: .setting(
            "data",
            discussion: "Its lock file is in the same directory. Several programs can have the database open at once.",
            valueName: "file"),
        completion: .file())
    var data: String?

    func path(_ sources: SettingSources) -> String {
        sources.text(data, "REALMGATE_DATA") ?? ServiceConfiguration.defaults.data
    }

    /// Opens the file; nil if there is none.
    func openIfPresent(_ sources: SettingSources) throws -> (any Store)? {
        InstalledFiles.isFile(path(sources)) ? try open(sources, mustExist: true) : nil
    }

    /// Opens the file. Creates it unless `mustExist`.
    func open(_ sources: SettingSources, mustExist: Bool) throws -> any Store {
        let path = path(sources)
        if mustExist, !InstalledFiles.isFile(path) {
            throw CommandFailure("There is no database file '\(path)'. Name one with --data FILE.")
        }
        return try EmbeddedStore.open(path: path, options: ServiceConfiguration.defaults.store)
    }
}

/// `--host` and `--port`.
struct AddressOptions: ParsableArguments {
    @Option(help: .setting("host"))
    var host: String?

    @Option(help: .setting("port"))
    var port: Int?
}

/// `--sort`.
struct OrderOptions: ParsableArguments {
    @Option(
        // A value may begin with a minus sign.
        parsing: .unconditional,
        help: ArgumentHelp(
            "The order: property names or key paths with commas between, - before one for descending.",
            valueName: "paths"))
    var sort: String?
}

/// Opens a database that must exist.
enum DatabaseFile {
    static func open(_ path: String) throws -> EmbeddedStore {
        guard InstalledFiles.isFile(path) else { throw CommandFailure("There is no database file '\(path)'.") }
        return try EmbeddedStore.open(path: path, options: ServiceConfiguration.defaults.store)
    }
}
