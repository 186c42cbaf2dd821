import AccessRules
import Compression
import Dispatch
import EmbeddedStore
import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import Gateway

/// Backups that an administrator uploads to have them checked.
@Suite("The check of a backup over HTTP")
struct BackupCheckTests {
    /// A gateway to a store on disk with dogs, and a backup of it.
    private struct Fixture {
        let home: TestDirectory
        let store: EmbeddedStore
        let gateway: Gateway
        let backup: [UInt8]
        let scratch: String

        init(_ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws {
            home = try TestDirectory()
            store = try EmbeddedStore.open(path: home.path + "/store")
            scratch = home.path + "/scratch"
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
            var configuration = GatewayConfiguration.untimed
            configuration.scratchDirectory = scratch
            configure(&configuration)
            gateway = try Gateway(store: store, configuration: configuration)
            let wire = Wire(store: store, router: gateway.router)
            guard try wire.send(.put, "/v1/schema", DogOwnersFixture.schema).status == 200 else {
                throw WireFailure("schema")
            }
            try DogOwnersFixture.fill { try wire.send(.post, $0, $1).status }
            try store.writeCopy(to: home.path + "/backup")
            backup = Array(try Data(contentsOf: URL(fileURLWithPath: home.path + "/backup")))
        }

        func request(_ bytes: [UInt8], headers: HeaderFields = [:]) throws -> Request {
            var headers = headers
            if headers["Content-Type"] == nil { headers.add("Content-Type", "application/octet-stream") }
            var request = try Request(.post, "/v1/backup/check", headers: headers)
            request.bodyFile = try BodyFile(bytes)
            return request
        }

        func check(_ bytes: [UInt8], headers: HeaderFields = [:]) throws -> Response {
            try gateway.router.answer(try request(bytes, headers: headers))
        }

        /// The files that the checks left behind.
        var rest: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: scratch) } }
    }

    @Test("says that a backup is sound, its version, schema version, classes and counts, as the offline check does")
    func sound() throws {
        let fixture = try Fixture()
        let before = try fixture.store.snapshot().version
        let answer = try fixture.check(fixture.backup)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.member("sound") == true && answer.member("faults") == [])
        let report = try EmbeddedStore.check(path: fixture.home.path + "/backup")
        #expect(answer.member("version")?.asInt == Int(try #require(report.version).rawValue))
        #expect(answer.member("objects")?.asInt == report.objects && report.objects > 0)
        #expect(answer.member("entries")?.asInt == report.entries)
        #expect(answer.member("bytes")?.asInt == fixture.backup.count)
        let snapshot = try fixture.store.snapshot()
        #expect(answer.member("schemaVersion")?.asInt == Int(snapshot.schema.version))
        let classes = try #require(answer.member("classes")?.asArray)
        #expect(classes.count == snapshot.schema.classes.count)
        for (found, objectClass) in zip(classes, snapshot.schema.classes) {
            #expect(found["name"]?.asString == objectClass.name)
            #expect(found["embedded"] == .bool(objectClass.isEmbedded))
            #expect(found["count"]?.asInt == snapshot.count(of: objectClass.id))
        }
        // The store that serves is as it was, and nothing is left.
        #expect(try fixture.store.snapshot().version == before)
        #expect(try fixture.rest == [])
    }

    @Test("accepts a compressed backup", arguments: [Coding.gzip, .zstd])
    func compressed(coding: Coding) throws {
        let fixture = try Fixture()
        let small = try fixture.backup.withUnsafeBytes { try Encoder(coding).encode($0) }
        let answer = try fixture.check(small, headers: ["Content-Encoding": coding.rawValue])
        #expect(answer.member("sound") == true, "\(answer.text)")
        #expect(answer.member("bytes")?.asInt == fixture.backup.count)
    }

    @Test("says what is wrong with a damaged backup, whatever byte is damaged, and leaves nothing behind")
    func damaged() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let fixture = try Fixture()
        var found = 0
        for turn in 0..<60 {
            var bytes = fixture.backup
            let anywhere = random.below(bytes.count)
            // Every other time the header of a page.
            let start = turn.isMultiple(of: 2) ? anywhere : anywhere / 4096 * 4096
            for offset in start..<min(bytes.count, start + 64) { bytes[offset] ^= UInt8(1 + random.below(255)) }
            let answer = try fixture.check(bytes)
            #expect(answer.status == 200, "seed \(seed): \(answer.text)")
            let faults = answer.member("faults")?.asArray ?? []
            #expect(answer.member("sound") == .bool(faults.isEmpty), "seed \(seed)")
            #expect(!answer.text.contains(fixture.scratch), "seed \(seed): \(answer.text)")
            found += faults.isEmpty ? 0 : 1
        }
        // Space that nothing uses may hold anything, and so may a value.
        if TestRun.hasFixedSeeds { #expect(found > 0) }
        #expect(try fixture.rest == [])
    }

    @Test("says that another file is none", arguments: ["hello", String(repeating: "x", count: 100_000)])
    func foreign(text: String) throws {
        let fixture = try Fixture()
        let answer = try fixture.check(Array(text.utf8))
        #expect(answer.status == 200 && answer.member("sound") == false, "\(answer.text)")
        #expect(answer.member("version") == .null && answer.member("classes") == [])
        let fault = try #require(answer.member("faults")?.asArray?.first?.asString)
        #expect(fault.hasPrefix("The file"))
    }

    @Test("says that a truncated backup is damaged", arguments: [1, 4096, 8192, 20_000])
    func truncated(cut: Int) throws {
        let fixture = try Fixture()
        let answer = try fixture.check(Array(fixture.backup.dropLast(cut)))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.member("sound") == false || cut == 1, "\(answer.text)")
    }

    @Test("refuses a body that is not a file of bytes, an empty one, and parameters")
    func refusals() throws {
        let fixture = try Fixture()
        #expect(try fixture.check(fixture.backup, headers: ["Content-Type": "text/plain"]).status == 415)
        let empty = try fixture.check([])
        #expect(empty.status == 422 || empty.status == 400, "\(empty.text)")
        #expect(empty.member("code") == "import.empty")
        let request = try Request(.post, "/v1/backup/check?x=1", headers: ["Content-Type": "application/octet-stream"])
        #expect(try fixture.gateway.router.answer(request).status == 400)
    }

    @Test("ends when it takes longer than allowed")
    func slow() throws {
        let fixture = try Fixture { $0.backupCheckSeconds = -1 }
        let answer = try fixture.check(fixture.backup)
        #expect(answer.status == 422 && answer.member("code") == "backup.too_slow", "\(answer.text)")
        #expect(try fixture.rest == [])
    }

    @Test("refuses a file that expands beyond the limit")
    func expanding() throws {
        let fixture = try Fixture {
            $0.importExpansion = 2
            $0.importFreeExpansion = 1 << 16
        }
        let small = try [UInt8](repeating: 0, count: 1 << 24).withUnsafeBytes { try Encoder(.gzip).encode($0) }
        let answer = try fixture.check(small, headers: ["Content-Encoding": "gzip"])
        #expect(answer.status == 413, "\(answer.text)")
        #expect(try fixture.rest == [])
    }

    @Test("reports its progress, and then the result")
    func progress() throws {
        let fixture = try Fixture()
        let request = try fixture.request(fixture.backup, headers: ["Accept": "text/event-stream"])
        guard case .events(_, let start) = fixture.gateway.router.respond(to: request) else {
            throw WireFailure("no stream")
        }
        let news = DispatchSemaphore(value: 0)
        let stream = EventStream(limit: 1 << 20) { news.signal() }
        start(stream)
        var text = ""
        var isFinished = false
        while !isFinished {
            news.wait()
            let (events, finishing) = stream.takeQueued()
            for event in events { text += String(decoding: event.bytes, as: UTF8.self) }
            isFinished = finishing
        }
        let names = text.components(separatedBy: "\n").filter { $0.hasPrefix("event: ") }
        #expect(names.first == "event: progress" && names.last == "event: done", "\(text)")
        #expect(text.contains("\"total\":\(fixture.backup.count)") && text.contains("\"sound\":true"))
    }

    @Test("is for administrators alone, and not for stores without files")
    func access() throws {
        let guarded = try GuardedGateway([Role(name: "reader", others: ClassRule(read: "TRUEPREDICATE"))])
        func status(_ headers: HeaderFields) throws -> Int {
            var headers = headers
            headers.add("Content-Type", "application/octet-stream")
            return try guarded.gateway.send(.post, "/v1/backup/check", file: "x", headers: headers).status
        }
        #expect(try status([:]) == 401)
        #expect(try status(["X-API-Key": try guarded.secret("reader")]) == 403)
        // The store of these tests is in memory.
        #expect(try status(try guarded.bearer("admin")) >= 400)
    }
}
