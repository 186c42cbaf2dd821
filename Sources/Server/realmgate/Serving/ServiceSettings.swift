import AccessRules
import EmbeddedStore
import Gateway
import Hosting
import Identity
import Logging
import ObjectCoding
import ObjectModel
import StoreContract

/// The settings of a server, with resolved directories.
struct ServiceSettings: Sendable {
    var settings: Settings
    var data: String
    var host: String
    var port: Int
    /// The demo's directory; nil if the demo is not loaded.
    var demo: String?
    var console: String?
    var openapi: String?
    var logLevel: Logger.Level
    var logFormat: LogFormat

    init(_ settings: Settings, _ files: InstalledFiles) throws(CommandFailure) {
        self.settings = settings
        data = settings.text("data") ?? DataOptions.fallback
        host = settings.host
        port = settings.port
        logLevel = settings.text("log.level").flatMap { Logger.Level(rawValue: $0) } ?? .info
        logFormat = settings.text("log.format").flatMap { LogFormat(rawValue: $0) } ?? .text
        if settings.flag("demo") {
            demo = try Self.directory(.demo, "demoData", settings, files)
            guard demo != nil else {
                throw CommandFailure(
                    "The demo's files are not installed with the program. Name their directory with --demo-data.")
            }
        }
        console = try Self.directory(.console, "static", settings, files)
        openapi = try Self.directory(.openapi, "openapi", settings, files)
    }

    /// Returns the configured directory, which must exist, else the one installed with the program.
    private static func directory(
        _ part: InstalledFiles.Part, _ name: String, _ settings: Settings, _ files: InstalledFiles
    ) throws(CommandFailure) -> String? {
        guard let path = settings.text(name) else { return files.directory(of: part) }
        guard InstalledFiles.isDirectory(path) else {
            throw CommandFailure("\(settings.origin(name)): there is no directory '\(path)'.")
        }
        return path
    }

    var keyFile: String { settings.text("auth.keys") ?? data + ".keys" }

    /// Opens the API keys.
    func keyRing() throws(CommandFailure) -> KeyRing {
        do {
            return try KeyRing(path: keyFile, initialKey: settings.text("auth.adminKey"))
        } catch {
            throw CommandFailure(error.description, exitCode: 78)
        }
    }

    /// Returns the settings for tokens; nil if none are accepted.
    func tokenSettings() throws(CommandFailure) -> TokenSettings? {
        var tokens = TokenSettings()
        tokens.secret = settings.text("auth.tokens.secret")
        if let path = settings.text("auth.tokens.secretFile") {
            guard tokens.secret == nil else {
                throw CommandFailure("Give auth.tokens.secret or auth.tokens.secretFile, not both.", exitCode: 78)
            }
            guard let text = TextFile.line(path) else {
                throw CommandFailure(
                    "There is no file '\(path)' with the secret of tokens, or it is empty.", exitCode: 78)
            }
            tokens.secret = text
        }
        tokens.keyFile = settings.text("auth.tokens.keySet")
        for name in settings.list("auth.tokens.algorithms") {
            guard let algorithm = TokenAlgorithm(rawValue: name) else {
                let known = TokenAlgorithm.allCases.map(\.rawValue)
                throw CommandFailure(
                    withHint(
                        "auth.tokens.algorithms (\(settings.origin("auth.tokens.algorithms"))): there is no '\(name)', but "
                            + known.joined(separator: ", ") + ".", known.nearest(to: name)), exitCode: 78)
            }
            tokens.algorithms.insert(algorithm)
        }
        tokens.issuers = Set(settings.list("auth.tokens.issuers"))
        tokens.audiences = Set(settings.list("auth.tokens.audiences"))
        tokens.leeway = Int64(settings.integer("auth.tokens.leeway") ?? 30)
        tokens.requiresExpiry = settings.flag("auth.tokens.requireExpiry")
        tokens.rolePaths = settings.list("auth.tokens.roles")
        guard tokens.secret != nil || tokens.keyFile != nil else {
            guard tokens.algorithms.isEmpty, tokens.issuers.isEmpty, tokens.audiences.isEmpty else {
                throw CommandFailure(
                    "Tokens need auth.tokens.keySet, auth.tokens.secretFile or auth.tokens.secret for their verification.",
                    exitCode: 78)
            }
            return nil
        }
        return tokens
    }

    /// Returns the access rules. Keeps a verifier with the same settings, and its cache.
    func accessRules(keeping verifier: TokenVerifier? = nil) throws(CommandFailure) -> AccessControl.Rules {
        var kept: TokenVerifier?
        if let tokens = try tokenSettings() {
            do {
                kept = try verifier.flatMap { $0.settings == tokens ? $0 : nil } ?? TokenVerifier(tokens)
            } catch {
                throw CommandFailure((error as? IdentityError)?.description ?? "\(error)", exitCode: 78)
            }
        }
        return AccessControl.Rules(
            roles: settings.roles, tokens: kept, isRequired: settings.flag("auth.required"))
    }

    /// Throws for anything that would keep a server with these settings from starting, without opening the database.
    func check() throws(CommandFailure) {
        let control = AccessControl(try accessRules(), keys: try keyRing())
        try refuseOpenAddress(control)
        try checkTLS()
        _ = try gatewayConfiguration()
    }

    /// Returns the rules that allow nothing because they do not fit the classes of the schema file or else of the
    /// database. A server logs the same when it starts.
    func ruleProblems() throws -> [String] {
        let schema: Schema
        if let path = settings.text("schema") {
            schema = try SchemaFile.read(path).schema
        } else if InstalledFiles.isFile(data) {
            let store = try EmbeddedStore.open(path: data, options: storeOptions)
            defer { store.close() }
            schema = try store.snapshot().schema
        } else {
            return []
        }
        return settings.roles.flatMap { $0.problems(in: schema) }
    }

    /// Throws if callers from other machines would have full access and `allowOpen` is not set.
    func refuseOpenAddress(_ control: AccessControl) throws(CommandFailure) {
        guard !settings.flag("allowOpen"), GatewayHost.isExposed(host, control) else { return }
        throw CommandFailure(
            """
            Not listening on \(host): the server requires no credentials, so everyone who can reach that address would \
            have full access. Create an administrator's key first:
              realmgate token create --name me --role admin --data \(data)
            or start with --auth (REALMGATE_AUTH=true) and create the key then. If full access for everyone is \
            intended, start with --allow-open (REALMGATE_ALLOW_OPEN=true).
            """, exitCode: 78)
    }
}
