import ArgumentParser
import ObjectModel
import PostgresLog
import StoreContract

/// `--store`, of commands on the realms of a PostgreSQL database.
struct DirectoryOptions: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: .setting(
            "store.url",
            discussion: """
                Other users can see the arguments of a command, so give a password in the variable, or in the file \
                that PGPASSFILE names.
                """, valueName: "url"))
    var url: String?

    func validate() throws { try Self.check(url) }

    /// An empty URL is that of a script whose variable is not set: nobody wants a database of its own instead.
    static func check(_ url: String?) throws {
        guard url?.isEmpty == true else { return }
        throw ValidationError("--store is empty. Give the URL of a PostgreSQL database, or leave --store out.")
    }

    /// Connects to nothing yet. Throws `CommandError` without an address, `LogConfigurationError` for a wrong one.
    func open() throws -> LogDirectory {
        guard let url = SettingSources.process.text(url, "REALMGATE_STORE") else {
            throw CommandError(
                "Name the PostgreSQL database with --store postgres://USER@HOST/DATABASE.", exitCode: 64)
        }
        return try LogDirectory(try PostgresAddress(url))
    }
}

/// `--store` and `--realm`, of commands on one realm.
struct RealmOptions: ParsableArguments {
    @OptionGroup var directory: DirectoryOptions

    @Option(help: .setting("store.realm", valueName: "name"))
    var realm: String?

    var name: RealmName {
        get throws {
            try RealmName(
                SettingSources.process.text(realm, "REALMGATE_STORE_REALM")
                    ?? ServiceConfiguration.defaults.database.realm
            )
        }
    }

    /// Whether a PostgreSQL database is named.
    var isGiven: Bool { SettingSources.process.text(directory.url, "REALMGATE_STORE") != nil }

    /// Connects, and finds the realm. Throws `LogConfigurationError`.
    func log() throws -> PostgresLog {
        let name = try name
        return try PostgresLog(try directory.open(), name)
    }
}

extension LogPosition {
    /// As it is shown to people.
    var text: String { "\(Mark(version, tag))" }
}
