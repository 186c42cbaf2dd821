import AccessRules
import EmbeddedStore
import HTTPServer
import Hosting
import Identity
import ObjectCoding
import ObjectModel
import RequestHandling
import StoreContract

/// The settings of a server, with resolved directories.
struct ServiceSettings: Sendable {
    let settings: Settings
    private(set) var configuration = ServiceConfiguration()
    /// A sentence about files of the program that are not installed and that the server can do without; nil if it has
    /// all.
    private(set) var missingFiles: String?

    init(_ settings: Settings, _ files: InstalledFiles) throws(CommandError) {
        self.settings = settings
        for setting in Setting.all { try settings.assign(setting, to: &configuration) }
        try find(files)
        configuration.complete()
    }

    /// Finds the directories installed with the program.
    private mutating func find(_ files: InstalledFiles) throws(CommandError) {
        configuration.demo = try directory(.demo, "demoData", configuration.demo, files)
        guard configuration.demo != nil || !configuration.loadsDemo else {
            throw CommandError(files.sentence(missing: [.demo], ["--demo-data"]), exitCode: 66)
        }
        configuration.gateway.demoDirectory = configuration.demo
        configuration.gateway.staticDirectory = try directory(
            .console, "static", configuration.gateway.staticDirectory, files)
        configuration.gateway.clientDirectory = files.directory(of: .client)
        configuration.gateway.openapiDirectory = try directory(
            .openapi, "openapi", configuration.gateway.openapiDirectory, files)
        let missing: [(InstalledFiles.Part, String)] = [
            configuration.gateway.staticDirectory == nil ? (.console, "--static") : nil,
            configuration.gateway.openapiDirectory == nil ? (.openapi, "--openapi") : nil,
        ].compactMap { $0 }
        if !missing.isEmpty { missingFiles = files.sentence(missing: missing.map(\.0), missing.map(\.1)) }
    }

    /// Returns the configured directory, which must exist, else the one installed with the program.
    private func directory(
        _ part: InstalledFiles.Part, _ name: String, _ path: String?, _ files: InstalledFiles
    ) throws(CommandError) -> String? {
        guard let path else { return files.directory(of: part) }
        guard InstalledFiles.isDirectory(path) else {
            throw CommandError("\(settings.origin(name)): there is no directory '\(path)'.", exitCode: 66)
        }
        return path
    }

    /// Applies the settings that may change at run time to a running gateway.
    func update(_ gateway: inout GatewayConfiguration) throws(CommandError) {
        var running = configuration
        running.gateway = gateway
        for setting in Setting.all where setting.isLive { try settings.assign(setting, to: &running) }
        gateway = running.gateway
    }

    /// Opens the API keys. Connects to PostgreSQL when gateways share them.
    func keyRing() throws -> KeyRing {
        let shared = configuration.sharesKeys ? try configuration.database.sharedKeys() : nil
        do throws(IdentityError) {
            guard let shared else {
                return try KeyRing(path: configuration.keyPath, initialKey: configuration.administratorKey)
            }
            return try KeyRing(shared, initialKey: configuration.administratorKey)
        } catch {
            throw CommandError(error.description, exitCode: 78)
        }
    }

    /// Returns the settings for tokens; nil if none are accepted.
    func tokenSettings() throws(CommandError) -> TokenSettings? {
        var tokens = configuration.tokens
        if let path = configuration.tokenSecretFile {
            guard tokens.secret == nil else {
                throw CommandError("Give auth.tokens.secret or auth.tokens.secretFile, not both.", exitCode: 78)
            }
            guard let text = TextFile.line(path) else {
                throw CommandError(
                    "There is no file '\(path)' with the secret of tokens, or it is empty.", exitCode: 66)
            }
            tokens.secret = text
        }
        guard tokens.secret != nil || tokens.keyFile != nil else {
            guard tokens.algorithms.isEmpty, tokens.issuers.isEmpty, tokens.audiences.isEmpty else {
                throw CommandError(
                    "Tokens need auth.tokens.keySet, auth.tokens.secretFile or auth.tokens.secret for their verification.",
                    exitCode: 78)
            }
            return nil
        }
        return tokens
    }

    /// Returns the access rules. Keeps a verifier with the same settings, and its cache.
    func accessRules(keeping verifier: TokenVerifier? = nil) throws(CommandError) -> AccessControl.Rules {
        var current: TokenVerifier?
        if let tokens = try tokenSettings() {
            do {
                current = try verifier.flatMap { $0.settings == tokens ? $0 : nil } ?? TokenVerifier(tokens)
            } catch {
                throw CommandError((error as? IdentityError)?.description ?? "\(error)", exitCode: 78)
            }
        }
        return AccessControl.Rules(
            roles: settings.roles, tokens: current, isRequired: configuration.asksForCredentials)
    }

    /// Throws for anything that would keep a server with these settings from starting, without opening the database.
    func check() throws {
        let rules = try accessRules()
        try configuration.database.check()
        // Only PostgreSQL knows whether there are shared keys.
        if !configuration.sharesKeys { try refuseOpenAddress(AccessControl(rules, keys: try keyRing())) }
        try checkTLS()
    }

    /// Throws if the certificate and its key cannot be used.
    func checkTLS() throws(CommandError) {
        guard (configuration.certificate == nil) == (configuration.certificateKey == nil) else {
            throw CommandError(
                "HTTPS needs both tls.certificate and tls.key; only one of them is given.", exitCode: 78)
        }
        do {
            try configuration.server.tls?.check()
        } catch {
            throw CommandError(error)
        }
    }

    /// Returns the rules that allow nothing because they do not fit the classes of the schema file or else of the
    /// database. A server logs the same when it starts.
    func ruleProblems() throws -> [String] {
        let schema: Schema
        if let path = configuration.schema {
            schema = try SchemaFile.read(path).schema
        } else if InstalledFiles.isFile(configuration.data) {
            let store = try EmbeddedStore.open(path: configuration.data, options: configuration.store)
            defer { store.close() }
            schema = try store.snapshot().schema
        } else {
            return []
        }
        return settings.roles.flatMap { $0.problems(in: schema) }
    }

    /// Throws if callers from other machines would have full access and `allowOpen` is not set.
    func refuseOpenAddress(_ control: AccessControl) throws(CommandError) {
        let host = configuration.server.host
        guard !configuration.allowsOpenAddress, GatewayHost.isExposed(host, control) else { return }
        throw CommandError(
            """
            Not listening on \(host): the server requires no credentials, so everyone who can reach that address would \
            have full access. Create an administrator's key first:
              realmgate token create --name me --role admin --data \(configuration.data)
            or start with --auth (REALMGATE_AUTH=true) and create the key then. If full access for everyone is \
            intended, start with --allow-open (REALMGATE_ALLOW_OPEN=true).
            """, exitCode: 78)
    }
}
