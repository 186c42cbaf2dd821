import ArgumentParser
import EmbeddedStore
import StoreContract

/// `realmgate check`: checks a database for damage.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a database file for damage.",
        discussion: """
            Checks the structure of the file, reads every value, and compares indexes and backlinks with the objects. \
            The file is not changed. Errors are written to standard output, one per line, and the exit code is then 1. \
            While a server has the database open, everything except the structure is checked.

            Example:

              realmgate check shop.realmgate
            """)

    @Argument(help: "The database file.", completion: .file())
    var file: String

    func run() throws {
        var progress = ProgressLine(of: nil)
        let report = try EmbeddedStore.check(path: file) { count in
            progress.show("\(grouped(count)) objects checked", at: count)
        }
        progress.finish()
        for fault in report.faults { print(fault) }
        if report.faults.count == EmbeddedStore.checkLimit { print("There may be more.") }
        guard report.faults.isEmpty else {
            StandardOutput.flush()
            throw CommandFailure("'\(file)' is damaged. Restore it from a backup.")
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
}
