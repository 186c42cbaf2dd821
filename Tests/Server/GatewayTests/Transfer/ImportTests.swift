import AccessRules
import Compression
import Dispatch
import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import StoreContract
import StoreTesting
import Synchronization
import Testing
import Transfer
import TransferEndpoints

@testable import Gateway

@Suite("importing files")
struct ImportTests {
    private func post(
        _ gateway: TestGateway, _ target: String, _ file: String, type: String? = "application/x-ndjson"
    ) throws -> Response {
        try gateway.send(.post, target, file: file, headers: type.map { ["Content-Type": $0] } ?? [:])
    }

    @Test("lines that fit are created, the others are told with their line, code and reason")
    func faults() throws {
        let gateway = try TestGateway()
        let answer = try post(
            gateway, "/v1/import/Dog",
            """
            {"_id": 1, "name": "Rex"}
            {"_id": 2, "age": "old"}

            nonsense
            {"_id": 1}
            {"_id": 3, "owner": "nobody"}
            {"_id": 4, "friend": 5}
            {"_id": 5}
            """)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.member("created") == 3)
        #expect(answer.member("modified") == 0)
        #expect(answer.member("refused") == 4)
        guard case .array(let errors)? = answer.member("errors") else {
            Issue.record("no errors: \(answer.text)")
            return
        }
        #expect(errors.map { $0["line"] } == [2, 4, 5, 6])
        #expect(
            errors.map { $0["code"] } == [
                "object.invalid_value", "import.malformed", "object.duplicate_key", "object.invalid_value",
            ])
        #expect(try gateway.get("/v1/objects/Dog?fields=_id&count").member("count") == 3)
        #expect(try gateway.get("/v1/objects/Dog/4?fields=friend").text == #"{"friend":5}"#)
        #expect(answer.member("version") == .int(Int64(try gateway.store.snapshot().version.rawValue)))
    }

    @Test(
        "lines that the caller's role forbids are rejected one by one, and the others of their transaction are imported",
        arguments: [[2], [1, 5, 9], Array(1...9), Array(3...7)])
    func forbiddenLines(forbidden: [Int]) throws {
        let keeper = Role(
            name: "keeper", classes: ["Dog": ClassRule(read: "TRUEPREDICATE", create: "age < 10")])
        let guarded = try GuardedGateway([keeper])
        let lines = (1...9).map { #"{"_id": \#($0), "age": \#(forbidden.contains($0) ? 10 : 9)}"# }
        var headers = try guarded.bearer("keeper")
        headers["Content-Type"] = "application/x-ndjson"
        let answer = try guarded.gateway.send(
            .post, "/v1/import/Dog", file: lines.joined(separator: "\n"), headers: headers)
        #expect(answer.status == 200, "\(answer.text)")
        guard case .array(let errors)? = answer.member("errors") else {
            Issue.record("no errors: \(answer.text)")
            return
        }
        #expect(errors.map { $0["line"] } == forbidden.map { .int(Int64($0)) })
        #expect(errors.allSatisfy { $0["code"] == "access.denied" })
        let snapshot = try guarded.gateway.store.snapshot()
        let dog = try #require(snapshot.schema["Dog"])
        for number in 1...9 {
            let isIn = try snapshot.key(of: dog.id, primaryKey: .int(Int64(number))) != nil
            #expect(isIn == !forbidden.contains(number), "line \(number)")
        }
    }

    @Test(
        "as a whole, one line that does not fit keeps everything out", arguments: ["application/x-ndjson", "text/csv"])
    func atomic(type: String) throws {
        let gateway = try TestGateway()
        let isCSV = type == "text/csv"
        let faulty = isCSV ? "_id,age\n1,2\n2,old\n" : "{\"_id\": 1, \"age\": 2}\n{\"_id\": 2, \"age\": \"old\"}\n"
        let refused = try post(gateway, "/v1/import/Dog?atomic", faulty, type: type)
        #expect(refused.status == 422)
        #expect(refused.member("code") == "import.refused")
        #expect(refused.member("errors")?[0]?["line"] == (isCSV ? 3 : 2))
        #expect(try gateway.get("/v1/objects/Dog?count").member("count") == 0)
        let fitting = isCSV ? "_id,age\n1,2\n2,\n" : "{\"_id\": 1, \"age\": 2}\n{\"_id\": 2}\n"
        let done = try post(gateway, "/v1/import/Dog?atomic=true", fitting, type: type)
        #expect(done.status == 200)
        #expect(done.member("created") == 2)
        #expect(try gateway.get("/v1/objects/Dog?count").member("count") == 2)
    }

    @Test("a file that is too large for one transaction is refused, and nothing of it imported")
    func tooLarge() throws {
        let file = (0..<100).map { "{\"_id\": \($0)}\n" }.joined()
        let gateway = try TestGateway { $0.atomicImportLimit = file.utf8.count - 1 }
        let refused = try post(gateway, "/v1/import/Dog?atomic", file)
        #expect(refused.status == 413)
        #expect(refused.member("code") == "import.too_large")
        #expect(try gateway.get("/v1/objects/Dog?count").member("count") == 0)
        #expect(try post(gateway, "/v1/import/Dog", file).member("created") == 100)
        let fitting = try TestGateway { $0.atomicImportLimit = file.utf8.count }
        #expect(try post(fitting, "/v1/import/Dog?atomic", file).member("created") == 100)
    }

    @Test(
        "links to objects further down are assigned as these come, and what is too many of them is told",
        arguments: [true, false], [true, false])
    func forwardLinks(isWhole: Bool, isFar: Bool) throws {
        let gateway = try TestGateway()
        let schema = try gateway.store.snapshot().schema
        let dog = try schema.named("Dog")
        // Each links to the next, or to one so much later that too many wait.
        let count = 60
        let distance = isFar ? count / 2 : 1
        let rows = (0..<count).map {
            "{\"_id\":\($0),\"friend\":\($0 + distance < count ? "\($0 + distance)" : "null")}\n"
        }
        let importer = ObjectImporter(
            store: gateway.store, objectClass: dog, schema: schema, policy: .error, maximumWaiting: 8, batchSize: 10)
        var source = NDJSONRowSource(try ByteSource(BodyFile(Array(rows.joined().utf8))), class: dog, schema: schema)
        var outcome: ObjectImporter.Outcome
        if isWhole {
            do {
                outcome = try importer.runAsWhole(source) { _ in }
                #expect(!isFar)
            } catch let refusal as ObjectImporter.Refusal {
                #expect(isFar)
                #expect(refusal.outcome.refused > 0)
                #expect(try gateway.store.snapshot().count(of: dog.id) == 0)
                return
            }
        } else {
            outcome = try importer.run(&source) { _ in }
        }
        #expect(outcome.created == count)
        #expect(outcome.refused == 0)
        #expect((outcome.incomplete > 0) == isFar)
        let linked = try gateway.get("/v1/objects/Dog?count&limit=0&filter=friend+!=+null").member("count")
        #expect(linked == .int(Int64(count - distance - outcome.incomplete)))
        if isFar { #expect(outcome.faults.first?.message.contains("import the file once more") == true) }
    }

    @Test("objects that exist are updated when that is asked for")
    func update() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let file = "{\"_id\": 1, \"name\": \"Rexy\"}\n{\"_id\": 2, \"name\": \"Fido\"}\n{\"_id\": 9}\n"
        let answer = try post(gateway, "/v1/import/Dog?update=modified", file)
        #expect(answer.member("created") == 1)
        #expect(answer.member("modified") == 1)
        #expect(try gateway.get("/v1/objects/Dog/1?fields=name,age").text == #"{"name":"Rexy","age":7}"#)
    }

    @Test(
        "what cannot be imported is refused with what to do instead",
        arguments: [
            ("/v1/import/Cat", "application/x-ndjson", 404, "object.unknown_class"),
            ("/v1/import/Dog", "application/json", 415, "unsupported_media_type"),
            ("/v1/import/Dog?format=xml", "text/csv", 400, "parameter.invalid"),
            ("/v1/import/Dog?update=some", "text/csv", 400, "parameter.invalid"),
            ("/v1/import/Note?update=all", "text/csv", 422, "object.no_primary_key"),
            ("/v1/import/Dog?atomc", "text/csv", 400, "parameter.unknown"),
        ])
    func refusals(target: String, type: String, status: Int, code: String) throws {
        let answer = try post(try TestGateway(), target, "", type: type)
        #expect(answer.status == status)
        #expect(answer.member("code") == .string(code))
    }

    @Test("a CSV file without a usable first line is refused", arguments: ["", "_id,nme\n1,a\n", "_id,_id\n1,1\n"])
    func header(file: String) throws {
        let answer = try post(try TestGateway(), "/v1/import/Dog", file, type: "text/csv")
        #expect(answer.status == 400)
        #expect(answer.member("code") == "import.unreadable")
    }

    @Test("a compressed file is expanded as it is read", arguments: Coding.allCases)
    func compressed(coding: Coding) throws {
        // More than a block of the file in either format.
        let rows = Array(
            (0..<600).map { id in
                let name = (1..<60).map { String((id * 7919 + $0 * 104_729) * 40_503 % 999_983, radix: 36) }.joined()
                return "{\"_id\": \(id), \"name\": \"\(name)\"}\n"
            }.joined().utf8)
        let file = try rows.withUnsafeBytes { try Encoder(coding).encode($0) }
        #expect(file.count > 1 << 16)
        func answer(
            _ file: [UInt8], _ coding: String, limit: Int = 1 << 30, atomicLimit: Int? = nil
        ) throws -> (Response, count: JSONValue?) {
            let gateway = try TestGateway {
                $0.importLimit = limit
                if let atomicLimit { $0.atomicImportLimit = atomicLimit }
            }
            var request = try Request(
                .post, "/v1/import/Dog" + (atomicLimit == nil ? "" : "?atomic"),
                headers: ["Content-Type": "application/x-ndjson", "Content-Encoding": coding])
            request.bodyFile = try BodyFile(file)
            let answer = try gateway.router.answer(request)
            return (answer, try gateway.get("/v1/objects/Dog?limit=0&count").member("count"))
        }
        let (whole, count) = try answer(file, coding.rawValue)
        #expect(whole.status == 200 && whole.member("created") == 600 && count == 600, "\(whole.text)")
        let cut = try answer(file.dropLast(9), coding.rawValue).0
        #expect(cut.status == 400 && cut.member("code") == "encoding.invalid")
        let unknown = try answer(file, "br")
        #expect(unknown.0.status == 415 && unknown.0.member("code") == "encoding.unsupported" && unknown.count == 0)
        let together = try answer(file, coding.rawValue, atomicLimit: rows.count)
        #expect(together.0.status == 200 && together.count == 600)
        let large = try answer(file, coding.rawValue, atomicLimit: rows.count - 1)
        #expect(large.0.status == 413 && large.0.member("code") == "import.too_large" && large.count == 0)
        let bomb = try answer(file, coding.rawValue, limit: rows.count - 1).0
        #expect(bomb.status == 413 && bomb.member("code") == "body_too_large")
        #expect(try answer(rows, "identity").0.status == 200)
    }

    @Test("who listens hears how far the import is, and how it ended")
    func progress() throws {
        let gateway = try TestGateway()
        let rows = (0..<4500).map { "{\"_id\": \($0)}\n" }.joined()
        var request = try Request(
            .post, "/v1/import/Dog", headers: ["Content-Type": "application/x-ndjson", "Accept": "text/event-stream"])
        request.bodyFile = try BodyFile(rows)
        guard case .events(_, let start) = gateway.router.respond(to: request) else {
            Issue.record("no stream")
            return
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
        let events = text.components(separatedBy: "\n\n").filter { !$0.isEmpty }
        #expect(events.dropLast().allSatisfy { $0.hasPrefix("event: progress\ndata: {\"version\":") })
        #expect(events.count >= 4)
        #expect(events.last?.hasPrefix("event: done\n") == true)
        #expect(events.last?.contains(#""created":4500,"modified":0,"refused":0,"errors":[]"#) == true)
        #expect(events.first?.contains(#""created":2000,"#) == true)
        #expect(events.first?.contains(#""total":\#(rows.utf8.count)"#) == true)
    }
}
