import Foundation
import Glibc
import HTTPTesting
import PostgresTesting
import ProgramTesting
import RepositoryFiles
import StoreTesting
import TestBasics
import Testing

/// Two gateways, each a process, share more than objects in PostgreSQL.
@Suite("State that gateways share", .serialized, .enabled(if: PostgresServer.isThere))
struct SharedStateTests {
    private let postgres: PostgresServer
    private let directory: TestDirectory
    private let realm = "state-\(PostgresServer.number())"

    init() throws {
        postgres = try PostgresServer.shared.get()
        directory = try TestDirectory()
        #expect(try Program.run(["setup", "--store", postgres.url], in: directory).status == 0)
    }

    private func host(_ name: String, _ more: [String] = []) throws -> SharedHost {
        try SharedHost(name, realm, postgres, directory, more)
    }

    private func wait(_ what: String, until isSo: () throws -> Bool) throws {
        guard try eventually(isSo) else { throw TestFailure("\(what) did not come") }
    }

    @Test("snapshots are read at the other gateway, also when their maker is killed; a new replica has none of them")
    func snapshots() throws {
        let hosts = [try host("a"), try host("b")]
        #expect(try hosts[0].send("POST", "/v1/objects/Note", #"{"id":1,"text":"a"}"#).status == 201)
        var ids: [String] = []
        for round in 0..<10 {
            let made = try hosts[round % 2].send("POST", "/v1/snapshots?ttl=600")
            #expect(made.status == 201, "\(made.text)")
            let id = try #require(try made.json()["snapshot"] as? String)
            ids.append(id)
            let read = try hosts[1 - round % 2].send("GET", "/v1/objects/Note?snapshot=\(id)&count=true")
            #expect(read.status == 200, "\(read.text)")
            #expect((try read.json()["items"] as? [Any])?.count == round + 1)
            let body = #"{"id":\#(round + 2),"text":"b"}"#
            #expect(try hosts[1 - round % 2].send("POST", "/v1/objects/Note", body).status == 201)
        }
        try hosts[0].kill()
        for (round, id) in ids.enumerated() {
            let read = try hosts[1].send("GET", "/v1/objects/Note?snapshot=\(id)&count=true")
            #expect((try read.json()["items"] as? [Any])?.count == round + 1, "\(read.text)")
        }
        // From an image of a later version.
        let options = ["--store", postgres.url, "--realm", realm]
        let image = try Program.run(["image"] + options, in: directory)
        #expect(image.status == 0, "\(image.errors)")
        for suffix in ["", "-lock"] { try? FileManager.default.removeItem(atPath: hosts[0].replica + suffix) }
        try hosts[0].start()
        for id in ids {
            let gone = try hosts[0].send("GET", "/v1/objects/Note?snapshot=\(id)")
            #expect(gone.status == 410, "\(gone.text)")
            #expect(try hosts[1].send("GET", "/v1/objects/Note?snapshot=\(id)").status == 200)
        }
        #expect(try hosts[1].send("DELETE", "/v1/snapshots/\(ids[0])").status == 204)
        #expect(try hosts[1].send("GET", "/v1/objects/Note?snapshot=\(ids[0])").status == 410)
        for host in hosts { try host.stop() }
    }

    @Test("a set goes on at another gateway, from where its client was, when its gateway is killed")
    func sets() throws {
        let hosts = [try host("a"), try host("b")]
        let path = "/v1/subscriptions/phone"
        let query = #"{"class":"Note","sort":"id","fields":"id,text"}"#
        #expect(try hosts[0].send("PUT", path + "/all", query).status == 201)
        #expect(try hosts[1].send("GET", path + "/all").status == 200)
        var last: String?
        var seen: [Int] = []
        for round in 0..<4 {
            let (here, there) = (hosts[round % 2], hosts[1 - round % 2])
            let port = try #require(here.server?.port)
            let stream = try EventConnection(port: port, path + "/stream", lastEventID: last)
            var initials = 0
            func read(until isSo: () -> Bool) throws {
                _ = try eventually {
                    if isSo() { return true }
                    let isOpen = try stream.read(milliseconds: 50) { event in
                        if let id = event.id { last = id }
                        guard ["initial", "update"].contains(event.name) else { return }
                        if event.name == "initial" { initials += 1 }
                        let found = event.data.matches(of: #/"id":(\d+)/#).compactMap { Int($0.output.1) }
                        seen += found.filter { !seen.contains($0) }
                    }
                    return !isOpen
                }
                #expect(isSo())
            }
            if round == 0 { try read { initials == 1 } }
            // A write at the other gateway, and one that the client misses.
            let number = round * 10 + 1
            #expect(try there.send("POST", "/v1/objects/Note", #"{"id":\#(number),"text":"x"}"#).status == 201)
            try read { seen.contains(number) }
            #expect(initials == (round == 0 ? 1 : 0), "round \(round) goes on")
            let barrier = try there.send("PUT", path + "/barriers/b\(round)", "")
            #expect(barrier.status == 202, "\(barrier.text)")
            #expect((try barrier.json()["streams"] as? NSNumber)?.intValue == 1)
            try here.kill()
            #expect(try there.send("POST", "/v1/objects/Note", #"{"id":\#(number + 1),"text":"y"}"#).status == 201)
            try here.start()
        }
        #expect(seen.sorted() == seen && Set(seen).isSuperset(of: [1, 2, 11, 12, 21, 22, 31]), "\(seen)")
        for host in hosts { try host.stop() }
    }

    @Test("gateways with other roles are warned of, and no longer when the roles are the same again")
    func roles() throws {
        func configuration(_ name: String, _ rule: String) throws -> [String] {
            let text = "auth:\n  roles:\n    reader: {classes: {Note: {read: '\(rule)'}}}\n    second: {admin: true}\n"
            return ["--config", try directory.write(text, to: "\(name).yaml")]
        }
        let first = try host("a", configuration("a", "weight > 1"))
        let second = try host("b", configuration("b", "weight > 2"))
        let third = try host("c", configuration("c", "weight > 2"))
        func errors(_ host: SharedHost) -> String { host.server?.process.errors ?? "" }
        let sentence = "other roles"
        let port = try #require(first.server?.port)
        // Whoever comes later sees the others at once.
        try wait("the warning") { errors(third).contains(sentence) }
        #expect(errors(third).contains(":\(port)"))
        #expect(!errors(third).contains(":\(try #require(second.server?.port))"))
        let fresh = try host("d", configuration("d", "weight > 1"))
        try wait("the warning") { errors(fresh).contains(sentence) }
        for host in [first, second, third, fresh] { try host.stop() }
    }

    @Test("a realm of a newer format is refused with exit code 78, and so is an entry of one while the gateway runs")
    func newerFormat() throws {
        let first = try host("a")
        let options = ["--store", postgres.url, "--realm", realm]
        #expect(try first.send("POST", "/v1/objects/Note", #"{"id":1,"text":"a"}"#).status == 201)
        func set(_ format: Int) throws {
            try postgres.sql("update realmgate.realm set entry_format = \(format) where name = '\(realm)'")
        }
        try set(2)
        let serve = ["serve", "--port", "0", "--data", directory.file("b.replica")] + options
        let refused = try Program.run(serve, in: directory)
        #expect(refused.status == 78 && refused.errors.contains("Use a newer program"), "\(refused.errors)")
        try set(1)
        // An entry of format 9, whole by its checksum, as a newer gateway would append it.
        let entry = Self.entry(format: 9)
        try postgres.sql(
            """
            begin;
            update realmgate.realm set version = version + 1, tag = 5 where name = '\(realm)';
            insert into realmgate.log (realm, version, part, parts, tag, made, body)
              select id, version, 0, 1, 5, now(), decode('00\(entry)', 'hex') from realmgate.realm where name = '\(realm)';
            commit;
            """)
        #expect(try first.end() == 78)
        #expect(first.server?.process.errors.contains("Use a newer program") == true)
        let again = try Program.run(serve, in: directory)
        #expect(again.status == 78 && again.errors.contains("format 9"), "\(again.errors)")
    }

    /// The bytes of an entry in hex.
    private static func entry(format: UInt8) -> String {
        let content: [UInt8] = [format, 1, 2, 3, 4, 5, 6, 7]
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in content {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        sum = ~sum
        let bytes = content + (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
        return bytes.map { String(format: "%02x", $0) }.joined()
    }
}
