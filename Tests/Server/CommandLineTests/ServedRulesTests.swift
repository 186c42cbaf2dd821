import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import SignatureTesting
import TestBasics
import Testing

/// Roles of a configuration file, keys and tokens, with the program as users run it.
@Suite("a server with roles")
struct ServedRulesTests {
    private static let roles = """
        auth:
          tokens: {secretFile: SECRET, leeway: 0}
          roles:
            keeper:
              classes:
                Dog:
                  read: owner.id == $claims.person
                  create: owner.id == $claims.person
                  update: owner.id == $claims.person
                  delete: owner.id == $claims.person
                  writable: [id, name, age, owner]
                Person: {read: id == $claims.person, readable: [name]}
        """
    private static let secret = "0123456789abcdef0123456789abcdef"

    /// Ann owns Rex, Bob owns Bello, and Stray has no owner.
    private struct House {
        let directory: TestDirectory
        let server: RunningServer
        let admin: String

        init() throws {
            directory = try TestDirectory()
            let secret = try directory.write(ServedRulesTests.secret, to: "secret")
            let configuration = try directory.write(
                ServedRulesTests.roles.replacing("SECRET", with: secret), to: "c.yaml")
            let schema = try directory.write(DogSchema.text, to: "schema.json")
            let arguments = ["--data", directory.file("a.realmgate"), "--schema", schema, "--config", configuration]
            admin = try Self.key(["--role", "admin"], directory)
            server = try RunningServer(arguments, in: directory)
            _ = try send(
                "POST", "/v1/objects/Dog",
                """
                [{"id":1,"name":"Rex","age":3,"owner":{"id":1,"name":"Ann"}},
                 {"id":2,"name":"Bello","age":90,"owner":{"id":2,"name":"Bob"}},{"id":3,"name":"Stray","age":80}]
                """)
        }

        private static func key(_ options: [String], _ directory: TestDirectory) throws -> String {
            let made = try Program.run(
                [
                    "token", "create", "--name", "k", "--data", directory.file("a.realmgate"), "--config",
                    directory.file("c.yaml"),
                ]
                    + options, in: directory)
            guard made.status == 0 else { throw TestFailure("no key: \(made.errors)") }
            return made.output.trimmingCharacters(in: .newlines)
        }

        func key(_ options: String...) throws -> String { try Self.key(["--role", "keeper"] + options, directory) }

        func answer(
            _ method: String, _ path: String, _ body: String? = nil, as credential: String? = nil
        ) throws -> LoopbackClient.Answer {
            try server.client().send(
                method, path, body: body, headers: ["Authorization": "Bearer \(credential ?? admin)"])
        }

        /// Sends a request that must succeed, and returns its body.
        func send(
            _ method: String, _ path: String, _ body: String? = nil, as credential: String? = nil
        ) throws -> String {
            let answer = try answer(method, path, body, as: credential)
            guard (200...299).contains(answer.status) else { throw TestFailure("\(method) \(path): \(answer.text)") }
            return answer.text.replacing(#/"version":\d+,/#, with: "")
        }

        /// Returns an export, which is streamed.
        func export(_ query: String, as credential: String) throws -> String {
            let process = try ChildProcess(
                "/usr/bin/env",
                [
                    "curl", "--silent", "--show-error", "--fail", "--max-time", "\(TestRun.patience)", "--header",
                    "Authorization: Bearer \(credential)", "\(server.address)/v1/export/Dog?\(query)",
                ], directory: directory.path)
            guard try process.wait() == 0 else { throw TestFailure("export: \(process.errors)") }
            return process.output
        }

        /// Waits until the server, which checks every second, knows the key.
        func await(_ credential: String) throws {
            try server.process.wait(until: "the key") { try answer("GET", "/v1/whoami", as: credential).status == 200 }
        }

        func stream(_ path: String, as credential: String) throws -> Follower {
            Follower(
                try EventConnection(port: server.port, "\(path)access_token=\(credential)", lastEventID: nil))
        }
    }

    /// Reads the events of a stream, one after the other.
    private final class Follower {
        private let connection: EventConnection
        private var events: [StreamEvent] = []
        private var isOpen = true

        init(_ connection: EventConnection) { self.connection = connection }

        func next() throws -> StreamEvent {
            _ = try eventually { try hasChanges() }
            guard !events.isEmpty else { throw TestFailure("no more events") }
            return events.removeFirst()
        }

        /// Waits for the end of the stream; returns false if an event comes first.
        func ends() throws -> Bool {
            _ = try eventually { try hasChanges() }
            return !isOpen && events.isEmpty
        }

        /// Reads for a while; returns whether there is an event, or the end.
        private func hasChanges() throws -> Bool {
            if isOpen, events.isEmpty { isOpen = try connection.read(milliseconds: 1000) { events.append($0) } }
            return !isOpen || !events.isEmpty
        }
    }

    private static func token(_ claims: String) -> String {
        func encoded(_ data: some Sequence<UInt8>) -> String {
            Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
        let text = encoded(#"{"alg":"HS256","typ":"JWT"}"#.utf8) + "." + encoded(claims.utf8)
        let code = authenticationCode(of: Array(text.utf8), secret: Array(secret.utf8), hashBits: 256)
        return text + "." + encoded(code)
    }

    @Test("two keys and a token see what is theirs in every answer, and who has no claim sees nothing")
    func reading() throws {
        let house = try House()
        let (ann, bob, nobody) = try (
            house.key("--claim", "person=1"), house.key("--claim", "person=2"), house.key()
        )
        let mismatch = try house.key("--claim", "person=someone")
        try house.await(mismatch)
        let token = Self.token(#"{"role":"keeper","person":1,"exp":4000000000}"#)
        for (credential, name, id) in [(ann, "Ann", 1), (bob, "Bob", 2), (token, "Ann", 1)] {
            let dog = id == 1 ? "Rex" : "Bello"
            let list = try house.send(
                "GET", "/v1/objects/Dog?count=true&fields=name,owner&expand=owner", as: credential)
            #expect(
                list == #"{"count":1,"items":[{"name":"\#(dog)","owner":{"id":\#(id),"name":"\#(name)"}}]}"#)
            #expect(
                try house.send("GET", "/v1/aggregates/objects/Dog?sum=age", as: credential)
                    == #"{"count":1,"sum":{"age":\#(id == 1 ? 3 : 90)}}"#)
            #expect(
                try house.export("fields=id,name", as: credential)
                    == #"{"id":\#(id),"name":"\#(dog)"}"# + "\n")
            #expect(try house.answer("GET", "/v1/objects/Dog/\(3 - id)", as: credential).status == 404)
            #expect(try house.answer("GET", "/v1/objects/Dog/3", as: credential).status == 404)
        }
        // Stray has no owner, and this caller no claim: that does not make it the caller's.
        #expect(try house.send("GET", "/v1/objects/Dog?count=true", as: nobody) == #"{"count":0,"items":[]}"#)
        #expect(try house.export("fields=id", as: nobody) == "")
        // A claim that does not fit matches nothing either, and the log says so once.
        for _ in 0..<2 {
            #expect(try house.send("GET", "/v1/objects/Dog?count=true", as: mismatch) == #"{"count":0,"items":[]}"#)
        }
        #expect(try house.server.stop() == 0)
        let told = house.server.process.errors.split(separator: "\n").filter {
            $0.contains("Role 'keeper': the rule to read 'Dog' allows nothing")
        }
        #expect(told.count == 1)
        for name in ["Rex", "Bello", "Stray"] { #expect(!house.server.process.errors.contains(name)) }
    }

    @Test("a transaction with one forbidden operation is refused, and nothing of it is kept")
    func transactions() throws {
        let house = try House()
        let ann = try house.key("--claim", "person=1")
        try house.await(ann)
        let allowed = #"{"op":"set","object":{"class":"Dog","key":1},"value":{"age":4}}"#
        for (forbidden, status) in [
            (#"{"op":"set","object":{"class":"Dog","key":2},"value":{"age":4}}"#, 404),
            (#"{"op":"set","object":{"class":"Dog","key":1},"value":{"owner":null}}"#, 403),
            (#"{"op":"create","class":"Dog","value":{"id":9}}"#, 403),
            (#"{"op":"set","object":{"class":"Dog","key":1},"value":{"weight":4}}"#, 403),
            (#"{"op":"delete","object":{"class":"Person","key":1}}"#, 403),
        ] {
            let answer = try house.answer(
                "POST", "/v1/transactions", #"{"operations":[\#(allowed),\#(forbidden)]}"#, as: ann)
            #expect(answer.status == status, "\(forbidden): \(answer.text)")
            #expect(!answer.text.contains("Bello") && !answer.text.contains("Bob"))
            #expect(try house.send("GET", "/v1/aggregates/objects/Dog?sum=age") == #"{"count":3,"sum":{"age":173}}"#)
        }
        _ = try house.send("POST", "/v1/transactions", #"{"operations":[\#(allowed)]}"#, as: ann)
        #expect(try house.send("GET", "/v1/aggregates/objects/Dog?sum=age") == #"{"count":3,"sum":{"age":174}}"#)
        #expect(try house.server.stop() == 0)
    }

    @Test("a stream tells of an object that leaves the rule as of a deletion, and ends with its key or its token")
    func streams() throws {
        let house = try House()
        let (ann, bob) = try (house.key("--claim", "person=1"), house.key("--claim", "person=2"))
        try house.await(bob)
        let path = "/v1/observe/objects/Dog?fields=name&"
        let (hers, his) = try (house.stream(path, as: ann), house.stream(path, as: bob))
        #expect(try hers.next().json()["count"] as? Int == 1)
        #expect(try his.next().json()["count"] as? Int == 1)
        _ = try house.send("PATCH", "/v1/objects/Dog/1", #"{"owner":2}"#)
        let gone = try hers.next()
        #expect(try gone.name == "update" && gone.json()["deletions"] as? [Int] == [0])
        #expect(try his.next().json()["insertions"] as? [Int] == [0])
        // Changes of objects that neither can see are reported to neither.
        _ = try house.send("PATCH", "/v1/objects/Dog/3", #"{"name":"Stray two"}"#)
        let revoked = try Program.run(
            [
                "token", "revoke", String(ann.split(separator: "_")[1]), "--data",
                house.directory.file("a.realmgate"),
            ], in: house.directory)
        #expect(revoked.status == 0)
        let end = try hers.next()
        #expect(try end.name == "error" && end.json()["code"] as? String == "access.ended")
        #expect(try hers.ends())
        #expect(try house.answer("GET", "/v1/objects/Dog", as: ann).status == 401)

        let brief = try stream { expiry in
            try house.stream(path, as: Self.token(#"{"role":"keeper","person":2,"exp":\#(expiry)}"#))
        }
        let over = try brief.next()
        #expect(try over.name == "error" && over.json()["code"] as? String == "access.ended")
        #expect(try brief.ends())
        // The other stream continues.
        _ = try house.send("PATCH", "/v1/objects/Dog/2", #"{"name":"Bella"}"#)
        #expect(try his.next().json()["modifications"] as? [Int] == [1])
        #expect(try house.server.stop() == 0)
    }

    /// Opens a stream with a token that expires, and reads its first event. A busy machine may take longer for that
    /// than the token is valid: then another one lives longer.
    private func stream(_ open: (Int) throws -> Follower) throws -> Follower {
        for lifetime in [2, 8, 30, 120] {
            let follower = try open(Int(Date().timeIntervalSince1970) + lifetime)
            guard let first = try? follower.next(), first.name == "initial" else { continue }
            #expect(try first.json()["count"] as? Int == 2)
            return follower
        }
        throw TestFailure("no stream with a token that expires")
    }
}
