import Basics
import AccessRules
import ArgumentParser
import Hosting
import Identity
import JSONCoding
import ObjectModel

/// `realmgate token`: manages API keys.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create, list and revoke API keys.",
        discussion: """
            The hashes of the keys are stored in a file next to the database. A running server notices a change within a \
            second; no server needs to run. Once a key exists, the server requires credentials.

            Examples:

              realmgate token create --name me --role admin
              realmgate token create --name "till 3" --role clerk --claim shop=7 --config realmgate.yaml
              realmgate token list
              realmgate token revoke h4Zr0QeX
            """,
        subcommands: [CreateToken.self, ListTokens.self, RevokeToken.self])
}

/// The options that locate the key file.
struct KeyOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var database: DataOptions
    @OptionGroup var log: LogOptions

    @Option(help: .setting("auth.keys", valueName: "file"), completion: .file())
    var keys: String?

    func settings() throws(CommandError) -> Settings {
        try configuration.settings([
            "data": database.data, "auth.keys": keys, "store.url": log.url, "store.realm": log.realm,
            "store.mustExist": log.mustExist.map(String.init),
        ])
    }

    /// Throws if `--data` is not given and the default database does not exist; warns if a given one does not exist.
    func checkDatabase(_ settings: Settings) throws(CommandError) {
        let configuration = try keyConfiguration(settings)
        guard configuration.keyFile == nil, !configuration.sharesKeys else { return }
        let path = configuration.data
        guard !InstalledFiles.isFile(path) else { return }
        guard settings.origin("data") != "default" else {
            throw CommandError(
                "There is no database file '\(path)'. Name the database of the key with --data FILE.", exitCode: 64)
        }
        StandardError.write(
            "There is no database file '\(path)' yet. A server that creates it will require this key.\n")
    }

    func ring(_ settings: Settings) throws -> KeyRing {
        let configuration = try keyConfiguration(settings)
        let shared = configuration.sharesKeys ? try configuration.database.sharedKeys() : nil
        do throws(IdentityError) {
            guard let shared else { return try KeyRing(path: configuration.keyPath) }
            return try KeyRing(shared)
        } catch {
            throw CommandError(error.description)
        }
    }

    private func keyConfiguration(_ settings: Settings) throws(CommandError) -> ServiceConfiguration {
        try settings.configuration("data", "auth.keys", "store.url", "store.realm", "store.mustExist")
    }
}

struct CreateToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an API key and print it.",
        discussion: """
            Prints the key on standard output, once: only its hash is stored. Send it in the header \
            'Authorization: Bearer KEY'. The role 'admin' has full access; other roles are defined in the configuration \
            file. (REALMGATE_DATA and REALMGATE_CONFIG name the files, too.)

            Examples:

              realmgate token create --name me --role admin
              realmgate token create --name reports --role admin --read-only --expires 30d
              realmgate token create --name till --role clerk --config realmgate.yaml
            """)

    @OptionGroup var keyOptions: KeyOptions

    @Option(help: "The purpose of the key, for people.")
    var name: String

    @Option(help: "A role of the key; may be repeated.")
    var role: [String]

    @Flag(help: "Accept roles that the configuration does not define, such as those of an embedded server.")
    var anyRole = false

    @Option(
        help: ArgumentHelp(
            "A value for $claims.NAME in rules: JSON, or a string; may be repeated.", valueName: "name=value"))
    var claim: [String] = []

    @Option(help: ArgumentHelp("The holder of the key, as in a token's 'sub'.", valueName: "text"))
    var subject: String?

    @Option(help: ArgumentHelp("The expiry: 30d, 12h, 15m, or a date such as 2027-01-31T12:00:00Z.", valueName: "when"))
    var expires: String?

    @Flag(help: "Allow the key to read only.")
    var readOnly = false

    @Option(
        name: .customLong("class"),
        help: ArgumentHelp("A class that the key can access; may be repeated.", valueName: "name"))
    var classes: [String] = []

    func run() throws {
        let settings = try keyOptions.settings()
        try check(roles: settings)
        try keyOptions.checkDatabase(settings)
        guard !name.isEmpty else { throw CommandError("--name is empty; say what the key is for.", exitCode: 64) }
        var claims: [JSONObject.Member] = []
        for text in claim {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, !claims.contains(where: { $0.name == parts[0] }) else {
                throw CommandError("--claim requires NAME=VALUE, each name once, not '\(text)'.", exitCode: 64)
            }
            let value = (try? JSONValue.parse(parts[1])) ?? .string(parts[1])
            claims.append(JSONObject.Member(name: parts[0], value: value))
        }
        let details = APIKey.Details(
            name: name, roles: role, claims: .object(JSONObject(claims)), subject: subject,
            expires: try expires.map { try Self.end($0, .now()) },
            scope: KeyScope(isReadOnly: readOnly, classes: classes.isEmpty ? nil : Set(classes)))
        do {
            let (key, secret) = try keyOptions.ring(settings).create(details)
            print(secret)
            StandardError.write("The key '\(key.id)' was created. It is not shown again.\n")
        } catch let error as IdentityError {
            throw CommandError(error.description)
        }
    }

    /// Throws for a role that is not defined. The key would be useless, which its owner would learn only from the
    /// server.
    private func check(roles settings: Settings) throws(CommandError) {
        if anyRole { return }
        let known = settings.roles.map(\.name) + ["admin"]
        for name in role where !known.contains(name) {
            throw CommandError(
                withHint(
                    settings.file == nil
                        ? "There is no role '\(name)': without a configuration the only role is admin. Define roles in the file of --config."
                        : "The configuration has no role '\(name)'. Its roles are: \(known.joined(separator: ", ")).",
                    known.nearest(to: name)), exitCode: 64)
        }
    }

    /// Returns the time that `--expires` means.
    static func end(_ text: String, _ now: Timestamp) throws(CommandError) -> Timestamp {
        if let date = Timestamp(rfc3339: text) {
            guard date > now else {
                throw CommandError("--expires is '\(text)', which is in the past.", exitCode: 64)
            }
            return date
        }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count > 0,
            count <= 3_200_000_000 / unit
        else {
            throw CommandError(
                "--expires is '\(text)'; it must be a time such as 30d, 12h or 15m, or a date such as "
                    + "2027-01-31T12:00:00Z.", exitCode: 64)
        }
        return Timestamp(seconds: now.floored.seconds + count * unit)
    }
}

struct ListTokens: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the API keys, one JSON object per line.",
        discussion: "Revoked keys are listed for 90 days. (REALMGATE_DATA names the database, too.)")

    @OptionGroup var keyOptions: KeyOptions

    func run() throws {
        for key in try keyOptions.ring(try keyOptions.settings()).keys {
            let json = JSONWriter(capacity: 512)
            json.beginObject()
            key.writeMembers(into: json)
            json.endObject()
            print(String(decoding: json.bytes, as: UTF8.self))
        }
    }
}

struct RevokeToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke an API key permanently.",
        discussion: "A running server rejects it within a second. (REALMGATE_DATA names the database, too.)")

    @OptionGroup var keyOptions: KeyOptions

    @Argument(help: "The key's id, which is the eight letters and digits after 'rg_', or the whole key.")
    var id: String

    func run() throws {
        let parts = id.split(separator: "_")
        let id = parts.count == 3 && parts[0] == "rg" ? String(parts[1]) : id
        do {
            guard try keyOptions.ring(try keyOptions.settings()).revoke(id) != nil else {
                throw CommandError("There is no key '\(id)'. 'realmgate token list' lists them.")
            }
        } catch let error as IdentityError {
            throw CommandError(error.description)
        }
        print("The key '\(id)' was revoked.")
    }
}
