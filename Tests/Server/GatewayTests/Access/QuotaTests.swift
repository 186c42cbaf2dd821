import FairScheduling
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import OperationEndpoints
import RequestHandling
import Synchronization
import Testing
import WriteRequests

@testable import Gateway

@Suite("quotas of callers")
struct QuotaTests {
    /// Returns a client's address by its last byte.
    private static func client(_ address: String) -> RemoteAddress {
        .v4(0x0A00_0000 + (address.split(separator: ".").last.flatMap { UInt32($0) } ?? 0), port: 1)
    }

    private func make(_ gateway: TestGateway, _ address: String) throws -> Response {
        try gateway.router.answer(
            Request(
                .post, "/v1/snapshots", remoteAddress: Self.client(address)))
    }

    @Test("one caller's snapshots leave room for the others'")
    func snapshots() throws {
        let gateway = try TestGateway {
            $0.snapshotsPerCaller = 3
            $0.maximumSnapshots = 10
        }
        for _ in 0..<3 { #expect(try make(gateway, "10.0.0.1").status == 201) }
        let refused = try make(gateway, "10.0.0.1")
        #expect(refused.status == 429 && refused.member("code") == "snapshot.limited")
        #expect(refused.headers["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
        #expect(refused.text.contains("snapshot.perCaller"))
        #expect(try make(gateway, "10.0.0.2").status == 201)
        var configuration = gateway.gateway.configuration
        configuration.snapshotsPerCaller = nil
        gateway.gateway.update(configuration)
        #expect(try make(gateway, "10.0.0.1").status == 201)
        #expect(gateway.gateway.operations.metrics.contains(#"realmgate_limited_total{limit="caller_snapshots"} 1"#))
    }

    @Test("one caller's subscription sets leave room for the others'")
    func sets() throws {
        let gateway = try TestGateway { $0.subscriptionSetsPerCaller = 2 }
        func subscribe(_ set: String, _ address: String) throws -> Response {
            try gateway.router.answer(
                Request(
                    .put, "/v1/subscriptions/\(set)/a", headers: ["Content-Type": "application/json"],
                    body: Array(#"{"class":"Dog","waitForSync":"never"}"#.utf8),
                    remoteAddress: Self.client(address)))
        }
        for set in ["a", "b", "a"] { #expect(try subscribe(set, "10.0.0.1").status < 300) }
        let refused = try subscribe("c", "10.0.0.1")
        #expect(refused.status == 429 && refused.member("code") == "subscription.sets_limited")
        #expect(try subscribe("c", "10.0.0.2").status == 201)
    }

    @Test("of a large answer only what it is made from is kept, and it is made again")
    func largeAnswers() throws {
        let gateway = try TestGateway(
            schema: #"""
                {"schemaVersion":1,"classes":[{"name":"Page","primaryKey":"id","properties":[
                  {"name":"id","type":"int"},{"name":"n","type":"int"},{"name":"text","type":"string"}]}]}
                """#)
        let text = String(repeating: "lorem ipsum ", count: 20_000)
        let headers: HeaderFields = ["Idempotency-Key": "first"]
        func send(_ method: HTTPMethod, _ target: String, _ body: String, _ key: String) throws -> Response {
            try gateway.send(method, target, body, headers: ["Idempotency-Key": key])
        }
        let body = #"{"id":1,"n":0,"text":"\#(text)"}"#
        let made = try gateway.send(.post, "/v1/objects/Page", body, headers: headers)
        let again = try gateway.send(.post, "/v1/objects/Page", body, headers: headers)
        #expect(made.status == 201 && again.status == 201 && again.text == made.text)
        #expect(again.headers["ETag"] == made.headers["ETag"] && again.headers["Location"] == made.headers["Location"])
        #expect(again.headers["Idempotency-Replayed"] == "true")
        for number in 0..<50 {
            #expect(try send(.patch, "/v1/objects/Page/1", #"{"n":\#(number)}"#, "k\(number)").status == 200)
        }
        let used = gateway.gateway.context.repetitions.bytes(of: RequestPace.ownCaller)
        #expect(used > 0 && used < 51 * 1000, "\(used)")
        // The response shows later writes, without the tag of the first response.
        let late = try send(.patch, "/v1/objects/Page/1", #"{"n":3}"#, "k3")
        #expect(late.status == 200 && late.member("n") == 49 && late.headers["ETag"] == nil)
        #expect(late.headers["Idempotency-Replayed"] == "true")
        let last = try send(.patch, "/v1/objects/Page/1", #"{"n":49}"#, "k49")
        #expect(last.member("n") == 49 && last.headers["ETag"] != nil)
        // Many objects, as an array and in a transaction.
        let two = #"[{"id":2,"text":"\#(text)"},{"id":3,"n":1,"text":"\#(text)"}]"#
        let array = try send(.post, "/v1/objects/Page", two, "array")
        #expect(try send(.post, "/v1/objects/Page", two, "array").text == array.text)
        let operations =
            #"{"operations":[{"op":"create","class":"Page","value":{"id":4,"text":"\#(text)"}},{"op":"create","class":"Page","value":{"id":5}}]}"#
        let transaction = try send(.post, "/v1/transactions?include=objects", operations, "transaction")
        #expect(transaction.status == 200, "\(transaction.text.prefix(300))")
        #expect(try send(.post, "/v1/transactions?include=objects", operations, "transaction").text == transaction.text)
        // Deleted objects are null; the write is still reported as done.
        #expect(try gateway.send(.delete, "/v1/objects/Page/2").status == 204)
        let gone = try send(.post, "/v1/objects/Page", two, "array")
        #expect(gone.status == 201 && gone.member("items")?[0] == .null && gone.member("items")?[1]?["id"] == 3)
        #expect(gateway.gateway.context.repetitions.bytes(of: RequestPace.ownCaller) < 60_000)
    }

    @Test("what is kept for one caller's keys is bounded; what was done already is answered all the same")
    func idempotencyBytes() throws {
        let time = Atomic<Int64>(1_000)
        let gateway = try TestGateway {
            $0.clock = { Timestamp(seconds: time.load(ordering: .relaxed)) }
            $0.idempotencyLifetime = 100
            $0.idempotencyBytesPerCaller = 3_000
        }
        func send(_ number: Int) throws -> Response {
            try gateway.send(
                .post, "/v1/objects/Dog", #"{"_id":\#(number)}"#, headers: ["Idempotency-Key": "k\(number)"])
        }
        var done = 0
        while done < 100, try send(done).status == 201 { done += 1 }
        #expect(done > 2 && done < 20, "\(done)")
        let refused = try send(done)
        #expect(refused.status == 429 && refused.member("code") == "idempotency.limited")
        #expect(refused.headers["Retry-After"] != nil)
        #expect(try gateway.get("/v1/objects/Dog/\(done)").status == 404)
        #expect(try send(0).headers["Idempotency-Replayed"] == "true")
        #expect(try gateway.send(.post, "/v1/objects/Dog", #"{"_id":777}"#).status == 201)
        time.store(1_102, ordering: .relaxed)
        #expect(try send(done).status == 201)
    }

    @Test("one caller's transfers leave room for the others'")
    func transfers() throws {
        let gateway = try TestGateway { $0.transfersPerCaller = 2 }
        try gateway.fill()
        func export(_ address: String) throws -> Response {
            try gateway.router.answer(
                Request(.get, "/v1/export/Dog", remoteAddress: Self.client(address)))
        }
        do {
            let open = try [export("10.0.0.1"), export("10.0.0.1")]
            #expect(open.allSatisfy { $0.status == 200 })
            let refused = try export("10.0.0.1")
            #expect(refused.status == 429 && refused.member("code") == "transfers.limited")
            #expect(try export("10.0.0.2").status == 200)
            withExtendedLifetime(open) {}
        }
        // The quota is released with the body.
        let whole = try export("10.0.0.1")
        #expect(whole.status == 200 && whole.text.split(separator: "\n").count == 4)
    }
}
