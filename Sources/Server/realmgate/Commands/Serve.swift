import ArgumentParser
import Hosting

/// `realmgate serve`: runs the server.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer HTTP requests for the objects of a database file.",
        discussion: """
            Opens the file, or makes it, and listens. When it is ready it prints one line on standard output:

              realmgate: listening on http://127.0.0.1:8080

            Open that address in a browser for the console. Logs are written to standard error. \
            SIGTERM or SIGINT (Ctrl-C) stop it gracefully: requests under way are finished and the file is closed. A \
            second signal stops it at once; data that was acknowledged is safe either way. SIGHUP has it read its \
            configuration file, keys and certificates again; a file with a fault changes nothing.

            Everybody may do everything until the first API key has been made (see realmgate token), roles or tokens \
            are configured, or --auth is given. As long as that is so it listens on loopback addresses only, unless \
            --allow-open is given.

            Settings come from the command line, else from an environment variable, else from the file of --config, \
            else they have their default. Those that have no option of their own are given as --set NAME=VALUE.

            Examples:

              realmgate serve --demo
              realmgate serve --data shop.realmgate --schema shop.json --port 9000
              realmgate serve --config /etc/realmgate.yaml --set log.level=debug
              REALMGATE_DATA=/data/shop.realmgate REALMGATE_HOST=0.0.0.0 REALMGATE_AUTH=true realmgate serve

            Names in the file, with their variables and defaults:

            \(SettingList.text)
            """)

    @OptionGroup var configuration: ConfigurationOptions
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

    @Flag(
        inversion: .prefixedNo,
        help: "Ask for credentials even before the first key has been made (REALMGATE_AUTH=true).")
    var auth: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Listen on any address although everybody may do everything (REALMGATE_ALLOW_OPEN=true).")
    var allowOpen: Bool?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificate and its issuers; HTTPS then (REALMGATE_TLS_CERTIFICATE).",
            valueName: "file"),
        completion: .file(extensions: ["pem", "crt"]))
    var tlsCertificate: String?

    @Option(
        help: ArgumentHelp("A PEM file with the certificate's key (REALMGATE_TLS_KEY).", valueName: "file"),
        completion: .file(extensions: ["pem", "key"]))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "Proxies that say in X-Forwarded-For who asks (REALMGATE_TRUSTED_PROXIES).",
            valueName: "addresses"))
    var trustedProxies: String?

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

    @Flag(help: "Print all settings, each with where it comes from, and end. Secrets are not shown.")
    var printConfig = false

    @Flag(help: "Check all settings, also the files that they name, and end.")
    var check = false

    func run() throws {
        if printConfig { return print(try settings(.process).description, terminator: "") }
        if check {
            let checked = try ServiceSettings(try settings(.process), .process)
            try checked.check()
            for problem in try checked.ruleProblems() { StandardError.write("Warning: \(problem)\n") }
            return print("The configuration is right.")
        }
        // Before any other thread exists.
        Signals.block()
        let service = try Service.start(try ServiceSettings(try settings(.process), .process)) {
            try ServiceSettings(try settings(.process), .process)
        }
        print("realmgate: listening on \(service.address)")
        StandardOutput.flush()
        while true {
            switch Signals.wait() {
            case .reload: service.reload()
            case .stop(let name): return service.stop(because: name)
            }
        }
    }

    private func settings(_ sources: SettingSources) throws -> Settings {
        let options: [String: String?] = [
            "data": database.data, "host": address.host, "port": address.port.map(String.init), "schema": schema,
            "demo": demo.map(String.init), "demoData": demoData, "static": console, "openapi": openapi,
            "auth.required": auth.map(String.init), "allowOpen": allowOpen.map(String.init),
            "tls.certificate": tlsCertificate, "tls.key": tlsKey,
            "trustedProxies": trustedProxies, "subscription.lifetime": subscriptionLifetime.map(String.init),
            "log.level": logLevel,
            "log.format": logFormat,
        ]
        return try Settings(
            options: options.compactMapValues { $0 }, assignments: configuration.assignments, file: configuration.file,
            sources)
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
}
