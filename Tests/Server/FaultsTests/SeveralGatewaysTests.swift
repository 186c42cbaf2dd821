import Foundation
import Glibc
import HTTPTesting
import PostgresTesting
import ProgramTesting
import RepositoryFiles
import StoreTesting
import Synchronization
import TestBasics
import Testing

/// Two gateways, each a process, on one realm in PostgreSQL.
@Suite("Several gateways", .serialized, .enabled(if: PostgresServer.isThere))
struct SeveralGatewaysTests {
    @Test("what a gateway acknowledged is at the other, when gateways are killed and PostgreSQL crashes")
    func kills() throws {
        let postgres = try PostgresServer()
        let directory = try TestDirectory()
        #expect(try Program.run(["setup", "--store", postgres.url], in: directory).status == 0)
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let hosts = try [SharedHost("a", "kills", postgres, directory), SharedHost("b", "kills", postgres, directory)]
        let writers = (1...6).map { NoteWriter($0, to: hosts[$0 % 2].address, every: 500) }
        for round in 0..<4 * TestRun.length {
            NoteWriter.wait(for: Int.random(in: 20...80, using: &random), of: writers)
            if round == 2 {
                postgres.stop(isCrash: true)
                try postgres.start()
            }
            let victim = hosts[Int.random(in: 0..<2, using: &random)]
            try victim.kill()
            try victim.start()
        }
        NoteWriter.wait(for: 40, of: writers)
        for host in hosts { host.address.over = true }
        for writer in writers { writer.wait() }
        try SharedHost.agree(hosts)
        try NoteWriter.check(writers, on: hosts[0], seed: seed)
        for host in hosts { try host.stop() }
    }

    @Test("a client that changes gateway at each connection gets every change once")
    func wandering() throws {
        let postgres = try PostgresServer.shared.get()
        let directory = try TestDirectory()
        #expect(try Program.run(["setup", "--store", postgres.url], in: directory).status == 0)
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let realm = "wander-\(PostgresServer.number())"
        let hosts = try [SharedHost("a", realm, postgres, directory), SharedHost("b", realm, postgres, directory)]
        let addresses = hosts.map(\.address)
        let over = ChangingAddress()
        let queries = ["sort=-weight,id", "filter=weight%20%3E%2050&sort=id", "sort=weight,id&limit=7", ""]
        let clients = queries.enumerated().map { number, query in
            ChaosClient(query, "objects/Note", .collection, TestSeed.of("client \(number)"))
        }
        let turns = Mutex(0)
        for client in clients {
            client.start(
                while: { !over.over },
                port: {
                    let turn = turns.withLock { turn in
                        turn += 1
                        return turn
                    }
                    return addresses[turn % 2].port
                })
        }
        let writers = (1...2).map { NoteWriter($0, to: hosts[$0 % 2].address, every: 8_000) }
        var rounds = 0
        // Until one of the clients went on from where it was.
        while rounds < 2 * TestRun.length || clients.allSatisfy({ $0.resumptions == 0 }), rounds < 1_000 {
            rounds += 1
            NoteWriter.wait(for: Int.random(in: 60...100, using: &random), of: writers)
            let victim = hosts[Int.random(in: 0..<2, using: &random)]
            try victim.kill()
            try victim.start()
        }
        NoteWriter.wait(for: 60, of: writers)
        for host in hosts { host.address.over = true }
        for writer in writers { writer.wait() }
        try ChaosClient.settle(clients, until: over, on: hosts, seed: seed)
        let connections = clients.reduce(0) { $0 + $1.connections }
        let initials = clients.reduce(0) { $0 + $1.initials }
        let resumptions = clients.reduce(0) { $0 + $1.resumptions }
        print("SeveralGatewaysTests: \(connections) connections, \(initials) from the start, \(resumptions) resumed")
        #expect(resumptions > 0, "reconnections go on from where the client was")
        for host in hosts { try host.stop() }
    }

    @Test(
        "a failover that loses commits is seen: gateways make new replicas, clients that knew them get the whole result"
    )
    func fork() throws {
        let primary = try PostgresServer()
        let directory = try TestDirectory()
        #expect(try Program.run(["setup", "--store", primary.url], in: directory).status == 0)
        let standby = try PostgresServer(standbyOf: primary)
        let url = primary.url(at: "\(primary.address),\(standby.address)") + "?target_session_attrs=read-write"
        let hosts = [
            // Some requests are for versions that are lost, and wait for them in vain.
            try SharedHost("a", "fork", primary, directory, url: url, readWait: 2_000),
            try SharedHost("b", "fork", primary, directory, url: url, readWait: 2_000),
        ]
        for id in 1...20 {
            let host = hosts[id % 2]
            #expect(try host.send("POST", "/v1/objects/Note", #"{"id":\#(id),"text":"kept"}"#).status == 201)
        }
        try SharedHost.agree(hosts)
        let kept = try hosts[0].notes()
        // The standby has what there is, and receives no more.
        let written = "select pg_current_wal_lsn()"
        let end = try primary.sql(written)
        try standby.wait(until: "the standby has everything") {
            try standby.sql("select pg_last_wal_replay_lsn() >= '\(end)'::pg_lsn") == "t"
        }
        try standby.set("primary_conninfo", "")
        try primary.wait(until: "the standby receives nothing") {
            try primary.sql("select count(*) from pg_stat_replication") == "0"
        }
        for id in 21...30 {
            let host = hosts[id % 2]
            #expect(try host.send("POST", "/v1/objects/Note", #"{"id":\#(id),"text":"lost"}"#).status == 201)
        }
        try SharedHost.agree(hosts)
        var marks: [String] = []
        for host in hosts {
            let replay = try Self.follow(host, since: nil)
            #expect(replay.items?.count == 30)
            marks.append(try #require(replay.mark))
        }
        let tag = try #require(try hosts[0].send("GET", "/v1/objects/Note/30")["ETag"])
        let snapshot = try #require(
            try hosts[0].send("POST", "/v1/snapshots?ttl=600").json()["snapshot"] as? String)
        primary.stop(isCrash: true)
        try standby.promote()
        for host in hosts {
            #expect(try host.end() == 75, "\(host.server?.process.errors ?? "")")
            try host.start()
        }
        for (number, host) in hosts.enumerated() {
            #expect(try host.notes() == kept)
            // Nobody gets a difference from a lost state: the whole result comes first.
            let replay = try Self.follow(host, since: marks[1 - number])
            #expect(replay.initials == 1 && replay.items == kept)
            // Nobody knows whether its version, which this history does not have yet, will be the same.
            let frozen = try host.send("GET", "/v1/objects/Note?snapshot=\(snapshot)")
            #expect(frozen.status == 410 || frozen.status == 503, "\(frozen.text)")
            let late = try host.send("GET", "/v1/objects/Note", nil, ["Realmgate-At-Least": marks[0]])
            #expect(late.status == 409 || late.status == 503, "\(late.text)")
        }
        // Another object has the number of a lost one, and is not taken for it.
        #expect(try hosts[0].send("POST", "/v1/objects/Note", #"{"id":30,"text":"new"}"#).status == 201)
        let stale = try hosts[0].send("PATCH", "/v1/objects/Note/30", #"{"text":"old"}"#, ["If-Match": tag])
        #expect(stale.status == 412, "\(stale.text)")
        try SharedHost.agree(hosts)
        #expect(try hosts[1].notes().count == 21)
        for host in hosts { try host.stop() }
    }

    /// The first events of a stream for a client that knows a state.
    private static func follow(_ host: SharedHost, since mark: String?) throws -> StreamReplay {
        let port = try #require(host.server?.port)
        let stream = try EventConnection(port: port, "/v1/observe/objects/Note?sort=id", lastEventID: mark)
        var replay = StreamReplay(.collection)
        _ = try eventually {
            let isOpen = try stream.read(milliseconds: 50) { try replay.apply($0) }
            return replay.items != nil || !isOpen
        }
        return replay
    }

    @Test("reads, queries and streams go on while PostgreSQL is away; writes say so, and work again when it is back")
    func outage() throws {
        let postgres = try PostgresServer()
        let directory = try TestDirectory()
        #expect(try Program.run(["setup", "--store", postgres.url], in: directory).status == 0)
        let schema = try directory.write(SharedHost.schema, to: "schema.json")
        let server = try RunningServer(
            [
                "--store", postgres.url, "--realm", "outage", "--data", directory.file("a.replica"), "--schema", schema,
                "--set", "store.patience=1",
            ], in: directory)
        let client = try server.client()
        /// Writes a note. On a busy machine PostgreSQL may not answer within the patience.
        func write(_ note: String) throws -> Bool {
            let answer = try client.send("POST", "/v1/objects/Note?update=modified", body: note)
            #expect([200, 201, 503].contains(answer.status), "\(answer.text)")
            return answer.status != 503
        }
        #expect(try eventually { try write(#"{"id":1,"text":"a"}"#) })
        postgres.stop()
        #expect(try client.send("GET", "/v1/objects/Note/1").status == 200)
        #expect(try client.send("GET", "/v1/objects/Note?filter=weight%20%3D%3D%200").json()["items"] != nil)
        let refused = try client.send("POST", "/v1/objects/Note", body: #"{"id":2,"text":"b"}"#)
        #expect(refused.status == 503)
        #expect(["store.unavailable", "store.outcome_unknown"].contains(try refused.json()["code"] as? String))
        #expect(!refused.text.contains(PostgresServer.password) && !refused.text.contains("word-7Qx"))
        try postgres.start()
        #expect(try eventually { try write(#"{"id":2,"text":"c"}"#) })
        #expect(try client.send("GET", "/v1/objects/Note/2").json()["text"] as? String == "c")
        #expect(try server.stop() == 0)
    }

    @Test("thousands of reads and 100 live queries send nothing to PostgreSQL")
    func reads() throws {
        let postgres = try PostgresServer()
        let directory = try TestDirectory()
        #expect(try Program.run(["setup", "--store", postgres.url], in: directory).status == 0)
        let host = try SharedHost("a", "reads", postgres, directory)
        for id in 1...20 {
            let body = #"{"id":\#(id),"text":"n","weight":\#(id)}"#
            #expect(try host.send("POST", "/v1/objects/Note", body).status == 201)
        }
        func transactions() throws -> Int {
            // A session of PostgreSQL reports what it did once a second at most, and one that has become idle after ten
            // seconds: before that, the writes above would count as reads.
            sleep(12)
            let sum = "select xact_commit + xact_rollback from pg_stat_database where datname = 'postgres'"
            return try #require(Int(try postgres.sql(sum)))
        }
        let (first, start) = (try transactions(), Date())
        let client = try #require(try host.server?.client())
        let targets = [
            "/v1/objects/Note/7", "/v1/objects/Note?filter=weight%20%3E%205&sort=-weight&limit=3",
            "/v1/aggregates/objects/Note?max=weight", "/v1/objects/Note?limit=2&count=true",
        ]
        for number in 0..<3_000 * TestRun.length {
            let answer = try client.send("GET", targets[number % targets.count])
            #expect(answer.status == 200, "\(answer.text)")
        }
        let port = try #require(host.server?.port)
        var streams: [EventConnection] = []
        for number in 0..<100 {
            let stream = try EventConnection(
                port: port, "/v1/observe/objects/Note?filter=weight%20%3E%20\(number % 20)", lastEventID: nil)
            var replay = StreamReplay(.collection)
            while replay.items == nil {
                guard try stream.read(milliseconds: 1000, { try replay.apply($0) }) else { break }
            }
            #expect(replay.initials == 1)
            streams.append(stream)
        }
        let sent = try transactions() - first
        // The gateway looks for entries and keys, and reports, a few times a second, whatever is read.
        let elapsed = Int(Date().timeIntervalSince(start)) + 1
        #expect(sent <= 10 * elapsed, "\(sent) transactions in \(elapsed) s")
        try withExtendedLifetime(streams) { try host.stop() }
    }

    @Test("a key that is made or revoked anywhere counts at every gateway soon")
    func keys() throws {
        let postgres = try PostgresServer.shared.get()
        let directory = try TestDirectory()
        #expect(try Program.run(["setup", "--store", postgres.url], in: directory).status == 0)
        let realm = "keys-\(PostgresServer.number())"
        let options = ["--store", postgres.url, "--realm", realm]
        let hosts = try [SharedHost("a", realm, postgres, directory), SharedHost("b", realm, postgres, directory)]
        func wait(_ status: Int, _ key: String?) throws {
            for host in hosts {
                let headers = key.map { ["Authorization": "Bearer \($0)"] } ?? [:]
                #expect(try eventually { try host.send("GET", "/v1/objects/Note", nil, headers).status == status })
            }
        }
        try wait(200, nil)
        let made = try Program.run(["token", "create", "--name", "me", "--role", "admin"] + options, in: directory)
        #expect(made.status == 0, "\(made.errors)")
        let key = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try wait(401, nil)
        try wait(200, key)
        // By a gateway, for the other one.
        let second = try hosts[0].send(
            "POST", "/v1/keys", #"{"name":"second","roles":["admin"]}"#, ["Authorization": "Bearer \(key)"])
        #expect(second.status == 201, "\(second.text)")
        let other = try #require(try second.json()["secret"] as? String ?? second.json()["key"] as? String)
        try wait(200, other)
        let listed = try Program.run(["token", "list"] + options, in: directory)
        #expect(listed.output.contains("me") && listed.output.contains("second"), "\(listed.output)")
        let id = String(key.split(separator: "_")[1])
        #expect(try Program.run(["token", "revoke", id] + options, in: directory).status == 0)
        try wait(401, key)
        // No file of keys is made beside the replicas.
        #expect(!FileManager.default.fileExists(atPath: directory.file("a.replica.keys")))
        // A gateway with a new replica has them too.
        try hosts[1].kill()
        try hosts[1].start()
        try wait(200, other)
        for host in hosts { try host.stop() }
    }

    @Test("a wrong address, realm or file is refused with exit code 78 and a sentence")
    func refusals() throws {
        let postgres = try PostgresServer.shared.get()
        let directory = try TestDirectory()
        #expect(try Program.run(["setup", "--store", postgres.url], in: directory).status == 0)
        let own = directory.file("own.realmgate")
        let schema = try directory.write(SharedHost.schema, to: "schema.json")
        let made = try RunningServer(["--data", own, "--schema", schema], in: directory)
        #expect(try made.client().send("POST", "/v1/objects/Note", body: #"{"id":1,"text":"a"}"#).status == 201)
        #expect(try made.stop() == 0)
        let cases: [(arguments: [String], sentence: String)] = [
            (["--store", "db1", "--data", directory.file("x")], "not a URL of PostgreSQL"),
            (["--store", postgres.url, "--realm", "No Such", "--data", directory.file("x")], "realm"),
            (
                ["--store", postgres.url, "--realm", "nowhere", "--must-exist", "--data", directory.file("x")],
                "has no realm 'nowhere'"
            ),
            (["--realm", "shop", "--data", directory.file("x")], "--store"),
        ]
        for (arguments, sentence) in cases {
            let result = try Program.run(["serve", "--port", "0"] + arguments, in: directory)
            #expect(result.status == 78, "\(arguments): \(result.status) \(result.errors)")
            #expect(result.errors.contains(sentence), "\(result.errors)")
            #expect(!result.errors.contains("word-7Qx"))
        }
        // A file with objects of its own is never taken for a replica, nor deleted.
        let taken = try Program.run(["serve", "--port", "0", "--store", postgres.url, "--data", own], in: directory)
        #expect(taken.status != 0 && taken.errors.contains(own), "\(taken.errors)")
        let again = try RunningServer(["--data", own], in: directory)
        #expect(try again.client().send("GET", "/v1/objects/Note/1").status == 200)
        #expect(try again.stop() == 0)
    }
}
