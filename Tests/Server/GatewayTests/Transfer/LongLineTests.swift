import Dispatch
import FairScheduling
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import StoreTesting
import Synchronization
import TestBasics
import Testing
import TransferEndpoints

@testable import Gateway

/// Lines of imported files whose values take much memory.
@Suite("Long lines of files")
struct LongLineTests {
    private static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Row","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"list","type":"int[]"}]}]}
        """#

    /// Longer than a line that is not counted.
    private static func line(_ id: Int, _ count: Int = 150_000) -> String {
        #"{"id":\#(id),"list":[\#(Array(repeating: "7", count: count).joined(separator: ","))]}"#
    }

    @Test("they wait for memory, also for that of bodies, and files are imported at the same time, as a whole or not")
    func waiting() throws {
        // Enough for two of the lines.
        let gateway = try TestGateway(schema: Self.schema) { $0.eventMemory = 8 << 20 }
        let created = Mutex<[JSONValue?]>([])
        let most = Atomic(0)
        let (router, service) = (gateway.router, gateway.gateway)
        DispatchQueue.concurrentPerform(iterations: 6) { number in
            let first = number * 10
            if number >= 4 {
                // A body that has memory while it waits for the writer.
                let answer = try? router.answer(
                    try Request(
                        .post, "/v1/objects/Row", headers: ["Content-Type": "application/json"],
                        body: Array(Self.line(first).utf8)))
                return created.withLock { $0.append(answer?.status == 201 ? 3 : nil) }
            }
            let file = [Self.line(first), #"{"id":\#(first + 1)}"#, Self.line(first + 2)].joined(separator: "\n")
            var request = try? Request(
                .post, "/v1/import/Row?atomic=\(number == 3)", headers: ["Content-Type": "application/x-ndjson"])
            request?.bodyFile = try? BodyFile(file)
            let answer = request.flatMap { try? router.answer($0) }
            most.max(service.context.values.bytes, ordering: .relaxed)
            created.withLock { $0.append(answer?.member("created")) }
        }
        #expect(created.withLock { $0 } == Array(repeating: 3, count: 6))
        // That of one line more, which the import as a whole took without waiting.
        #expect(most.load(ordering: .relaxed) <= 13 << 20)
        #expect(eventually { service.context.values.bytes == 0 && service.transfers.lineAdmission.bytes == 0 })
        #expect(try gateway.get("/v1/objects/Row?count=true&limit=0").member("count") == 14)
        #expect(try gateway.get("/v1/aggregates/objects/Row?sum=list.@sum").status < 500)
        #expect(try gateway.get("/v1/objects/Row/32/list?limit=0&count=true").member("count") == 150_000)
    }

    @Test("one with too many values for the memory is rejected with its number, and the others are imported")
    func tooHeavy() throws {
        let gateway = try TestGateway(schema: Self.schema) { $0.eventMemory = 8 << 20 }
        let file = [#"{"id":1}"#, Self.line(2, 600_000), Self.line(3)].joined(separator: "\n")
        let answer = try gateway.send(
            .post, "/v1/import/Row", file: file, headers: ["Content-Type": "application/x-ndjson"])
        #expect(answer.member("created") == 2 && answer.member("refused") == 1, "\(answer.text)")
        guard case .array(let errors)? = answer.member("errors") else {
            Issue.record("no errors: \(answer.text)")
            return
        }
        #expect(errors.map { $0["line"] } == [2])
        #expect(errors.map { $0["code"] } == ["json.too_large"])
        let whole = try gateway.send(
            .post, "/v1/import/Row?atomic=true&update=modified", file: file,
            headers: ["Content-Type": "application/x-ndjson"])
        #expect(whole.text.contains("json.too_large"), "\(whole.text)")
        #expect(
            eventually {
                gateway.gateway.context.values.bytes == 0 && gateway.gateway.transfers.lineAdmission.bytes == 0
            })
    }
}
