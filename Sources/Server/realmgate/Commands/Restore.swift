import ArgumentParser
import EmbeddedStore
import Hosting
import ObjectModel
import PostgresLog
import StoreContract

/// `realmgate restore`: replaces the database by a backup.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace a database file, or a realm in PostgreSQL, by a backup.",
        discussion: """
            Checks the backup first, and rejects a damaged one. The backup itself is not changed. No server may have the \
            database open; --replace discards an existing database file. If the command is interrupted, the file is \
            either unchanged or restored.

            The restored database has a new history: clients that resume an event stream get the whole result again, and \
            earlier ETags, cursors and marks are no longer valid.

            With --store and without a database file the backup replaces the content of a realm in PostgreSQL: it is \
            uploaded as an image of a higher version, and the log before it is deleted. Gateways may run: each of them \
            ends with exit code 75 when it finds that, and begins from the backup when its supervisor starts it again. \
            Needs room for a copy of the backup in TMPDIR, else /tmp. For a realm that does not exist, use \
            `realmgate publish`.

            Examples:

              realmgate restore backups/shop-2026-01-31.realmgate shop.realmgate --replace
              realmgate restore backups/shop-2026-01-31.realmgate --replace --store postgres://rg@db1/app --realm shop
            """)

    @Argument(help: "The backup, as `realmgate backup` or GET /v1/backup wrote it.", completion: .file())
    var backup: String

    @Argument(help: "The database file, if it is one; its directory must exist.", completion: .file())
    var file: String?

    @OptionGroup var target: RealmOptions

    @Flag(help: "Discard the existing database file, or the content of the realm.")
    var replace = false

    func run() throws {
        guard InstalledFiles.isFile(backup) else {
            throw CommandError("There is no backup '\(backup)'.", exitCode: 66)
        }
        guard let file else { return try restoreRealm() }
        guard target.directory.url == nil else {
            throw CommandError("Name a database file or --store, not both.", exitCode: 64)
        }
        guard replace || !InstalledFiles.isFile(file) else {
            throw CommandError(
                "The file '\(file)' exists already. Choose another name, or discard the file with --replace.")
        }
        var checking = ProgressLine(of: nil)
        let report = try EmbeddedStore.check(path: backup) { count in
            checking.show("\(grouped(count)) objects checked", at: count)
        }
        checking.finish()
        guard report.faults.isEmpty else {
            throw CommandError(
                "The backup '\(backup)' is damaged: \(report.faults[0]). `realmgate check` lists everything. Nothing was changed."
            )
        }
        let progress = FileProgress(file, of: 0)
        try EmbeddedStore.restore(file, from: backup, replaces: replace) { progress.show($0) }
        progress.finish(
            "\(file): \(grouped(report.objects)) objects restored from \(backup), version \(report.version.map(String.init(describing:)) ?? "unknown")"
        )
    }

    /// The versions that gateways may write while the backup is uploaded.
    private static let margin: UInt64 = 10_000_000

    private func restoreRealm() throws {
        guard target.isGiven else {
            throw CommandError("Name the database file to restore to, or a realm with --store.", exitCode: 64)
        }
        guard replace else {
            throw CommandError(
                "The realm '\(try target.name)' loses what it has. Allow that with --replace, or use `realmgate publish` to make another realm."
            )
        }
        let log = try target.log()
        defer { log.close() }
        let newest = try log.newest().version
        let image = try UploadedFile(backup).withCopy(
            version: { Version(max($0.rawValue, newest.rawValue) + Self.margin) },
            { copy in try copy.upload(by: log.restart) })
        print(
            "\(log.realm): restored from \(backup) as version \(image.position.version); its gateways end with exit code 75 and start with a new replica"
        )
    }
}
