import AccessRules
import Foundation
import HTTPServer
import Hosting
import Identity
import JSONCoding
import RealmSwift
import RequestHandling
import StoreContract

/// The access control and the configurations that a server's options describe. Throws `RealmServer.Error` for invalid
/// options.
struct ServerParts {
    let control: AccessControl
    let gateway: GatewayConfiguration
    let server: ServerConfiguration

    init(_ options: RealmServer.Options, _ realm: HostedRealm) throws {
        control = try Self.control(options, realm)
        let tls = options.tls.map { TLSFiles(certificateChain: $0.certificateChain.path, key: $0.key.path) }
        do {
            try tls?.check()
        } catch {
            throw RealmServer.Error(.configuration, error.description)
        }
        gateway = try Self.gateway(options, realm)
        var server = ServerConfiguration()
        server.host = options.host
        guard let port = UInt16(exactly: options.port) else {
            throw RealmServer.Error(.address, "\(options.port) is not a port: use 1 to 65535, or 0 for a free one.")
        }
        server.port = port
        server.tls = tls
        server.logger = options.logger
        server.bodyLimit = options.limits.body
        server.connectionLimit = options.limits.connections
        server.streamLimit = options.limits.streams
        server.responseMemory = options.limits.responseMemory
        server.loops = options.limits.threads ?? 0
        server.temporaryDirectory = Self.scratch(realm)
        self.server = server
    }

    /// The directory of the store, whose disk should have room for a second copy of it.
    private static func scratch(_ realm: HostedRealm) -> String {
        realm.isInMemory ? NSTemporaryDirectory() : (realm.path as NSString).deletingLastPathComponent
    }

    private static func gateway(_ options: RealmServer.Options, _ realm: HostedRealm) throws -> GatewayConfiguration {
        var gateway = GatewayConfiguration()
        let limits = options.limits
        (gateway.staticDirectory, gateway.openapiDirectory) = try options.console.directories()
        if gateway.staticDirectory != nil { gateway.clientDirectory = InstalledFiles.process.directory(of: .client) }
        gateway.subscriptionFile = realm.isInMemory ? nil : realm.path + ".subscriptions"
        gateway.scratchDirectory = scratch(realm)
        gateway.allowedOrigins = options.cors.origins
        gateway.allowsCredentials = options.cors.allowsCredentials
        gateway.isForThisMachine = !options.allowsOpenAddress
        gateway.compresses = options.compresses
        gateway.metricsAreOpen = options.metricsAreOpen
        gateway.requestLogLevel = options.requestLogLevel
        gateway.version = GatewayHost.version
        gateway.bodyLimit = limits.body
        gateway.maximumPage = limits.page
        gateway.answerBytes = max(limits.answerBytes, 1)
        gateway.eventBytes = max(limits.eventBytes, 1)
        gateway.eventMemory = max(limits.responseMemory, 1)
        gateway.maximumObserved = limits.observed
        gateway.maximumTransaction = limits.transaction
        gateway.streamsPerCaller = limits.streamsPerCaller
        gateway.addressRate = limits.addressRequests.map { RateLimit(requestsPerSecond: $0) }
        gateway.callerRate = limits.callerRequests.map { RateLimit(requestsPerSecond: $0) }
        gateway.queryRows = limits.queryRows
        gateway.queryMilliseconds = limits.queryMilliseconds
        gateway.schemaApproval = HostedSchema(realm, options.schemaChanges)
        return gateway
    }

    private static func control(_ options: RealmServer.Options, _ realm: HostedRealm) throws -> AccessControl {
        let access = options.access
        do {
            let roles = access.roles.map(\.inEngine)
            let problems = try roles.flatMap { $0.problems(in: try realm.store.snapshot().schema) }
            guard problems.isEmpty else { throw RealmServer.Error(.access, problems.joined(separator: "\n")) }
            let path = access.keyFile?.path ?? (realm.isInMemory ? nil : realm.path + ".keys")
            let keys =
                try path.map { try KeyRing(path: $0, initialKey: access.administratorKey, logger: options.logger) }
                ?? KeyRing(initialKey: access.administratorKey, logger: options.logger)
            return AccessControl(
                AccessControl.Rules(
                    roles: roles,
                    tokens: try access.tokens.map { try TokenVerifier($0.inEngine(), logger: options.logger) },
                    isRequired: access.isRequired),
                keys: keys)
        } catch let error as IdentityError {
            throw RealmServer.Error(.access, error.description)
        }
    }
}

extension RealmServer.Console {
    /// The directories of the console and of the description; nil for what is not served.
    fileprivate func directories() throws -> (String?, String?) {
        switch self {
        case .off: return (nil, InstalledFiles.process.directory(of: .openapi))
        case .installed:
            return (InstalledFiles.process.directory(of: .console), InstalledFiles.process.directory(of: .openapi))
        case .directory(let url):
            let directories = [url.path + "/static", url.path + "/openapi"]
            if let missing = directories.first(where: { !InstalledFiles.isDirectory($0) }) {
                throw RealmServer.Error(.configuration, "There is no directory '\(missing)'.")
            }
            return (directories[0], directories[1])
        }
    }
}

extension RealmServer.Role {
    fileprivate var inEngine: Role {
        Role(
            name: name, isAdministrator: isAdministrator, classes: rules.mapValues(\.inEngine),
            others: otherClasses.inEngine)
    }
}

extension RealmServer.Rule {
    fileprivate var inEngine: ClassRule {
        ClassRule(
            read: read, create: create, update: update, delete: delete, readableProperties: readableProperties,
            writableProperties: writableProperties)
    }
}

extension RealmServer.Tokens {
    fileprivate func inEngine() throws -> TokenSettings {
        var settings = TokenSettings()
        settings.secret = secret
        settings.keyFile = keySetFile?.path
        for name in algorithms.sorted() {
            guard let algorithm = TokenAlgorithm(rawValue: name) else {
                let known = TokenAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
                throw RealmServer.Error(.access, "There is no token algorithm '\(name)'. Use one of: \(known).")
            }
            settings.algorithms.insert(algorithm)
        }
        settings.issuers = issuers
        settings.audiences = audiences
        settings.leeway = Int64(leeway)
        settings.requiresExpiry = requiresExpiry
        settings.rolePaths = rolePaths
        guard secret != nil || keySetFile != nil else {
            throw RealmServer.Error(.access, "Tokens need a `secret` or a `keySetFile` for their verification.")
        }
        return settings
    }
}

extension GatewayHost {
    /// Implements `RealmServer.makeKey`.
    func makeKey(name: String, role: String, claims: [String: String]) throws -> String {
        guard control.roleNames.contains(role) else {
            throw RealmServer.Error(
                .access, "There is no role '\(role)'. Use one of: \(control.roleNames.joined(separator: ", ")).")
        }
        let members = claims.sorted { $0.key < $1.key }.map {
            JSONObject.Member(name: $0.key, value: .string($0.value))
        }
        do {
            let details = APIKey.Details(name: name, roles: [role], claims: .object(JSONObject(members)))
            return try control.keys.create(details).secret
        } catch {
            throw RealmServer.Error(.access, error.description)
        }
    }
}
