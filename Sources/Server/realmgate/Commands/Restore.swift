import ArgumentParser
import EmbeddedStore
import Hosting
import StoreContract

/// `realmgate restore`: replaces the database by a backup.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace a database file by a backup.",
        discussion: """
            Checks the backup first, and rejects a damaged one. The backup itself is not changed. No server may have the \
            database open; --replace discards an existing database file. If the command is interrupted, the file is \
            either unchanged or restored.

            The restored database has a new history: clients that resume an event stream get the whole result again, and \
            earlier ETags, cursors and marks are no longer valid.

            Example:

              realmgate restore backups/shop-2026-01-31.realmgate shop.realmgate --replace
            """)

    @Argument(help: "The backup, as `realmgate backup` or GET /v1/backup wrote it.", completion: .file())
    var backup: String

    @Argument(help: "The database file; its directory must exist.", completion: .file())
    var file: String

    @Flag(help: "Discard the existing database file.")
    var replace = false

    func run() throws {
        guard InstalledFiles.isFile(backup) else { throw CommandFailure("There is no backup '\(backup)'.") }
        guard replace || !InstalledFiles.isFile(file) else {
            throw CommandFailure(
                "The file '\(file)' exists already. Choose another name, or discard the file with --replace.")
        }
        var checking = ProgressLine(of: nil)
        let report = try EmbeddedStore.check(path: backup) { count in
            checking.show("\(grouped(count)) objects checked", at: count)
        }
        checking.finish()
        guard report.faults.isEmpty else {
            throw CommandFailure(
                "The backup '\(backup)' is damaged: \(report.faults[0]). `realmgate check` lists everything. Nothing was changed."
            )
        }
        let progress = FileProgress(file, of: 0)
        try EmbeddedStore.restore(file, from: backup, replaces: replace) { progress.show($0) }
        progress.finish(
            "\(file): \(grouped(report.objects)) objects restored from \(backup), version \(report.version.map(String.init(describing:)) ?? "unknown")"
        )
    }
}
