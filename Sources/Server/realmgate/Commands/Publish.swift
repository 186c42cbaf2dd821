import ArgumentParser
import EmbeddedStore
import Hosting
import ObjectModel
import PostgresLog
import StoreContract

/// `realmgate publish`: brings a database file into PostgreSQL as a new realm.
struct Publish: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring a database file into PostgreSQL as a new realm.",
        discussion: """
            Checks the file, uploads it, and makes the realm, which is there when all of it is uploaded. A realm that \
            exists is refused. The file itself is not changed, and not used afterwards: start gateways with --store, \
            each with a replica at another path. Stop the server of the file before, or what it writes meanwhile is \
            missing.

            The realm has a new history: clients that resume an event stream get the whole result again, and earlier \
            ETags, cursors and marks are no longer valid. API keys are not in the database file.

            Needs room for a copy of the file in TMPDIR, else /tmp.

            Example:

              realmgate publish shop.realmgate --realm shop --store postgres://rg@db1/app
            """)

    @Argument(help: "The database file.", completion: .file())
    var file: String

    @OptionGroup var target: RealmOptions

    func run() throws {
        guard InstalledFiles.isFile(file) else { throw CommandError.noDatabase(file) }
        let name = try target.name
        let directory = try target.directory.open()
        defer { directory.close() }
        guard try !directory.has(name) else {
            throw CommandError(
                "There is a realm '\(name)' already. Choose another name with --realm, or replace its content: realmgate restore \(file) --replace --store URL --realm \(name)",
                exitCode: 78)
        }
        let image = try UploadedFile(file).withCopy(version: \.next) { copy in
            try PostgresLog.publish(name, in: directory) { log in try copy.upload(to: log) }
        }
        print("\(name): version \(image.position.version) of \(file), \(grouped(Int(image.bytes))) bytes")
    }
}

/// A database file that becomes the beginning of a log.
struct UploadedFile {
    let path: String

    /// Checks it. Throws `CommandError` for a damaged file.
    init(_ path: String) throws {
        var checking = ProgressLine(of: nil)
        let report = try EmbeddedStore.check(path: path) { count in
            checking.show("\(grouped(count)) objects checked", at: count)
        }
        checking.finish()
        guard report.faults.isEmpty else {
            throw CommandError(
                "'\(path)' is damaged: \(report.faults[0]). `realmgate check` lists everything. Nothing was changed.")
        }
        self.path = path
    }

    /// Makes the copy that is uploaded, in a temporary directory that is deleted afterwards.
    func withCopy<Result>(
        version: (Version) -> Version, _ body: (LogBeginning) throws -> Result
    ) throws -> Result {
        let scratch = try TemporaryDirectory(prefix: "realmgate-")
        defer { scratch.remove() }
        return try body(try LogBeginning(of: path, at: scratch.path + "/image", version: version))
    }
}
