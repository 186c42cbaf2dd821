import ArgumentParser
import Logging

/// `realmgate serve`: the server.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer HTTP requests for the objects of a database file.",
        discussion: """
            Opens the file, or makes it, and listens. When it is ready it prints one line on standard output:

              realmgate: listening on http://127.0.0.1:8080

            Open that address in a browser for the console. Logs are written to standard error. \
            SIGTERM or SIGINT (Ctrl-C) stop it gracefully: requests under way are finished and the file is closed. A \
            second signal stops it at once; data that was acknowledged is safe either way.

            Examples:

              realmgate serve --demo
              realmgate serve --data shop.realmgate --schema shop.json --port 9000
              REALMGATE_DATA=/data/shop.realmgate REALMGATE_HOST=0.0.0.0 realmgate serve
            """)

    @OptionGroup var database: DataOptions
    @OptionGroup var address: AddressOptions

    @Option(
        help: ArgumentHelp(
            "A JSON file with the classes (REALMGATE_SCHEMA).",
            discussion: """
                Applied at the start; changes that would lose data are refused. Without it the classes are those in \
                the database file.
                """, valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Load airports and flights into a database without classes (REALMGATE_DEMO=true).")
    var demo: Bool?

    @Option(
        help: ArgumentHelp(
            "Where the demo's files are (REALMGATE_DEMO_DATA; default: beside the program).", valueName: "dir"),
        completion: .directory)
    var demoData: String?

    @Option(
        name: .customLong("static"),
        help: ArgumentHelp("Where the console is (REALMGATE_STATIC; default: beside the program).", valueName: "dir"),
        completion: .directory)
    var console: String?

    @Option(
        help: ArgumentHelp(
            "Where the API description is (REALMGATE_OPENAPI; default: beside the program).", valueName: "dir"),
        completion: .directory)
    var openapi: String?

    @Option(
        help: ArgumentHelp(
            "How long a subscription set stays without a stream (REALMGATE_SUBSCRIPTION_LIFETIME; default: 3600).",
            valueName: "seconds"))
    var subscriptionLifetime: Int?

    @Option(
        help: """
            trace, debug, info, notice, warning, error or critical (REALMGATE_LOG_LEVEL; default: info).
            """)
    var logLevel: String?

    @Option(help: "How lines of the log are written: text or json (REALMGATE_LOG_FORMAT; default: text).")
    var logFormat: String?

    func run() throws {
        // Before any other thread exists.
        StopSignals.block()
        let service = try Service.start(try settings(.process, .process))
        print("realmgate: listening on \(service.address)")
        StandardOutput.flush()
        let signal = StopSignals.wait()
        service.stop(because: signal)
    }

    private func settings(_ sources: SettingSources, _ files: InstalledFiles) throws -> ServiceSettings {
        let (host, port) = try address.resolved(sources)
        let logLevel = try sources.choice(logLevel, "REALMGATE_LOG_LEVEL", default: Logger.Level.info)
        let loadsDemo = try sources.flag(demo, "REALMGATE_DEMO", default: false)
        var demoDirectory: String?
        if loadsDemo {
            demoDirectory = try directory(.demo, demoData, "--demo-data", "REALMGATE_DEMO_DATA", sources, files)
            guard demoDirectory != nil else {
                throw CommandFailure(
                    "The demo's files are not beside the program. Name their directory with --demo-data.")
            }
        }
        return ServiceSettings(
            data: database.path(sources), host: host, port: port, schema: sources.text(schema, "REALMGATE_SCHEMA"),
            demo: demoDirectory,
            console: try directory(.console, console, "--static", "REALMGATE_STATIC", sources, files),
            openapi: try directory(.openapi, openapi, "--openapi", "REALMGATE_OPENAPI", sources, files),
            subscriptionLifetime: try sources.integer(
                subscriptionLifetime, "REALMGATE_SUBSCRIPTION_LIFETIME", 1...31_536_000, default: 3600),
            logLevel: logLevel,
            logFormat: try sources.choice(logFormat, "REALMGATE_LOG_FORMAT", default: LogFormat.text))
    }

    /// The directory that was asked for, which must exist, else the one beside the program.
    private func directory(
        _ part: InstalledFiles.Part, _ flag: String?, _ option: String, _ variable: String, _ sources: SettingSources,
        _ files: InstalledFiles
    ) throws -> String? {
        guard let path = sources.text(flag, variable) else { return files.directory(of: part) }
        guard InstalledFiles.isDirectory(path) else {
            throw CommandFailure("\(flag == nil ? variable : option): there is no directory '\(path)'.")
        }
        return path
    }
}
