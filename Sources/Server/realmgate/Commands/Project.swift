import ArgumentParser
import EmbeddedStore
import Logging
import ObjectModel
import PostgresLog
import Projection
import StoreContract

/// `realmgate project`: shows a realm's objects as tables.
struct Project: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep tables of a realm's objects in PostgreSQL, for programs that speak SQL.",
        discussion: """
            Each class is a table of the schema that --schema names, with a row for each object; each list, set and map \
            is a table of its elements. The tables are read-only copies: a change of them changes no object. They \
            follow the log in whole versions, and realmgate.projection says which one they have.

            The command runs until it gets SIGTERM or SIGINT. With --once it ends when the tables have the newest \
            version. Several may run: one works, and another goes on when it ends.

            It keeps a replica in --data, as a gateway does. The user needs the right to create schemas in the database.

            Example:

              realmgate project --store postgres://rg@db1/app --realm shop --data /var/lib/realmgate/tables.replica \\
                --schema shop --reader analysts
            """)

    @OptionGroup var source: RealmOptions

    @Option(
        help: ArgumentHelp("The replica (default: a new one, deleted at the end).", valueName: "file"),
        completion: .file())
    var data: String?

    @Option(help: ArgumentHelp("The schema of the tables (default: the name of the realm).", valueName: "name"))
    var schema: String?

    @Option(
        name: .customLong("reader"),
        help: ArgumentHelp("A role that may read the tables; may be repeated.", valueName: "role"))
    var readers: [String] = []

    @Flag(help: "End when the tables have the newest version.")
    var once = false

    func run() throws {
        if !once {
            // Before any other thread exists.
            Signals.block()
            let level = LiveLogLevel(ServiceConfiguration.defaults.logLevel)
            LoggingSystem.bootstrap { label in
                LiveLogHandler(label: label, ServiceConfiguration.defaults.logFormat, level)
            }
        }
        let log = try source.log()
        let scratch = try TemporaryDirectory(prefix: "realmgate-")
        defer { scratch.remove() }
        let line = ReplicaLine()
        let store = try EmbeddedStore.open(
            path: data ?? scratch.path + "/replica", log: log, options: ServiceConfiguration.defaults.store
        ) { line.show($0) }
        line.finish()
        defer { store.close() }
        let name = try schema ?? source.name.text
        do {
            let projector = try Projector(store, log, schema: name, readers: readers)
            let first = try projector.step()
            print("\(log.realm): \(first.text(in: name, try store.snapshot().version))")
            guard !once else { return }
            StandardOutput.flush()
            let keeper = ProjectionKeeper(projector, store, schema: name)
            keeper.start()
            while case .reload = Signals.wait() {}
            if let fault = keeper.end() { throw CommandError("\(fault)", exitCode: 75) }
        } catch let fault as ProjectionError {
            throw CommandError(fault.description, exitCode: fault.isTemporary ? 75 : 78)
        }
    }
}

extension Projector.Outcome {
    /// In words, for people.
    func text(in schema: String, _ version: Version) -> String {
        switch self {
        case .current: "the tables of schema \(schema) have version \(version)"
        case .changed(let version, let rows):
            "the tables of schema \(schema) have version \(version), \(grouped(rows)) rows written"
        case .rewritten(let version, let rows, let reason):
            "the tables of schema \(schema) have version \(version), all \(grouped(rows)) rows written: \(reason.rawValue)"
        }
    }
}
