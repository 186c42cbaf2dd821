import ArgumentParser
import EmbeddedStore
import StoreContract

/// `realmgate backup`: copies a database that may be in use.
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a database to a new file, also while a server writes to it.",
        discussion: """
            The copy holds one version, the newest when the command started, without unused space. It gets its name \
            only when all of it is on the disk; a file of that name is never replaced. A server may have the database \
            open and write to it meanwhile.

            `realmgate restore` puts a backup in the place of a database file. A server gives the same copy to \
            administrators at GET /v1/backup.

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
