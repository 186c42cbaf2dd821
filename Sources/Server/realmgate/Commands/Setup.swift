import ArgumentParser
import PostgresLog

/// `realmgate setup`: prepares a PostgreSQL database for the logs of realms.
struct Setup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the tables that gateways on one PostgreSQL database share.",
        discussion: """
            Makes the schema 'realmgate' with its tables in a PostgreSQL database, or finds them: running it again \
            changes nothing. --print prints the statements instead, for somebody else to run with psql, and the rights \
            that gateways need; it needs no database.

            --format allows gateways to write entries of a newer format, in all realms or in one. Give it once all \
            gateways are programs that know the format: it is refused while one that was seen within the hour does not, \
            and an older program that meets such an entry ends with exit code 78.

            The address is a URL of libpq, with several hosts if need be. Processes of others can see the arguments of \
            a command, so give the password in REALMGATE_STORE, which has the whole URL, or in the file that PGPASSFILE \
            names. This command never prints it.

            Examples:

              realmgate setup --store postgres://owner@db1/app
              realmgate setup --print | psql app
              realmgate setup --format 1 --realm shop
            """)

    @Option(
        help: ArgumentHelp("The PostgreSQL database: postgres://USER@HOST/DATABASE.", valueName: "url"))
    var store: String?

    @Flag(name: .customLong("print"), help: "Print the statements, and change nothing.")
    var printsOnly = false

    @Option(help: ArgumentHelp("The newest format of entries that gateways may write.", valueName: "number"))
    var format: Int32?

    @Option(help: ArgumentHelp("The realm that --format is for; else all.", valueName: "name"))
    var realm: String?

    func validate() throws {
        if realm != nil, format == nil { throw ValidationError("--realm goes with --format.") }
        if printsOnly, format != nil { throw ValidationError("Give --print or --format.") }
    }

    func run() throws {
        if printsOnly {
            print(LogSchema.script, terminator: "")
            return
        }
        guard let url = SettingSources.process.text(store, "REALMGATE_STORE") else {
            throw CommandError(
                "Name the PostgreSQL database with --store postgres://USER@HOST/DATABASE.", exitCode: 64)
        }
        let address = try PostgresAddress(url)
        let directory = try LogDirectory(address)
        defer { directory.close() }
        try directory.setUp()
        print("\(address) has the tables of Realmgate, format \(LogSchema.format).")
        guard let format else { return }
        let names = try directory.raiseEntryFormat(to: format, of: realm.map { try RealmName($0) })
        print(
            names.isEmpty
                ? "There are no realms."
                : "Entries may have formats up to \(format) in \(names.map { "'\($0)'" }.joined(separator: ", ")).")
    }
}
