import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// Keys, roles and settings of a running server, from the operator's side.
@Suite("realmgate token and access to a server")
struct AccessTests {
    private static func bearer(_ key: String) -> [String: String] { ["Authorization": "Bearer \(key)"] }

    private func arguments(_ directory: TestDirectory) throws -> [String] {
        let schema = try directory.write(DogSchema.text, to: "schema.json")
        return ["--data", directory.file("a.realmgate"), "--schema", schema]
    }

    private func makeKey(_ options: [String], in directory: TestDirectory) throws -> (secret: String, id: String) {
        let made = try Program.run(
            ["token", "create", "--data", directory.file("a.realmgate")] + options, in: directory)
        let secret = made.output.trimmingCharacters(in: .newlines)
        guard made.status == 0, secret.hasPrefix("rg_") else { throw TestFailure("no key: \(made.errors)") }
        return (secret, String(secret.split(separator: "_")[1]))
    }

    private func status(_ server: RunningServer, _ path: String, _ key: String? = nil) throws -> Int {
        try server.client().send("GET", path, headers: key.map(Self.bearer) ?? [:]).status
    }

    @Test("the first key closes an open server; keys made, scoped and taken back by the command line count at once")
    func keysWhileServing() throws {
        let directory = try TestDirectory()
        let server = try RunningServer(try arguments(directory), in: directory)
        #expect(try status(server, "/v1/schema") == 200)
        let (admin, _) = try makeKey(["--name", "me", "--role", "admin"], in: directory)
        #expect(try eventually { try status(server, "/v1/schema") == 401 }, "waited for the server to be closed")
        #expect(try status(server, "/v1/schema", admin) == 200)
        #expect(try status(server, "/healthz") == 200)
        let (reader, id) = try makeKey(
            ["--name", "r", "--role", "admin", "--read-only", "--class", "Dog", "--claim", "shop=7"], in: directory)
        let who = try server.client().send("GET", "/v1/whoami", headers: Self.bearer(reader)).json()
        #expect(who["administrator"] as? Bool == false)
        #expect((who["claims"] as? [String: Int]) == ["shop": 7])
        #expect(try status(server, "/v1/keys", reader) == 403)
        let list = try Program.run(["token", "list", "--data", directory.file("a.realmgate")], in: directory)
        #expect(list.output.contains(id) && !list.output.contains(reader))
        let revoked = try Program.run(
            ["token", "revoke", id, "--data", directory.file("a.realmgate")], in: directory)
        #expect(revoked.status == 0)
        #expect(try eventually { try status(server, "/v1/whoami", reader) == 401 }, "waited for the key to be refused")
        let unknown = try Program.run(
            ["token", "revoke", "none", "--data", directory.file("a.realmgate")], in: directory)
        #expect(unknown.status == 1 && unknown.errors.contains("There is no key 'none'"))
        #expect(try server.stop() == 0)
        for secret in [admin, reader] { #expect(!server.process.errors.contains(secret.suffix(43))) }
        // A restart does not make revoked keys valid again.
        let again = try RunningServer(try arguments(directory), in: directory)
        #expect(try status(again, "/v1/schema") == 401)
        #expect(try again.stop() == 0)
    }

    @Test("an address that others reach is refused while everybody may do everything, with what to do about it")
    func openAddress() throws {
        let directory = try TestDirectory()
        let refused = try Program.run(
            ["serve", "--host", "0.0.0.0", "--port", "0"] + (try arguments(directory)), in: directory)
        #expect(refused.status == 78)
        for part in ["0.0.0.0", "realmgate token create", "--auth", "--allow-open"] {
            #expect(refused.errors.contains(part))
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file("a.realmgate")))
        let check = ["serve", "--check", "--host", "0.0.0.0"] + (try arguments(directory))
        #expect(try Program.run(check, in: directory).status == 78)
        let ways = [
            ["REALMGATE_ALLOW_OPEN": "true"], ["REALMGATE_AUTH": "true"],
            ["REALMGATE_ADMIN_KEY": String(repeating: "k", count: 32)],
        ]
        for way in ways { #expect(try Program.run(check, environment: way, in: directory).status == 0, "\(way)") }
        let short = try Program.run(check, environment: ["REALMGATE_ADMIN_KEY": "short"], in: directory)
        #expect(short.status == 78 && short.errors.contains("32"))
        _ = try makeKey(["--name", "me", "--role", "admin"], in: directory)
        #expect(try Program.run(check, in: directory).status == 0)
    }

    @Test("a server that requires credentials starts without a key, says how to make one, and takes it")
    func firstKey() throws {
        let directory = try TestDirectory()
        let initial = "a-key-from-the-environment-of-a-container"
        let server = try RunningServer(
            try arguments(directory), environment: ["REALMGATE_AUTH": "true", "REALMGATE_ADMIN_KEY": initial],
            in: directory)
        #expect(try status(server, "/v1/schema") == 401)
        let body = #"{"name":"me","role":"admin"}"#
        let made = try server.client().send("POST", "/v1/keys", body: body, headers: Self.bearer(initial)).json()
        let secret = try #require(made["secret"] as? String)
        #expect(try status(server, "/v1/keys", secret) == 200)
        #expect(try server.stop() == 0)
        #expect(!server.process.errors.contains(initial))
        let closed = try RunningServer(["--auth", "--data", directory.file("b.realmgate")], in: directory)
        #expect(try status(closed, "/v1/schema") == 401)
        #expect(closed.process.errors.contains("realmgate token create --name me --role admin"))
        #expect(try closed.stop() == 0)
    }

    @Test("SIGHUP reads roles and log level again, a faulty file changes nothing, and what needs a restart is named")
    func reload() throws {
        let directory = try TestDirectory()
        func write(_ text: String) throws { try directory.write(text, to: "c.yaml") }
        let roles = "auth: {roles: {clerk: {classes: {Dog: {read: true}}}}}\n"
        try write("log: {level: warning}\n" + roles)
        let server = try RunningServer(
            try arguments(directory) + ["--config", directory.file("c.yaml")], in: directory)
        let (clerk, _) = try makeKey(
            ["--name", "c", "--role", "clerk", "--config", directory.file("c.yaml")], in: directory)
        func role() throws -> String? {
            try server.client().send("GET", "/v1/whoami", headers: Self.bearer(clerk)).json()["role"] as? String
        }
        #expect(try role() == "clerk")
        try write("log: {level: warning}\nauth: {rols: {}}\n")
        server.process.send(SIGHUP)
        try server.process.wait(until: "the fault") { server.process.errors.contains("c.yaml:2:8") }
        #expect(server.process.errors.contains("Did you mean 'roles'?"))
        #expect(try role() == "clerk")
        try write("log: {level: notice}\nlimits: {workers: 5}\nauth: {roles: {other: {admin: true}}}\n")
        server.process.send(SIGHUP)
        try server.process.wait(until: "the warning") { server.process.errors.contains("limits.workers") }
        #expect(server.process.errors.contains("auth.roles"))
        #expect(try status(server, "/v1/whoami", clerk) == 403)
        try write(roles)
        server.process.send(SIGHUP)
        #expect(try eventually { try status(server, "/v1/whoami", clerk) == 200 }, "waited for the role to be back")
        #expect(try server.stop() == 0)
    }

    @Test("SIGHUP changes the pages that may call, rates and page sizes while requests are answered")
    func liveLimits() throws {
        let directory = try TestDirectory()
        try directory.write("cors: {origins: [https://a.example]}\n", to: "c.yaml")
        let server = try RunningServer(
            try arguments(directory) + ["--config", directory.file("c.yaml")], in: directory)
        let client = try server.client()
        func answer(_ origin: String) throws -> LoopbackClient.Answer {
            try client.send("GET", "/v1/objects/Dog", headers: ["Origin": origin])
        }
        #expect(try answer("https://a.example")["Access-Control-Allow-Origin"] == "https://a.example")
        #expect(try answer("https://b.example")["Access-Control-Allow-Origin"] == nil)
        #expect(try client.send("GET", "/v1/objects/Dog?limit=6").status == 200)
        try directory.write(
            "cors: {origins: [https://b.example]}\nlimits: {page: 5, callerRequests: 7, addressRequests: 1}\n",
            to: "c.yaml")
        server.process.send(SIGHUP)
        try server.process.wait(until: "the change") { server.process.errors.contains("was reloaded") }
        #expect(!server.process.errors.contains("after a restart"))
        let limited = try answer("https://b.example")
        #expect(limited["Access-Control-Allow-Origin"] == "https://b.example")
        #expect(limited["RateLimit-Limit"] == "2")
        #expect(try client.send("GET", "/v1/objects/Dog?limit=6").status == 400)
        // Each second gives one request back, which is less than a client asks for.
        #expect(try eventually { try client.send("GET", "/healthz").status == 429 })
        try directory.write("cors: {origins: [https://b.example]}\n", to: "c.yaml")
        server.process.send(SIGHUP)
        #expect(
            try eventually { try client.send("GET", "/v1/objects/Dog?limit=6").status == 200 },
            "waited for the limit to be gone")
        #expect(try answer("https://a.example")["Access-Control-Allow-Origin"] == nil)
        #expect(try server.stop() == 0)
    }

    @Test("behind a trusted proxy the limit counts those whom it names, for each body as well")
    func proxies() throws {
        let directory = try TestDirectory()
        let server = try RunningServer(
            try arguments(directory) + [
                "--set", "limits.addressRequests=1", "--trusted-proxies", "127.0.0.0/8",
            ], in: directory)
        let client = try server.client()
        func statuses(_ client: LoopbackClient, _ addresses: [String?]) throws -> [Int] {
            try addresses.map { address in
                try client.send("GET", "/v1/schema", headers: address.map { ["X-Forwarded-For": $0] } ?? [:]).status
            }
        }
        let first = try statuses(client, Array(repeating: "203.0.113.5", count: 8))
        #expect(first.contains(429))
        // Neither other clients nor the proxy itself have made requests.
        #expect(try statuses(client, ["203.0.113.5, 203.0.113.6", nil]) == [200, 200])
        #expect(try server.stop() == 0)
    }

    @Test("tokens are taken with a shared secret from a file, until the file is another")
    func tokens() throws {
        let directory = try TestDirectory()
        try directory.write("0123456789abcdef0123456789abcdef\n", to: "secret")
        let server = try RunningServer(
            try arguments(directory) + [
                "--set", "auth.tokens.secretFile=\(directory.file("secret"))", "--set",
                "auth.tokens.requireExpiry=false",
            ], in: directory)
        // {"alg":"HS256"}.{"role":"admin"}, signed with the secret above.
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYWRtaW4ifQ.hc73DWbQ-WluMd_NaA2AbbAFFBuGZZd-Z7uhvZ9FWIw"
        #expect(try status(server, "/v1/schema") == 401)
        #expect(try status(server, "/v1/schema", token) == 200)
        #expect(try status(server, "/v1/schema", token.replacingOccurrences(of: "eyJyb2", with: "eyJyb3")) == 401)
        try directory.write("another-secret-of-at-least-32-bytes\n", to: "secret")
        server.process.send(SIGHUP)
        #expect(try eventually { try status(server, "/v1/schema", token) == 401 }, "waited for the token to be refused")
        #expect(try server.stop() == 0)
    }

    @Test("settings are printed with their origin and checked, and secrets are hidden")
    func printed() throws {
        let directory = try TestDirectory()
        let config = try directory.write("log: {level: debug}\nport: 9\n", to: "c.yaml")
        let variables = ["REALMGATE_CONFIG": config, "REALMGATE_ADMIN_KEY": "the-secret-of-the-administrator-0000"]
        let printed = try Program.run(
            ["serve", "--print-config", "--port", "7"], environment: variables, in: directory)
        #expect(printed.status == 0)
        #expect(printed.output.contains("port: 7  # --port\n"))
        #expect(printed.output.contains("  level: \"debug\"  # the file, line 1\n"))
        #expect(!printed.output.contains("the-secret"))
        let wrong = try Program.run(["serve", "--check", "--set", "auth.tokens.issuers=a"], in: directory)
        #expect(wrong.status == 78 && wrong.errors.contains("auth.tokens.keySet"))
        let roles = try directory.write("auth: {roles: {a: {classes: {Dgo: {read: age > 1}}}}}\n", to: "roles.yaml")
        let schema = try directory.write(DogSchema.text, to: "schema.json")
        let checked = try Program.run(
            ["serve", "--check", "--config", roles, "--schema", schema, "--data", directory.file("n.realmgate")],
            in: directory)
        #expect(checked.status == 0 && checked.errors == "Warning: Role 'a': there is no class 'Dgo' yet.\n")
        let proxies = try Program.run(["serve", "--check", "--trusted-proxies", "10.0.0.0/8,10.0.0"], in: directory)
        #expect(
            proxies.status == 78 && proxies.errors.contains("trustedProxies (--trusted-proxies): '10.0.0' is neither"))
        let missing = try Program.run(["serve", "--config", directory.file("none.yaml")], in: directory)
        #expect(missing.status == 66 && missing.errors.contains("none.yaml"))
    }
}
