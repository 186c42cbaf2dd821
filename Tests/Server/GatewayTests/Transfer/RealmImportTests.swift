import AccessRules
import Compression
import Dispatch
import EmbeddedStore
import FairScheduling
import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import Identity
import JSONCoding
import ObjectCoding
import ObjectModel
import RealmFiles
import RealmImport
import StoreContract
import StoreTesting
import TestBasics
import Testing
import TransferEndpoints

@testable import Gateway
@testable import RequestHandling

@Suite("Realm files over HTTP")
struct RealmImportTests {
    private static let key = (0..<64).map { String(format: "%02x", $0) }.joined()

    /// What must not change when an import is refused.
    private struct State: Equatable {
        let version: Version
        let schema: Schema
        let counts: [Int]

        init(_ store: EmbeddedStore) throws {
            let snapshot = try store.snapshot()
            version = snapshot.version
            schema = snapshot.schema
            counts = schema.classes.map { snapshot.count(of: $0.id) }
        }
    }

    @Test("a rehearsal names what stands in the way, and with that left out the file comes, with counts and sums")
    func people() throws {
        let site = try RealmSite()
        let before = try State(site.store)
        let bytes = try RealmSite.people()
        let seen = try site.post(bytes, "?dryRun=true")
        #expect(seen.status == 200, "\(seen.text)")
        #expect(seen.document["refusal"]?["code"] == "realm_file.unsuitable")
        let obstacle = try #require(seen.document["refusal"]?["obstacles"]?.asArray?.first)
        #expect(obstacle["way"] == "leaveOut" && obstacle["name"] == "Address.former", "\(seen.text)")
        #expect(seen.objects("Person") == 39 && seen.objects("Entry") == 90 && seen.objects("Address") == 135)
        let refused = try site.post(bytes)
        #expect(refused.status == 422 && refused.code == "realm_file.unsuitable", "\(refused.text)")
        #expect(refused.document["detail"]?.asString?.contains("leaveOut=Address.former") == true, "\(refused.text)")
        let selection = "?leaveOut=Address.former&rename=Entry=Note"
        let ready = try site.post(bytes, selection + "&dryRun=true")
        #expect(ready.document["refusal"] == .null && ready.objects("Note") == 90, "\(ready.text)")
        #expect(try State(site.store) == before)

        let done = try site.post(bytes, selection)
        #expect(done.status == 200 && done.objects("Person") == 39 && done.objects("Note") == 90, "\(done.text)")
        #expect(done.objects("Address") == 122)
        let numbers = try #require(
            done.document["classes"]?.asArray?.first { $0["name"] == "Address" }?["numbers"]?.asArray?.first)
        #expect(numbers["property"] == "number" && numbers["count"]?.asInt == 122 && numbers["sum"] == "544")
        #expect(numbers["minimum"] == "0" && numbers["maximum"] == "38")
        #expect(done.document["version"]?.asInt == Int(try site.store.snapshot().version.rawValue))
        let client = try LoopbackClient(port: site.port)
        let read = try client.get("/v1/objects/Person?filter=home.number%20%3E%2037&fields=name,home")
        #expect(read.text.contains(#"{"name":"person 38","home":{"street":"street 38","number":38}}"#), "\(read.text)")
        #expect(try site.rest == [])
    }

    @Test(
        "every file of the tests comes, compressed or not, as its rehearsal said",
        arguments: [
            ("kinds", ""), ("owners", "?leaveOut=Address.former"), ("many", ""), ("format-20", ""),
            ("format-22", "?rename=table=Table&rename=target=Target"), ("empty", ""),
            (
                "format-23",
                "?rename=table=Table&rename=target=Target&rename=table_for_mixed=TableForMixed&rename=table2=Table2"
            ),
        ])
    func everyFile(name: String, query: String) throws {
        for isCompressed in [false, true] {
            let site = try RealmSite()
            let bytes = isCompressed ? try RealmSite.packed(name) : try RealmSite.file(name)
            let headers = isCompressed ? "Content-Encoding: gzip\r\n" : ""
            let seen = try site.post(bytes, query + (query.isEmpty ? "?" : "&") + "dryRun=true", headers: headers)
            #expect(seen.status == 200 && seen.document["refusal"] == .null, "\(seen.text)")
            let done = try site.post(bytes, query, headers: headers)
            #expect(done.status == 200, "\(done.text)")
            let snapshot = try site.store.snapshot()
            for one in done.document["classes"]?.asArray ?? [] where one["embedded"] == false {
                let name = one["name"]?.asString ?? ""
                #expect(seen.objects(name) == one["objects"]?.asInt, "\(name)")
                #expect(one["objects"]?.asInt == snapshot.schema[name].map { snapshot.count(of: $0.id) }, "\(name)")
            }
            #expect(try site.rest == [])
        }
    }

    @Test("objects that are there are refused, or with update become those of the file")
    func conflicts() throws {
        let site = try RealmSite()
        let bytes = try RealmSite.file("many")
        #expect(try site.post(bytes).status == 200)
        let before = try State(site.store)
        let seen = try site.post(bytes, "?dryRun")
        #expect(seen.document["refusal"]?["code"] == "realm_file.duplicate", "\(seen.text)")
        let city = try #require(seen.document["classes"]?.asArray?.first { $0["name"] == "City" })
        #expect(city["new"] == false && city["present"] == city["objects"], "\(seen.text)")
        let refused = try site.post(bytes)
        #expect(refused.status == 409 && refused.code == "realm_file.duplicate", "\(refused.text)")
        #expect(refused.document["detail"]?.asString?.contains("update=modified") == true)
        #expect(try State(site.store) == before)
        #expect(try site.post(bytes, "?dryRun&update=modified").document["refusal"] == .null)
        let again = try site.post(bytes, "?update=modified&leaveOut=Trip")
        let same = try #require(again.document["classes"]?.asArray?.first { $0["name"] == "City" })
        #expect(again.status == 200 && same["present"] == city["objects"] && same["modified"]?.asInt == 0)
        #expect(try State(site.store).counts == before.counts)

        // A class in another form, with objects.
        let other = try RealmSite()
        try other.store.replaceSchema(
            with: Schema(version: 1, classes: [ClassSchema("City", properties: [PropertySchema("name", .init(.int))])]))
        try other.store.write { transaction in
            let city = try #require(transaction.schema["City"])
            _ = try transaction.create(city.id, [:])
        }
        let present = try State(other.store)
        let different = try other.post(bytes)
        #expect(different.status == 409 && different.code == "realm_file.different_class", "\(different.text)")
        #expect(try other.post(bytes, "?dryRun").document["refusal"]?["code"] == "realm_file.different_class")
        #expect(try State(other.store) == present)
    }

    @Test("a preview finds what the import would, also in single values, and writes nothing")
    func values() throws {
        var bytes = try RealmSite.file("many")
        let index = try #require(bytes.indices.first { bytes[$0...].starts(with: "C1\0".utf8) })
        bytes[index + 1] = UInt8(ascii: "0")
        let site = try RealmSite()
        let before = try State(site.store)
        let seen = try site.post(bytes, "?dryRun")
        let refusal = seen.document["refusal"]
        #expect(seen.status == 200 && refusal?["code"] == "realm_file.repeated_key", "\(seen.text)")
        #expect(refusal?["obstacles"]?.asArray?.first?["name"] == "City")
        #expect(try State(site.store) == before)
        let refused = try site.post(bytes)
        #expect(refused.status == 422 && refused.code == "realm_file.repeated_key", "\(refused.text)")
        #expect(refused.document["detail"] == refusal?["detail"])
        let rest = try site.post(bytes, "?dryRun&leaveOut=City")
        #expect(rest.status == 200 && rest.document["refusal"]?["code"] != "realm_file.repeated_key", "\(rest.text)")
        #expect(try State(site.store) == before)
    }

    @Test("an encrypted file needs its key in the header, and no answer has it")
    func encrypted() throws {
        let site = try RealmSite()
        let before = try State(site.store)
        let bytes = try RealmSite.file("encrypted")
        func post(_ key: String?) throws -> RealmSite.Answer {
            let answer = try site.post(
                bytes, "?rename=pk=Keys", headers: key.map { "Realmgate-Encryption-Key: \($0)\r\n" } ?? "")
            #expect(key.map { !answer.text.contains($0) } ?? true)
            return answer
        }
        let without = try post(nil)
        #expect(without.status == 400 && without.code == "realm_file.unknown", "\(without.text)")
        #expect(without.document["parameter"] == "Realmgate-Encryption-Key")
        let wrong = try post(String(Self.key.reversed()))
        #expect(wrong.status == 422 && wrong.code == "realm_file.key", "\(wrong.text)")
        for short in [String(Self.key.dropLast()), Self.key + "0", String(repeating: "x", count: 128)] {
            let answer = try post(short)
            #expect(answer.status == 400 && answer.code == "header.invalid", "\(answer.text)")
        }
        #expect(try State(site.store) == before)
        let right = try site.post(bytes, headers: "Realmgate-Encryption-Key: \(Self.key)\r\n")
        #expect(right.status == 200, "\(right.text)")
    }

    @Test("what is not a file of Realm, is of another format, is empty or names nothing is refused by its code")
    func refusals() throws {
        let site = try RealmSite { $0.atomicImportLimit = 1 << 20 }
        let before = try State(site.store)
        let bytes = try RealmSite.people()
        func expect(_ code: String, _ status: Int, _ answer: RealmSite.Answer) {
            #expect(answer.code == code && answer.status == status, "\(answer.text)")
        }
        expect("realm_file.unknown", 400, try site.post(Array("hello".utf8)))
        expect("import.empty", 400, try site.post([]))
        expect("realm_file.damaged", 400, try site.post(Array(bytes.prefix(bytes.count / 2))))
        expect("realm_file.unknown_name", 400, try site.post(bytes, "?leaveOut=Persn"))
        expect("realm_file.unknown_name", 400, try site.post(bytes, "?dryRun&rename=Persn=A"))
        expect("parameter.unknown", 400, try site.post(bytes, "?atomic"))
        expect("parameter.invalid", 400, try site.post(bytes, "?update=always"))
        expect("unsupported_media_type", 415, try site.post(bytes, headers: "Content-Type: text/csv\r\n"))
        var other = bytes
        // The format of either header.
        (other[20], other[21]) = (9, 9)
        expect("realm_file.format", 422, try site.post(other))
        expect("import.too_large", 413, try site.post(bytes + [UInt8](repeating: 0, count: 1 << 20)))
        let zeros = try [UInt8](repeating: 0, count: 2 << 20).withUnsafeBytes { try Encoder(.gzip).encode($0) }
        expect("import.too_large", 413, try site.post(zeros, headers: "Content-Encoding: gzip\r\n"))
        #expect(try State(site.store) == before)
        #expect(try site.rest == [])
    }

    @Test("of a damaged file everything comes or nothing, whatever byte is damaged")
    func damaged() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let bytes = try RealmSite.file("owners")
        var refused = 0
        let site = try RealmSite()
        for _ in 0..<60 {
            let before = try State(site.store)
            var damaged = bytes
            let index = random.below(bytes.count)
            for offset in index..<min(bytes.count, index + 4) { damaged[offset] ^= UInt8(1 + random.below(255)) }
            let answer = try site.post(damaged, "?leaveOut=Address.former")
            if answer.status == 200 { continue }
            refused += 1
            #expect(
                answer.status < 500 && answer.code?.hasPrefix("realm_file.") == true, "seed \(seed): \(answer.text)")
            #expect(try State(site.store) == before, "seed \(seed)")
        }
        if TestRun.hasFixedSeeds { #expect(refused > 0) }
        #expect(try site.rest == [])
    }

    @Test("a client that listens receives the progress, and then the result")
    func progress() throws {
        let site = try RealmSite()
        let bytes = try RealmSite.file("many")
        let client = try LoopbackClient(port: site.port)
        try client.send(
            "POST /v1/import",
            headers:
                "Content-Type: application/x-realm\r\nAccept: text/event-stream\r\nContent-Length: \(bytes.count)\r\n")
        try client.write(bytes)
        #expect(try client.receive().status == 200)
        var events = [try client.event()]
        while events.last?.name == "progress" { events.append(try client.event()) }
        #expect(events.count > 1 && events.last?.name == "done", "\(events)")
        let step = try JSONValue.parse(Array(events[0].data.utf8))
        #expect(step["objects"]?.asInt == RealmImporter.reportInterval && step["class"] != nil)
        #expect(try #require(step["total"]?.asInt) >= 3_000)
    }

    @Test("an import ends when its client has gone, and nothing is imported", arguments: [true, false])
    func deleted(listens: Bool) throws {
        let site = try RealmSite()
        let before = try State(site.store)
        let bytes = try RealmSite.file("many")
        // It cannot begin before the server has seen that the client has gone.
        let (isClosed, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isOpen = DispatchSemaphore(value: 0)
        site.store.submit(
            { _ in
                isClosed.signal()
                gate.wait()
            }, isAlone: true
        ) { _ in isOpen.signal() }
        isClosed.wait()
        defer { gate.signal() }
        let transfers = site.gateway.transfers.pool
        do {
            let socket = try LoopbackSocket(port: site.port)
            let accept = listens ? "Accept: text/event-stream\r\n" : ""
            try socket.send(
                Array(
                    "POST /v1/import HTTP/1.1\r\nHost: t\r\n\(accept)Content-Type: application/x-realm\r\nContent-Length: \(bytes.count)\r\n\r\n"
                        .utf8))
            try socket.send(bytes)
            if listens { _ = try socket.receive() }
            try #require(eventually { transfers.clients.count == 1 })
            socket.hangUp()
        }
        try #require(eventually { transfers.clients.allSatisfy(\.hasEnded) })
        gate.signal()
        isOpen.wait()
        #expect(eventually { transfers.length == 0 })
        #expect(try State(site.store).schema == before.schema)
    }

    @Test("it is for administrators alone, and what is wrong is said before the body comes")
    func access() throws {
        let guarded = try GuardedGateway([
            Role(name: "reader", others: ClassRule(read: "TRUEPREDICATE")),
            Role(name: "writer", others: ClassRule(read: "TRUEPREDICATE", create: "TRUEPREDICATE")),
        ])
        let scoped = try guarded.secret("admin", scope: KeyScope(isReadOnly: true))
        let admin = try guarded.secret("admin")
        try guarded.gateway.serve { port in
            for (key, type, length, status) in [
                ("", "application/x-realm", 1_000, 401),
                (try guarded.secret("reader"), "application/x-realm", 1_000, 403),
                (try guarded.secret("writer"), "application/x-realm", 1_000, 403),
                (scoped, "application/x-realm", 1_000, 403), (admin, "application/octet-stream", 1_000, 415),
                (admin, "application/x-realm", 300 << 20, 413),
            ] {
                for expects in [true, false] {
                    let client = try LoopbackClient(port: port)
                    try client.send(
                        "POST /v1/import",
                        headers: (key.isEmpty ? "" : "X-API-Key: \(key)\r\n") + "Content-Type: \(type)\r\n"
                            + "Content-Length: \(length)\r\n" + (expects ? "Expect: 100-continue\r\n" : ""))
                    #expect(try client.receive().status == status)
                }
            }
        }
    }

    // MARK: Beside other writes

    /// Keeps the store's writer until it is let go.
    private struct Pause {
        private let gate = DispatchSemaphore(value: 0)

        init(_ store: EmbeddedStore) {
            let isClosed = DispatchSemaphore(value: 0)
            store.submit(
                { [gate] _ in
                    isClosed.signal()
                    gate.wait()
                }, isAlone: true
            ) { _ in }
            isClosed.wait()
        }

        func end() { gate.signal() }
    }

    @Test("a rehearsal is answered while another write has its turn")
    func rehearsedMeanwhile() throws {
        let site = try RealmSite()
        let before = try State(site.store)
        let pause = Pause(site.store)
        defer { pause.end() }
        let seen = try site.post(RealmSite.file("many"), "?dryRun")
        #expect(seen.status == 200 && seen.document["refusal"] == .null, "\(seen.text)")
        #expect(try State(site.store) == before)
    }

    @Test("an object that is written while an import waits for its turn is not lost")
    func objectsMeanwhile() throws {
        let site = try RealmSite()
        let pets = ClassSchema("Pet", properties: [PropertySchema("name", .init(.int))])
        let person = ClassSchema(
            "Person", properties: [PropertySchema("fullName", .init(.string)), PropertySchema("age", .init(.int))])
        try site.store.replaceSchema(with: Schema(version: 1, classes: [pets, person]))
        let pause = Pause(site.store)
        let isWritten = DispatchSemaphore(value: 0)
        site.store.submit(
            { transaction in
                let pet = try #require(transaction.schema["Pet"])
                _ = try transaction.create(pet.id, [try #require(pet["name"]).id: .int(7)])
            }, isAlone: false
        ) { _ in isWritten.signal() }
        let bytes = try RealmSite.file("format-20")
        let client = try LoopbackClient(port: site.port)
        try client.send(
            "POST /v1/import",
            headers: "Content-Type: application/x-realm\r\nContent-Length: \(bytes.count)\r\n")
        try client.write(bytes)
        let transfers = site.gateway.transfers.pool
        let waits = eventually { transfers.length == 1 }
        pause.end()
        try #require(waits)
        isWritten.wait()
        let answer = try client.receive()
        #expect(answer.status == 409 && answer.text.contains("realm_file.different_class"), "\(answer.text)")
        let snapshot = try site.store.snapshot()
        let pet = try #require(snapshot.schema["Pet"])
        #expect(try snapshot.value(pet.id, ObjectKey(0), try #require(pet["name"]).id) == .int(7))
    }

    @Test("imports of other classes at once all come")
    func atOnce() throws {
        let site = try RealmSite()
        let pause = Pause(site.store)
        var clients: [LoopbackClient] = []
        for (index, name) in ["many", "format-20", "many"].enumerated() {
            let bytes = try RealmSite.file(name)
            let names = name == "many" ? "?rename=City=K\(index)&rename=Trip=L\(index)" : ""
            let client = try LoopbackClient(port: site.port)
            try client.send(
                "POST /v1/import\(names)",
                headers: "Content-Type: application/x-realm\r\nContent-Length: \(bytes.count)\r\n")
            try client.write(bytes)
            clients.append(client)
        }
        let transfers = site.gateway.transfers.pool
        let wait = eventually { transfers.length == clients.count }
        pause.end()
        try #require(wait)
        for client in clients {
            let answer = try client.receive()
            #expect(answer.status == 200, "\(answer.text)")
        }
        let snapshot = try site.store.snapshot()
        #expect(snapshot.schema.classes.map(\.name).sorted() == ["Address", "K0", "K2", "L0", "L2", "Person", "Pet"])
        // That of the first file.
        #expect(
            [5, 12].contains(snapshot.schema.version) && snapshot.schema["L2"].map { snapshot.count(of: $0.id) } == 2700
        )
    }

    // MARK: What a class is, and what is said of it

    @Test("a class of another kind is refused with the way on, and what becomes different is said")
    func otherKinds() throws {
        let site = try RealmSite()
        #expect(try site.post(RealmSite.file("owners"), "?leaveOut=Address.former").status == 200)
        let before = try State(site.store)
        let bytes = try RealmSite.file("format-20")
        let refused = try site.post(bytes)
        #expect(refused.status == 409 && refused.code == "realm_file.different_class", "\(refused.text)")
        #expect(refused.document["detail"]?.asString?.contains("rename=Person=NAME") == true, "\(refused.text)")
        let seen = try site.post(bytes, "?dryRun")
        let refusal = try #require(seen.document["refusal"])
        #expect(refusal["code"] == "realm_file.different_class" && refusal["detail"] == refused.document["detail"])
        let obstacle = try #require(refusal["obstacles"]?.asArray?.first { $0["name"] == "Person" })
        #expect(obstacle["way"] == "rename", "\(seen.text)")
        #expect(try State(site.store) == before)
        // The address of the owners has other properties.
        let ready = try site.post(bytes, "?dryRun&rename=Person=Human&leaveOut=Address.street")
        #expect(ready.document["refusal"] == .null, "\(ready.text)")
        #expect(ready.text.contains("Class 'Address' of the database gets the property 'city'."), "\(ready.text)")
        let done = try site.post(bytes, "?rename=Person=Human&leaveOut=Address.street")
        #expect(done.status == 200 && done.document["notes"] == ready.document["notes"], "\(done.text)")
    }

    @Test("of a file of which nothing is left the rehearsal says that each class is left out")
    func nothingLeft() throws {
        let site = try RealmSite()
        let seen = try site.post(
            RealmSite.people(), "?dryRun&leaveOut=Address.former&leaveOut=Entry&leaveOut=Person")
        #expect(seen.document["refusal"]?["code"] == "realm_file.no_classes", "\(seen.text)")
        #expect(seen.document["objects"]?.asInt == 0, "\(seen.text)")
        #expect(seen.document["classes"]?.asArray?.allSatisfy { $0["leftOut"] == true } == true, "\(seen.text)")
    }

    @Test("a rename that is none is refused before the body, and a second one of a name is refused")
    func renames() throws {
        let site = try RealmSite()
        for expects in [true, false] {
            let client = try LoopbackClient(port: site.port)
            try client.send(
                "POST /v1/import?rename=Person",
                headers: "Content-Type: application/x-realm\r\nContent-Length: 1000\r\n"
                    + (expects ? "Expect: 100-continue\r\n" : ""))
            let answer = try client.receive()
            #expect(answer.status == 400 && answer.text.contains("parameter.invalid"), "\(answer.text)")
        }
        let bytes = try RealmSite.people()
        for (names, isDryRun) in [
            ("rename=Entry=N&rename=Entry=M", false), ("rename=Person.name=a&rename=Person.name=a", true),
        ] {
            let twice = try site.post(bytes, "?\(names)&leaveOut=Address.former" + (isDryRun ? "&dryRun" : ""))
            #expect(twice.status == 400 && twice.code == "parameter.invalid", "\(twice.text)")
            #expect(twice.document["parameter"] == "rename" && twice.text.contains("already"), "\(twice.text)")
        }
        #expect(try site.store.snapshot().schema.classes.isEmpty)
    }

    @Test("a stream is for those who accept one by its name, with a quality above zero")
    func asked() throws {
        let site = try RealmSite()
        let bytes = try RealmSite.people()
        for (accept, isStream) in [
            ("text/event-stream;q=0", false), ("application/json, text/event-stream; q=0.0", false), ("*/*", false),
            ("text/event-streams", false), ("application/json;q=0.1, Text/Event-Stream;q=0.5", true),
        ] {
            let client = try LoopbackClient(port: site.port)
            try client.send(
                "POST /v1/import?dryRun",
                headers:
                    "Content-Type: application/x-realm\r\nAccept: \(accept)\r\nContent-Length: \(bytes.count)\r\n")
            try client.write(bytes)
            if isStream {
                #expect(try client.receive().status == 200)
                #expect(try client.event().name == "done", "\(accept)")
            } else {
                #expect(try client.receive().text.hasPrefix("{\"format\":"), "\(accept)")
            }
        }
    }

    @Test("sizes are said exactly")
    func sizes() throws {
        for (bytes, words) in [
            (256 << 20, "256 MiB"), (1 << 20, "1 MiB"), ((1 << 20) + 1024, "1025 KiB"), (1024, "1 KiB"),
            (1500, "1500 bytes"), (0, "0 bytes"),
        ] { #expect(sizeInWords(bytes) == words) }
        let site = try RealmSite { $0.atomicImportLimit = 4096 }
        let answer = try site.post(RealmSite.people())
        #expect(answer.status == 413 && answer.text.contains("may have 4 KiB (limits.atomicImport)"), "\(answer.text)")
    }

    @Test("each fault of a file has the code that the gateway sends, with one status")
    func codes() {
        let faults: [RealmFileError] = [
            .notRealm(mayBeEncrypted: true), .unsupportedFormat(9), .wrongKey(length: 64),
            .damaged(location: "a", reason: "b"), .inUse, .unreadable(code: 5),
        ]
        for fault in faults { #expect(Problem(fault).code == fault.code) }
        for reason in RealmImportError.Reason.allCases {
            #expect(Problem(RealmImportError(reason, "a")).code == reason.rawValue)
        }
    }
}
