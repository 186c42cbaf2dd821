import AccessRules
import EmbeddedStore
import Foundation
import RequestHandling
import HTTPServer
import Hosting
import Identity
import ObjectModel
import ProgramTesting
import RepositoryFiles
import RequestHandling
import TestBasics
import Testing

@testable import realmgate

@Suite("Configuration files and settings")
struct ConfigurationTests {
    private func sources(_ variables: [String: String] = [:]) -> SettingSources { SettingSources { variables[$0] } }

    private func file(_ text: String) throws(CommandError) -> ConfigurationFile {
        try ConfigurationFile(path: "c.yaml", Array(text.utf8))
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no failure"
        } catch {
            return (error as? CommandError)?.message ?? "\(error)"
        }
    }

    @Test("an option wins over a variable, that over the file, that over the default; each says so")
    func precedence() throws {
        let directory = try TestDirectory()
        let path = try directory.write("log: {level: error}\nport: 1\nhost: ::1\nlimits: {page: 7}\n", to: "c.yaml")
        let settings = try Settings(
            options: ["log.level": "debug"], assignments: ["limits.workers=3"], file: path,
            sources(["REALMGATE_LOG_LEVEL": "trace", "REALMGATE_PORT": "2", "REALMGATE_LIMITS_WORKERS": "9"]))
        #expect(settings["log.level"] == .text("debug") && settings.origin("log.level") == "--log-level")
        #expect(settings["port"] == .integer(2) && settings.origin("port") == "REALMGATE_PORT")
        #expect(settings["host"] == .text("::1") && settings.origin("host") == "the file, line 3")
        #expect(settings["limits.page"] == .integer(7))
        #expect(settings["limits.workers"] == .integer(3))
        #expect(settings.origin("limits.workers") == "--set limits.workers")
        #expect(settings["limits.workerQueue"] == .integer(1000) && settings.origin("limits.workerQueue") == "default")
    }

    @Test("the file may be named by a variable, and an empty variable counts as not set")
    func variables() throws {
        let directory = try TestDirectory()
        let path = try directory.write("port: 5", to: "c.yaml")
        let settings = try Settings(
            options: [:], file: nil, sources(["REALMGATE_CONFIG": path, "REALMGATE_PORT": ""]))
        #expect(settings["port"] == .integer(5))
        #expect(settings.file == path)
    }

    @Test("every setting has a name, a variable and an option of its own, and is in the list of serve --help")
    func table() {
        #expect(Set(Setting.names).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.option)).count == Setting.all.count)
        for setting in Setting.all {
            #expect(SettingList.text.contains(setting.name) && SettingList.text.contains(setting.variable))
            guard let fallback = setting.fallback, case .integer(let number) = fallback else { continue }
            switch setting.kind {
            case .integer(let range), .size(let range): #expect(range.contains(number), "\(setting.name)")
            default: Issue.record("\(setting.name) has a number as its default")
            }
        }
    }

    @Test("every setting is on the page of the reference, with its default")
    func page() throws {
        let page = try String(contentsOfFile: Checkout.root + "/docs/reference/settings.md", encoding: .utf8)
        func shown(_ number: Int, _ setting: Setting) -> String {
            if case .size = setting.kind, number > 0 {
                let unit = min(number.trailingZeroBitCount / 10, 4)
                if unit > 0 { return "\(number >> (10 * unit)) \(["", "KiB", "MiB", "GiB", "TiB"][unit])" }
            }
            guard number > 9999, setting.name != "port" else { return "\(number)" }
            var digits = String(number)
            for index in stride(from: digits.count - 3, to: 0, by: -3) {
                digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
            }
            return digits
        }
        for setting in Setting.all {
            let row = page.split(separator: "\n").filter { $0.hasPrefix("| `\(setting.name)` ") }
            let cells = row.first?.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
            guard row.count == 1, cells.count == 7 else {
                Issue.record("\(setting.name) has \(row.count) rows of \(cells.count) cells")
                continue
            }
            let fallback =
                switch setting.fallback {
                case .integer(let number)?: shown(number, setting)
                case .list(let texts)? where !texts.isEmpty: texts.joined(separator: ", ")
                default: setting.fallbackInWords ?? ""
                }
            #expect(cells[1] == "`\(setting.variable)`" && ["", "`\(setting.option)`"].contains(cells[2]))
            #expect([fallback, "`\(fallback)`"].contains(cells[3]), "\(setting.name): \(cells[3])")
            #expect(cells[5] == (setting.isLive ? "yes" : ""), "\(setting.name)")
            #expect(cells[6].hasPrefix(setting.help), "\(setting.name)")
        }
    }

    @Test("a configuration without a value has the defaults of its parts, and each setting reaches its property")
    func properties() throws {
        let settings = try Settings(
            options: [:],
            assignments: [
                "limits.body=2MiB", "limits.memory=3MiB", "limits.queryRows=5", "limits.queryMilliseconds=0",
                "limits.addressRequests=7", "store.versionAge=9", "auth.tokens.algorithms=ES256,HS256",
                "trustedProxies=10.0.0.0/8", "log.format=json", "data=",
            ], file: nil, sources())
        var configuration = ServiceConfiguration()
        for setting in Setting.all { try settings.assign(setting, to: &configuration) }
        #expect(configuration.gateway.bodyLimit == 2 << 20 && configuration.server.bodyLimit == 2 << 20)
        #expect(configuration.gateway.eventMemory == 3 << 20 && configuration.server.responseMemory == 3 << 20)
        #expect(configuration.gateway.queryRows == 5 && configuration.gateway.queryMilliseconds == nil)
        #expect(configuration.gateway.addressRate == RateLimit(perSecond: 7, burst: 14))
        #expect(configuration.gateway.callerRate == nil)
        #expect(configuration.store.maximumVersionAge == 9 && configuration.store.maximumActiveVersions == nil)
        #expect(configuration.tokens.algorithms == [.es256, .hs256])
        #expect(!configuration.gateway.trustedProxies.isEmpty && configuration.logFormat == .json)
        #expect(configuration.data == "data.realmgate")
        #expect(configuration.gateway.maximumPage == GatewayConfiguration().maximumPage)
        #expect(configuration.server.port == 8080)
    }

    @Test("a running gateway takes over the live settings alone")
    func live() throws {
        func service(_ assignments: [String]) throws -> ServiceSettings {
            try ServiceSettings(
                Settings(options: [:], assignments: assignments, file: nil, sources()),
                InstalledFiles(executable: nil, workingDirectory: nil))
        }
        var running = try service(["limits.page=3", "limits.queryRows=4", "limits.workers=5"]).configuration.gateway
        running.version = "as it was"
        try service(["limits.page=30", "limits.workers=50"]).update(&running)
        #expect(running.maximumPage == 30 && running.queryRows == nil)
        #expect(running.workers == 5 && running.version == "as it was")
    }

    @Test("a list with an unknown name is refused with its origin")
    func lists() {
        let wrong = [
            (
                "auth.tokens.algorithms=ES265",
                "auth.tokens.algorithms (--set auth.tokens.algorithms): 'ES265' is not one of: "
            ),
            (
                "trustedProxies=proxy",
                "trustedProxies (--set trustedProxies): 'proxy' is neither an address such as 10.0.0.7"
            ),
        ]
        for (text, part) in wrong {
            let message = message {
                _ = try ServiceSettings(
                    Settings(options: [:], assignments: [text], file: nil, sources()),
                    InstalledFiles(executable: nil, workingDirectory: nil))
            }
            #expect(message.contains(part), "\(message)")
        }
    }

    @Test("what is printed is a file that says the same, and has no secrets")
    func printed() throws {
        let secret = "a-secret-that-nobody-else-should-see-1234"
        let settings = try Settings(
            options: [:], assignments: ["log.level=warning", "auth.tokens.issuers=a, b", "limits.body=2MiB"], file: nil,
            sources(["REALMGATE_ADMIN_KEY": secret, "REALMGATE_AUTH_TOKENS_SECRET": secret]))
        let text = settings.description
        #expect(!text.contains(secret))
        #expect(text.contains("  level: \"warning\"  # --set log.level\n"))
        let again = try file(text)
        for setting in Setting.all where !setting.isSecret {
            #expect(again.values[setting.name]?.value == settings[setting.name], "\(setting.name)")
            if settings[setting.name] == nil { #expect(setting.fallback == nil, "\(setting.name)") }
        }
        #expect(again.values["limits.body"]?.value == .integer(2 << 20))
    }

    private static let faults: [(String, String)] = [
        ("prot: 1", "c.yaml:1:1: There is no setting 'prot'. Did you mean 'port'?"),
        ("a: 1\n\nlog:\n  lvel: info", "c.yaml:1:1: There is no setting 'a'."),
        ("log:\n  lvel: info", "c.yaml:2:3: There is no setting 'lvel' in 'log'. Did you mean 'level'?"),
        ("log: info", "c.yaml:1:6: 'log' must be a mapping, not the string \"info\"."),
        ("- a", "c.yaml:1:1: The file must be a mapping, not an array."),
        ("port: \"8080\"", "c.yaml:1:7: 'port' must be an integer, not the string \"8080\"."),
        ("port: 70000", "c.yaml:1:7: 'port' is 70000; it must be 0 to 65535."),
        ("demo: yes", "c.yaml:1:7: 'demo' must be true or false, not the string \"yes\"."),
        ("log: {level: loud}", "'log.level' is 'loud'; it must be one of: trace, debug"),
        ("limits: {body: 3 parsecs}", "'limits.body' is '3 parsecs', which is not a size"),
        ("auth: {tokens: {issuers: [1]}}", "must be a list of strings, not the integer 1"),
        ("port: 1\nport: 2", "c.yaml:2:1: 'port' is already defined in line 1."),
        ("port: [1", "c.yaml:2:1: The YAML is malformed"),
        (
            "auth: {roles: {a: {admn: true}}}",
            "has no 'admn'. It can have: admin, classes, others. Did you mean 'admin'?"
        ),
        ("auth: {roles: {a: {admin: true, others: {}}}}", "is an administrator's: it has full access"),
        ("auth: {roles: {a: {classes: {Dog: {red: true}}}}}", "'Dog' of the role 'a' has no 'red'"),
        ("auth: {roles: {a: {others: {read: 3}}}}", "'read' must be true, false, or a predicate as a string"),
        ("auth: {roles: {a: {others: {readable: name}}}}", "'readable' must be a list of properties"),
        ("auth: {roles: {a: {others: {read: 'shop =='}}}}", "c.yaml:1:35: The rule for 'read' cannot be read"),
        ("auth: {roles: [a]}", "'auth.roles' must be a mapping, not an array."),
    ]

    @Test("a fault in the file is told with its line, and the nearest name", arguments: faults)
    func fileFaults(text: String, expected: String) {
        let message = message { _ = try file(text) }
        #expect(message.contains(expected), "\(message)")
    }

    @Test("roles are read with their rules, in their order")
    func roles() throws {
        let read = try file(
            """
            auth:
              roles:
                clerk:
                  classes:
                    Order: {read: 'shop == $claims.shop', create: true, update: false, readable: [a, b], writable: []}
                    Log: {create: true}
                  others: {read: true}
                boss: {admin: true}
                nobody:
            """)
        let always = "TRUEPREDICATE"
        let order = ClassRule(
            read: "shop == $claims.shop", create: always, readableProperties: ["a", "b"], writableProperties: [])
        #expect(
            read.roles == [
                Role(
                    name: "clerk", classes: ["Order": order, "Log": ClassRule(create: always)],
                    others: ClassRule(read: always)), Role(name: "boss", isAdministrator: true), Role(name: "nobody"),
            ])
    }

    @Test(
        "nothing after a name is as if the name were not there, and so is an empty file",
        arguments: ["", "port:\nlog:\n", "# x"])
    func nothing(text: String) throws {
        #expect(try file(text).values.isEmpty)
    }

    @Test(
        "sizes have units of 1024",
        arguments: [("1024", 1024), ("2k", 2048), ("1 MiB", 1 << 20), ("3GB", 3 << 30), ("1t", 1 << 40)])
    func sizes(text: String, count: Int) { #expect(Setting.bytes(text) == count) }

    @Test(
        "what is not a size is refused", arguments: ["", "k", "-1", "1.5M", "1 pb", "9999999999999999999", "99999999t"])
    func noSizes(text: String) { #expect(Setting.bytes(text) == nil) }

    @Test("--set names what it does not know")
    func assignments() {
        let wrong = [
            ("prt=1", "Did you mean 'port'?"), ("port", "--set requires NAME=VALUE"), ("port=x", "--set port is 'x'"),
            ("=", "--set requires NAME=VALUE"), ("limits.page=0", "--set limits.page is 0; it must be 1 to"),
        ]
        for (text, part) in wrong {
            let message = message { _ = try Settings(options: [:], assignments: [text], file: nil, sources()) }
            #expect(message.contains(part), "\(message)")
        }
    }

    @Test(
        "loopback addresses are told from others",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("localhost", true), ("LocalHost.", true),
            ("app.localhost", true), ("evillocalhost", false), ("0.0.0.0", false),
            ("::", false), ("10.0.0.1", false), ("::ffff:127.0.0.1", false), ("no such name", false),
        ])
    func loopback(host: String, isLoopback: Bool) { #expect(LoopbackAddress.isOne(host) == isLoopback) }

    @Test("--expires takes a time from now or a date to come")
    func expiry() throws {
        let now = Timestamp(seconds: 1_800_000_000)
        #expect(try CreateToken.end("30d", now).seconds == 1_800_000_000 + 30 * 86_400)
        #expect(try CreateToken.end("12h", now).seconds == 1_800_000_000 + 43_200)
        #expect(try CreateToken.end("2030-01-01T00:00:00Z", now) == Timestamp(rfc3339: "2030-01-01T00:00:00Z"))
        for wrong in ["", "d", "0d", "-1d", "30", "2001-01-01", "soon", "9223372036854775807y"] {
            #expect(throws: CommandError.self) { try CreateToken.end(wrong, now) }
        }
    }
}
