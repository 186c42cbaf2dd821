import ArgumentParser
import EmbeddedStore
import Hosting
import StoreContract

/// `--data`, an option of every command that accesses the database.
struct DataOptions: ParsableArguments {
    @Option(
        help: .setting(
            "data",
            discussion: "Its lock file is in the same directory. Several programs can have the database open at once.",
            valueName: "file"),
        completion: .file())
    var data: String?

    func path(_ sources: SettingSources) -> String {
        sources.text(data, "REALMGATE_DATA") ?? ServiceConfiguration.defaults.data
    }
}

/// `--data` and `--store`, options of every command that reads or writes objects.
struct StoreOptions: ParsableArguments {
    @OptionGroup var file: DataOptions
    @OptionGroup var log: LogOptions

    /// Whether there is a database file, or a log whose replica would be made.
    func isThere(_ sources: SettingSources) -> Bool {
        let address = log.address(file.path(sources), sources)
        return address.url != nil || InstalledFiles.isFile(address.path)
    }

    /// Opens the store; nil if there is none.
    func openIfPresent(_ sources: SettingSources) throws -> (any Store)? {
        isThere(sources) ? try open(sources, mustExist: true) : nil
    }

    /// Hands the store to the body, and closes it. A database file that is not there yet is there when the body is
    /// done, and not if it throws.
    func fill<R>(_ sources: SettingSources, _ body: (any Store) throws -> R) throws -> R {
        let address = log.address(file.path(sources), sources)
        guard address.url == nil, !InstalledFiles.isFile(address.path) else {
            let store = try open(sources, mustExist: false)
            defer { store.close() }
            return try body(store)
        }
        try address.check()
        return try EmbeddedStore.make(path: address.path, options: ServiceConfiguration.defaults.store, body)
    }

    /// Opens the store. Creates it unless `mustExist`; a replica's file is created in any case.
    func open(_ sources: SettingSources, mustExist: Bool) throws -> any Store {
        var address = log.address(file.path(sources), sources)
        if mustExist, address.url == nil, !InstalledFiles.isFile(address.path) {
            throw CommandError.noDatabase(address.path, " Name one with --data FILE.")
        }
        // A log is as old as its realm; the replica's file is made here.
        if address.url != nil, mustExist { address.realmMustExist = true }
        return try address.open(ServiceConfiguration.defaults.store)
    }
}

/// `--store` and its companions, for objects that several gateways share.
struct LogOptions: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: .setting(
            "store.url",
            discussion: """
                The file of --data is then a replica, which may be deleted at any time. Other users can see the \
                arguments of a command, so give a password in the variable, or in the file that PGPASSFILE names.
                """, valueName: "url"))
    var url: String?

    @Option(help: .setting("store.realm", valueName: "name"))
    var realm: String?

    @Flag(inversion: .prefixedNo, help: .setting("store.mustExist"))
    var mustExist: Bool?

    func validate() throws { try DirectoryOptions.check(url) }

    func address(_ path: String, _ sources: SettingSources) -> StoreAddress {
        var address = StoreAddress(path: path)
        address.url = sources.text(url, "REALMGATE_STORE")
        address.realm = sources.text(realm, "REALMGATE_STORE_REALM") ?? address.realm
        address.realmMustExist = mustExist ?? address.realmMustExist
        return address
    }
}

/// `--host` and `--port`.
struct AddressOptions: ParsableArguments {
    @Option(help: .setting("host"))
    var host: String?

    @Option(help: .setting("port"))
    var port: Int?
}

/// `--sort`.
struct OrderOptions: ParsableArguments {
    @Option(
        // A value may begin with a minus sign.
        parsing: .unconditional,
        help: ArgumentHelp(
            "The order: property names or key paths with commas between, - before one for descending.",
            valueName: "paths"))
    var sort: String?
}

/// Opens a database that must exist.
enum DatabaseFile {
    static func open(_ path: String) throws -> EmbeddedStore {
        guard InstalledFiles.isFile(path) else { throw CommandError.noDatabase(path) }
        return try EmbeddedStore.open(path: path, options: ServiceConfiguration.defaults.store)
    }
}
