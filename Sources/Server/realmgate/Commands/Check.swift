import ArgumentParser
import EmbeddedStore
import PostgresLog
import StoreContract

/// `realmgate check`: checks a database for damage.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a database file, or the log of a realm in PostgreSQL, for damage.",
        discussion: """
            Checks the structure of the file, reads every value, and compares indexes and backlinks with the objects. \
            The file is not changed. Errors are written to standard output, one per line, and the exit code is then 1. \
            While a server has the database open, everything except the structure is checked.

            With --store and without a file it checks a realm in PostgreSQL instead, while gateways use it: that the \
            log has all versions, that each entry is whole and follows the one before it, and that the images are whole. \
            --replay also makes a replica from the oldest image, applies the log to it, checks it, and compares it with \
            one from the newest image. It needs room for both in TMPDIR, else /tmp.

            Examples:

              realmgate check shop.realmgate
              realmgate check --store postgres://rg@db1/app --realm shop --replay
            """)

    @Argument(help: "The database file, if it is one.", completion: .file())
    var file: String?

    @OptionGroup var realm: RealmOptions

    @Flag(help: "With --store: also compare replicas from the oldest and the newest image.")
    var replay = false

    func run() throws {
        guard let file else { return try checkLog() }
        guard realm.directory.url == nil, !replay else {
            throw CommandError("Name a database file or --store, not both. --replay is for --store.", exitCode: 64)
        }
        var progress = ProgressLine(of: nil)
        let report = try EmbeddedStore.check(path: file) { count in
            progress.show("\(grouped(count)) objects checked", at: count)
        }
        progress.finish()
        for fault in report.faults { print(fault) }
        if report.faults.count == EmbeddedStore.checkLimit { print("There may be more.") }
        guard report.faults.isEmpty else {
            StandardOutput.flush()
            throw CommandError("'\(file)' is damaged. Restore it from a backup.")
        }
        if !report.didCheckPages {
            print("The database is open in another program: its structure was not checked, only what is in it.")
        }
        if report.leakedPages > 0 {
            print("\(grouped(report.leakedPages)) pages are unused until the file is compacted, which is harmless.")
        }
        print(
            """
            \(file): no faults in \(grouped(report.objects)) objects and \(grouped(report.entries)) entries of \
            indexes and backlinks, at version \(report.version.map(String.init(describing:)) ?? "unknown")
            """)
    }

    private func checkLog() throws {
        guard realm.isGiven else {
            throw CommandError("Name the database file to check, or a realm with --store.", exitCode: 64)
        }
        let log = try realm.log()
        defer { log.close() }
        var line = ProgressLine(of: nil)
        let check = LogCheck(log)
        var report = try check.run { line.show("\(grouped($0)) entries checked", at: $0) }
        line.finish()
        if replay, report.faults.isEmpty {
            let scratch = try TemporaryDirectory(prefix: "realmgate-")
            defer { scratch.remove() }
            report.faults = try check.replay(report, in: scratch.path)
        }
        for fault in report.faults { print(fault) }
        guard report.faults.isEmpty else {
            StandardOutput.flush()
            throw CommandError(
                "The realm '\(log.realm)' is damaged in PostgreSQL. A gateway that runs has its objects: make a backup of it, and restore that with realmgate restore BACKUP --replace --store URL --realm \(log.realm)."
            )
        }
        print(
            """
            \(log.realm): no faults in \(grouped(report.entries)) versions after \(report.floor), \(grouped(report.bytes)) \
            bytes, and \(report.images.count) images, at version \(report.newest.version)\(replay ? "; replicas from the oldest and the newest image are equal" : "")
            """)
    }
}
