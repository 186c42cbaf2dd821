import Foundation
import Glibc
import HTTPTesting
import PostgresTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// The commands on realms in PostgreSQL, and gateways that begin from images.
@Suite("Realms in PostgreSQL", .enabled(if: PostgresServer.isThere))
struct RealmCommandTests {
    /// A realm of its own on the server of the tests.
    final class Realm {
        let postgres: PostgresServer
        let directory: TestDirectory
        let name = "r\(PostgresServer.number())"
        private let schema: String

        init() throws {
            postgres = try PostgresServer.shared.get()
            directory = try TestDirectory()
            schema = try directory.write(DogSchema.text, to: "schema.json")
            #expect(try run("setup", isRealm: false).status == 0)
        }

        /// Runs a command with `--store` and `--realm`.
        func run(_ arguments: String..., isRealm: Bool = true) throws -> Program.Result {
            try Program.run(
                arguments + (isRealm ? ["--realm", name] : []),
                environment: ["REALMGATE_STORE": postgres.url, "TMPDIR": directory.path], in: directory)
        }

        /// Makes an image, and trims the log as far as nobody needs it.
        func image(_ location: SourceLocation = #_sourceLocation) throws {
            let made = try run("image", "--log-seconds", "0")
            #expect(made.status == 0, "\(made.output)\(made.errors)", sourceLocation: location)
        }

        func gateway(_ replica: String = "a.replica", _ settings: String...) throws -> RunningServer {
            try RunningServer(
                ["--realm", name, "--data", directory.file(replica), "--schema", schema]
                    + settings.flatMap { ["--set", $0] },
                environment: ["REALMGATE_STORE": postgres.url], in: directory)
        }

        /// A database file with so many dogs.
        func file(_ path: String, dogs: Int) throws {
            let applied = try Program.run(["schema", "--apply", "schema.json", "--data", path], in: directory)
            try #require(applied.status == 0, "\(applied.errors)")
            let lines = (0..<dogs).map { #"{"id": \#($0), "name": "dog \#($0)"}"# }.joined(separator: "\n")
            try directory.write(lines + "\n", to: "dogs.ndjson")
            let imported = try Program.run(["import", "Dog", "dogs.ndjson", "--data", path], in: directory)
            try #require(imported.status == 0, "\(imported.errors)")
        }

        /// The value of a column of this realm's row.
        func column(_ name: String) throws -> String {
            try postgres.sql("select \(name) from realmgate.realm where name = '\(self.name)'")
        }

        func count(_ table: String) throws -> Int {
            Int(try postgres.sql("select count(*) from realmgate.\(table) where realm = \(try column("id"))")) ?? -1
        }

        func change(_ statement: String) throws {
            try postgres.sql(statement.replacing("REALM", with: try column("id")))
        }

        /// This realm in the output of `status --json`.
        func status() throws -> [String: Any] {
            let output = try run("status", "--json", isRealm: false).output
            let realms = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]]
            return try #require(realms?.first { $0["realm"] as? String == name })
        }
    }

    private static func write(_ server: RunningServer, _ id: Int, padding: Int = 0) throws {
        // Text that cannot be compressed to much less.
        var random = SeededRandom.ofTest(id)
        let name = String((0..<padding).map { _ in random.pick("abcdefghijklmnopqrstuvwxyz0123456789") ?? "x" })
        let answer = try server.client().send(
            "POST", "/v1/objects/Dog", body: #"{"id": \#(id), "name": "dog \#(name)"}"#)
        try #require(answer.status == 201, "\(answer.text)")
    }

    private static func count(_ server: RunningServer) throws -> Int? {
        (try server.client().send("GET", "/v1/objects/Dog?limit=1000").json()["items"] as? [Any])?.count
    }

    @Test("a file is published, served, and shown with its gateways; a realm that exists is refused")
    func publish() throws {
        let realm = try Realm()
        try realm.file("own.realmgate", dogs: 30)
        let published = try realm.run("publish", "own.realmgate")
        #expect(published.status == 0 && published.output.hasPrefix("\(realm.name): version "), "\(published.errors)")
        let again = try realm.run("publish", "own.realmgate")
        #expect(again.status == 78 && again.errors.contains("restore own.realmgate --replace"), "\(again.errors)")
        let missing = try realm.run("publish", "no.realmgate")
        #expect(missing.status == 66 && missing.errors.contains("no database file"))

        let (first, second) = (try realm.gateway("a.replica"), try realm.gateway("b.replica"))
        #expect(first.process.errors.contains("Fetched an image of the realm."))
        try Self.write(first, 1000)
        #expect(try Self.count(first) == 31)
        #expect(try eventually { try Self.count(second) == 31 })
        #expect(try eventually { try realm.count("gateway") == 2 })
        let status = try realm.status()
        let gateways = try #require(status["gateways"] as? [[String: Any]])
        #expect(
            gateways.count == 2 && gateways.allSatisfy { ($0["program"] as? String)?.hasPrefix("realmgate ") == true })
        #expect(
            Set(gateways.compactMap { ($0["address"] as? String)?.split(separator: ":").last.flatMap { Int($0) } })
                == [first.port, second.port])
        #expect((status["images"] as? [String: Any])?["count"] as? Int == 1)
        let shown = try realm.run("status", isRealm: false)
        #expect(shown.output.contains("\(realm.name): version ") && shown.output.contains("gateways: 2"))

        // One that is stopped is gone; one that is killed is behind after a while, and takes its row over.
        #expect(try second.stop() == 0)
        #expect(try realm.count("gateway") == 1)
        first.process.send(SIGKILL)
        try first.process.wait()
        try realm.change("update realmgate.gateway set seen = now() - interval '30 seconds' where realm = REALM")
        let behind = try realm.run("status", isRealm: false)
        #expect(behind.status == 1 && behind.errors.contains("was not seen for 3"), "\(behind.errors)")
        let restarted = try realm.gateway("a.replica")
        #expect(!restarted.process.errors.contains("Fetched an image"))
        #expect(
            try eventually {
                try realm.status()["gateways"].map { "\($0)" }?.contains("\(restarted.port)") == true
            })
        #expect(try realm.count("gateway") == 1)
        #expect(try restarted.stop() == 0)
    }

    @Test("a gateway makes an image when the log is long, and the log is trimmed")
    func automatic() throws {
        let realm = try Realm()
        let first = try realm.gateway()
        for round in 0..<2 {
            // The second image needs a log that is longer than the first one.
            for id in 0..<(6 + round * 24) { try Self.write(first, round * 10 + id, padding: 60_000) }
            // A new gateway looks at once.
            let second = try realm.gateway("b.replica", "store.imageBytes=64KiB", "store.logSeconds=0")
            try second.process.wait(until: "an image") { try realm.count("image") == round + 1 }
            try second.process.wait(until: "its log line") {
                second.process.errors.contains("Made an image of the realm.")
            }
            #expect(try second.stop() == 0)
        }
        #expect(try first.stop() == 0)
        let made = try realm.run("image", "--log-seconds", "0")
        #expect(made.status == 0, "\(made.errors)")
        #expect(try realm.column("floor") != "1")
        #expect(try realm.count("log") < 36)
        let third = try realm.gateway("c.replica")
        #expect(try Self.count(third) == 36)
        #expect(try third.stop() == 0)
    }

    @Test("image makes one now, of a replica that a gateway has open too, and none of a version that has one")
    func image() throws {
        let realm = try Realm()
        let gateway = try realm.gateway()
        try Self.write(gateway, 1)
        let made = try realm.run("image", "--data", realm.directory.file("a.replica"))
        #expect(made.status == 0 && made.output.contains("image of version"), "\(made.errors)")
        let again = try realm.run("image")
        #expect(again.status == 0 && again.output.contains("already"), "\(again.errors)")
        try Self.write(gateway, 2)
        try realm.change(
            "update realmgate.realm set image_by = gen_random_uuid(), image_until = now() + '1 minute' where id = REALM"
        )
        let busy = try realm.run("image")
        #expect(busy.status == 75 && busy.errors.contains("Wait for it"), "\(busy.errors)")
        try realm.change("update realmgate.realm set image_until = now() - interval '1 s' where id = REALM")
        #expect(try realm.run("image").output.contains("image of version"))
        #expect(try realm.count("image") == 2)
        #expect(try gateway.stop() == 0)
        let leftovers = try FileManager.default.contentsOfDirectory(atPath: realm.directory.path).filter {
            $0.hasPrefix("realmgate-")
        }
        #expect(leftovers == [])
    }

    @Test("a realm is restored under its gateways, which end with 75 and begin anew")
    func restore() throws {
        let realm = try Realm()
        let gateway = try realm.gateway()
        try Self.write(gateway, 1)
        let mark = try #require(try gateway.client().send("GET", "/v1/objects/Dog/1")["Realmgate-Mark"])
        try realm.file("backup", dogs: 5)
        let refused = try realm.run("restore", "backup")
        #expect(refused.status == 1 && refused.errors.contains("--replace"))
        let both = try realm.run("restore", "backup", "own.realmgate", "--replace", "--store", realm.postgres.url)
        #expect(both.status == 64 && both.errors.contains("not both"))
        let restored = try realm.run("restore", "backup", "--replace")
        #expect(restored.status == 0 && restored.output.contains("restored from backup"), "\(restored.errors)")
        #expect(try gateway.process.wait() == 75)
        #expect(gateway.process.errors.contains("The next start makes a new replica."))
        #expect(try realm.count("log") == 0 && realm.count("image") == 1)

        let (again, other) = (try realm.gateway(), try realm.gateway("b.replica"))
        #expect(again.process.errors.contains("The replica is replaced by a new one."))
        for server in [again, other] { #expect(try Self.count(server) == 5) }
        try Self.write(again, 100)
        #expect(try eventually { try Self.count(other) == 6 })
        let later = try #require(try other.client().send("GET", "/v1/objects/Dog/100")["Realmgate-Mark"])
        #expect(later != mark)
        for server in [again, other] { #expect(try server.stop() == 0) }
        let checked = try realm.run("check", "--replay")
        #expect(checked.status == 0 && checked.output.contains("no faults"), "\(checked.output) \(checked.errors)")
    }

    @Test("a gateway under which the log loses commits ends with 75 and begins anew; one whose log is damaged stays")
    func fork() throws {
        let realm = try Realm()
        let gateway = try realm.gateway()
        for id in 0..<4 { try Self.write(gateway, id) }
        try realm.image()
        for id in 4..<6 { try Self.write(gateway, id) }
        // A failover to a standby that did not have the last two.
        try realm.change(
            "update realmgate.realm set version = version - 2, tag = (select tag from realmgate.log l where l.realm = REALM and l.version = realm.version - 2) where id = REALM"
        )
        try realm.change(
            "delete from realmgate.log where realm = REALM and version > (select version from realmgate.realm where id = REALM)"
        )
        #expect(try gateway.process.wait() == 75)
        let again = try realm.gateway()
        #expect(again.process.errors.contains("The replica is replaced by a new one."))
        #expect(try Self.count(again) == 4)

        let other = try realm.gateway("b.replica")
        try other.process.suspend()
        for id in 10..<13 { try Self.write(again, id) }
        try realm.change(
            "delete from realmgate.log where realm = REALM and version = (select version - 1 from realmgate.realm where id = REALM)"
        )
        other.process.send(SIGCONT)
        try other.process.wait(until: "503") { try other.client().send("GET", "/readyz").status == 503 }
        try other.process.wait(until: "its log line") {
            other.process.errors.contains("The replica follows its log no longer.")
        }
        #expect((4...5).contains(try Self.count(other) ?? 0))
        for server in [again, other] { #expect(try server.stop() == 0) }
    }

    @Test("check finds what is missing or changed in the log and in images, and replays it")
    func check() throws {
        let realm = try Realm()
        let gateway = try realm.gateway()
        for id in 0..<10 { try Self.write(gateway, id) }
        try realm.image()
        for id in 10..<20 { try Self.write(gateway, id) }
        try realm.image()
        for id in 20..<25 { try Self.write(gateway, id) }
        #expect(try gateway.stop() == 0)
        let sound = try realm.run("check", "--replay")
        #expect(
            sound.status == 0 && sound.output.contains("2 images") && sound.output.contains("are equal"), "\(sound)")

        // How far the log was trimmed depends on when the gateway reported its version.
        let some = try realm.postgres.sql(
            "select min(version) + 2 from realmgate.log where realm = \(try realm.column("id"))")
        func fault(_ statement: String, _ sentence: String) throws {
            let table = statement.contains("image_part") ? "image_part" : statement.contains("image") ? "image" : "log"
            try realm.change("create table kept_\(realm.name) as select * from realmgate.\(table) where realm = REALM")
            let newest = try realm.column("version")
            try realm.change(statement.replacing("NEWEST", with: newest))
            let found = try realm.run("check")
            #expect(found.status == 1 && found.output.contains(sentence), "\(statement): \(found)")
            #expect(found.errors.contains("restore BACKUP --replace"))
            try realm.change("delete from realmgate.\(table) where realm = REALM")
            try realm.change("insert into realmgate.\(table) select * from kept_\(realm.name)")
            try realm.change("drop table kept_\(realm.name)")
        }
        try fault("delete from realmgate.log where realm = REALM and version = \(some)", "version \(some) is missing")
        try fault("delete from realmgate.log where realm = REALM and version = NEWEST", "is missing")
        try fault(
            "update realmgate.log set parts = 2 where realm = REALM and version = \(some)",
            "version \(some) has not all its parts")
        try fault(
            "update realmgate.log set body = body || 'x' where realm = REALM and version = \(some)", "version \(some)")
        try fault(
            "update realmgate.log set tag = 9 where realm = REALM and version = \(some)", "follows another version")
        try fault("update realmgate.image set tag = 9 where realm = REALM", "another history")
        try fault("update realmgate.image_part set body = 'x' where realm = REALM and part = 0", "is damaged")
        #expect(try realm.run("check").status == 0)
    }

    @Test("a gateway without its replica, with a damaged one or that of another realm starts from the image")
    func replicas() throws {
        let realm = try Realm()
        let gateway = try realm.gateway()
        for id in 0..<20 { try Self.write(gateway, id) }
        #expect(try gateway.stop() == 0)
        try realm.image()
        let path = realm.directory.file("a.replica")
        func start(_ line: String) throws {
            let gateway = try realm.gateway()
            #expect(gateway.process.errors.contains(line), "\(gateway.process.errors)")
            #expect(gateway.process.errors.contains("Fetched an image of the realm."))
            #expect(try Self.count(gateway) == 20)
            #expect(try gateway.stop() == 0)
        }
        try FileManager.default.removeItem(atPath: path)
        try start("Started.")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in 2 * 4096..<bytes.count { bytes[index] = 0xA5 }
        try bytes.write(to: URL(fileURLWithPath: path))
        try start("The replica's file is damaged.")
        let other = try Realm()
        let another = try other.gateway()
        #expect(try another.stop() == 0)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other.directory.file("a.replica"), toPath: path)
        try start("The replica is replaced by a new one.")
        // Its version is gone: it stood still while the log was trimmed.
        try FileManager.default.copyItem(atPath: path, toPath: path + ".old")
        let running = try realm.gateway()
        for id in 20..<22 {
            try Self.write(running, id)
            try realm.image()
        }
        try Self.write(running, 22)
        try realm.image()
        #expect(try running.stop() == 0)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
        // Nobody waits for it.
        try realm.image()
        let late = try realm.gateway()
        #expect(late.process.errors.contains("The replica is replaced by a new one."), "\(late.process.errors)")
        #expect(try Self.count(late) == 23)
        #expect(try late.stop() == 0)
    }

    @Test("a faulty command or server is answered with a sentence and the code for it")
    func faults() throws {
        let directory = try TestDirectory()
        try directory.write("", to: "file")
        let server = try PostgresServer.shared.get()
        #expect(try Program.run(["setup", "--store", server.url], in: directory).status == 0)
        let nobody = server.url(at: try SocketFaults.deadAddress())
        try server.sql("create database bare\(getpid())")
        let bare = server.url(database: "bare\(getpid())")
        for command in [["status"], ["image"], ["check"], ["restore", "file", "--replace"], ["publish", "file"]] {
            func run(_ more: [String]) throws -> Program.Result { try Program.run(command + more, in: directory) }
            let without = try run([])
            #expect(without.status == 64 && without.errors.contains("--store"), "\(command): \(without)")
            let wrong = try run(["--store", "shop.realmgate"])
            #expect(wrong.status == 78 && wrong.errors.contains("not a URL of PostgreSQL"), "\(command): \(wrong)")
            let tables = try run(["--store", bare])
            #expect(tables.status == 78 && tables.errors.contains("realmgate setup"), "\(command): \(tables)")
            let help = try run(["--help"])
            #expect(help.status == 0 && help.output.contains("--store"))
            guard command != ["status"] else { continue }
            let named = try run(["--store", server.url, "--realm", "No Name"])
            #expect(named.status == 78 && named.errors.contains("'No Name'"), "\(command): \(named)")
            guard command.first != "publish" else { continue }
            let unknown = try run(["--store", server.url, "--realm", "unknown"])
            #expect(unknown.status == 78 && unknown.errors.contains("no realm 'unknown'"), "\(command): \(unknown)")
        }
        let away = try Program.run(["status", "--store", nobody], in: directory)
        #expect(away.status == 69 && away.errors.contains("cannot be reached"), "\(away)")
    }
}
