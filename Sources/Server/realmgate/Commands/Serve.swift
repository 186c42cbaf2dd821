import ArgumentParser
import Hosting

/// `realmgate serve`: runs the server.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the objects of a database file over HTTP.",
        discussion: """
            Opens or creates the file, and listens. When ready, prints one line on standard output:

              realmgate: listening on http://127.0.0.1:8080

            Open that address in a browser for the console. Logs are written to standard error. \
            SIGTERM or SIGINT (Ctrl-C) stops the server gracefully: running requests finish, and the file is closed. A \
            second signal stops it at once; acknowledged data is safe in both cases. On SIGHUP the server reads its \
            configuration file, keys and certificates again; a file with an error changes nothing.

            Every caller has full access until the first API key has been created (see realmgate token), roles or \
            tokens are configured, or --auth is given. Until then the server listens on loopback addresses only, unless \
            --allow-open is given.

            A setting is taken from the command line, else from an environment variable, else from the file of \
            --config, else from its default. Use --set NAME=VALUE for a setting without an option of its own.

            Examples:

              realmgate serve --demo
              realmgate serve --data shop.realmgate --schema shop.json --port 9000
              realmgate serve --config /etc/realmgate.yaml --set log.level=debug
              realmgate serve --store postgres://rg@db1/app --realm shop --data shop.replica
              REALMGATE_DATA=/data/shop.realmgate REALMGATE_HOST=0.0.0.0 REALMGATE_AUTH=true realmgate serve

            The settings in the file, with their variables and defaults:

            \(SettingList.text)
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var database: StoreOptions
    @OptionGroup var address: AddressOptions

    @Option(
        help: .setting(
            "schema",
            discussion: """
                Changes that would lose data are rejected. Without it the classes are those in the database file.
                """, valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Flag(inversion: .prefixedNo, help: .setting("demo"))
    var demo: Bool?

    @Option(help: .setting("demoData", valueName: "dir"), completion: .directory)
    var demoData: String?

    @Option(name: .customLong("static"), help: .setting("static", valueName: "dir"), completion: .directory)
    var console: String?

    @Option(help: .setting("openapi", valueName: "dir"), completion: .directory)
    var openapi: String?

    @Flag(inversion: .prefixedNo, help: .setting("auth.required"))
    var auth: Bool?

    @Flag(inversion: .prefixedNo, help: .setting("allowOpen"))
    var allowOpen: Bool?

    @Option(help: .setting("tls.certificate", valueName: "file"), completion: .file(extensions: ["pem", "crt"]))
    var tlsCertificate: String?

    @Option(help: .setting("tls.key", valueName: "file"), completion: .file(extensions: ["pem", "key"]))
    var tlsKey: String?

    @Option(help: .setting("trustedProxies", valueName: "addresses"))
    var trustedProxies: String?

    @Option(help: .setting("subscription.lifetime", valueName: "seconds"))
    var subscriptionLifetime: Int?

    @Option(help: .setting("log.level"))
    var logLevel: String?

    @Option(help: .setting("log.format"))
    var logFormat: String?

    @Flag(help: "Print all settings with their origins, and exit. Secrets are not shown.")
    var printConfig = false

    @Flag(help: "Check all settings and the files that they name, and exit.")
    var check = false

    func run() throws {
        if printConfig { return print(try settings().description, terminator: "") }
        if check {
            let checked = try ServiceSettings(try settings(), .process)
            try checked.check()
            for problem in try checked.ruleProblems() { StandardError.write("Warning: \(problem)\n") }
            return print("The configuration is valid.")
        }
        // Before any other thread exists.
        Signals.block()
        Allocator.returnLargeBuffers()
        Allocator.returnFreePagesRegularly()
        let service = try Service.start(try ServiceSettings(try settings(), .process)) {
            try ServiceSettings(try settings(), .process)
        }
        print("realmgate: listening on \(service.address)")
        StandardOutput.flush()
        while true {
            switch Signals.wait() {
            case .reload: service.reload()
            case .stop(let name): return try service.stop(because: name)
            }
        }
    }

    private func settings() throws -> Settings {
        try configuration.settings([
            "data": database.file.data, "store.url": database.log.url, "store.realm": database.log.realm,
            "store.mustExist": database.log.mustExist.map(String.init), "host": address.host,
            "port": address.port.map(String.init), "schema": schema,
            "demo": demo.map(String.init), "demoData": demoData, "static": console, "openapi": openapi,
            "auth.required": auth.map(String.init), "allowOpen": allowOpen.map(String.init),
            "tls.certificate": tlsCertificate, "tls.key": tlsKey,
            "trustedProxies": trustedProxies, "subscription.lifetime": subscriptionLifetime.map(String.init),
            "log.level": logLevel, "log.format": logFormat,
        ])
    }
}

/// `--config` and `--set`.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("A YAML or JSON file with settings (REALMGATE_CONFIG).", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var file: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("A setting by its name in the file; may be repeated.", valueName: "name=value"))
    var assignments: [String] = []

    /// Returns the settings of this process.
    ///
    /// - Parameter options: the values from the command line, by the name of the setting.
    func settings(_ options: [String: String?]) throws(CommandError) -> Settings {
        try Settings(options: options.compactMapValues { $0 }, assignments: assignments, file: file, .process)
    }
}
