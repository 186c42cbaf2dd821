import ArgumentParser
import EmbeddedStore
import StoreContract

/// `realmgate backup`: copies a database that may be in use.
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a database to a new file, even while a server writes to it.",
        discussion: """
            The copy contains the latest version at the start of the command, without unused space. A server may use \
            the database meanwhile. The new file appears under its name only when it is completely on disk; an existing \
            file is never replaced.

            `realmgate restore` replaces a database file by a backup. Administrators can download the same copy from a \
            server at GET /v1/backup.

            Example:

              realmgate backup shop.realmgate backups/shop-2026-01-31.realmgate
            """)

    @Argument(help: "The database file.", completion: .file())
    var file: String

    @Argument(help: "The new file; its directory must exist.", completion: .file())
    var destination: String

    func run() throws {
        let store = try DatabaseFile.open(file)
        defer { store.close() }
        let progress = FileProgress("\(destination)", of: try store.sizes().usedBytes)
        try store.writeCopy(to: destination) { progress.show($0) }
        progress.finish("\(file): version \(try store.snapshot().version) copied to \(destination)")
    }
}
