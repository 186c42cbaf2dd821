import EmbeddedStore
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing

/// A client that does not know what became of a write may send it again to any gateway.
@Suite("Writes sent again to another gateway")
struct SharedRepetitionTests {
    private static let writes: [(method: HTTPMethod, target: String, body: String?)] = [
        (.post, "/v1/objects/Dog", #"{"_id":50,"name":"Ada","age":3}"#),
        (.patch, "/v1/objects/Dog/50", #"{"age":4}"#),
        (
            .post, "/v1/transactions",
            #"{"operations":[{"op":"create","class":"Person","value":{"handle":"eve"},"as":"p"},{"op":"require","object":{"ref":"p"}}]}"#
        ),
        (.delete, "/v1/objects/Dog/50", nil),
    ]

    @Test("a repeated key gets its first answer at every gateway, also at one that began from an image or from the log")
    func everywhere() throws {
        let home = try SharedGateways()
        var answers: [(first: WireResponse, key: String)] = []
        for (number, write) in Self.writes.enumerated() {
            let key = "key-\(number)"
            let (here, there) = (home.sides[number % 2], home.sides[1 - number % 2])
            let first = try here.wire.send(
                write.method, write.target, write.body, headers: ["Idempotency-Key": key])
            #expect(first.status < 300 && first.headers["Idempotency-Replayed"] == nil, "\(first)")
            answers.append((first, key))
            // At once: the other gateway learns of the key with the version that it is in.
            try expect(there, write, key, first)
        }
        // Another write under a key is refused there too.
        let other = try home.far.wire.send(
            .post, "/v1/objects/Dog", #"{"_id":51}"#, headers: ["Idempotency-Key": "key-0"])
        #expect(other.status == 422 && other.code == "idempotency.mismatch", "\(other)")

        let fromLog = try home.add("log")
        #expect(
            try home.near.store.makeImage(by: [UInt8](repeating: 1, count: 16), copy: home.directory.path + "/copy")
                != nil)
        let fromImage = try home.add("image")
        try home.settle()
        let newest = try home.near.store.snapshot().version
        for (answer, write) in zip(answers, Self.writes) {
            for side in [fromLog, fromImage] { try expect(side, write, answer.key, answer.first) }
        }
        try home.settle()
        #expect(try home.near.store.snapshot().version == newest)
    }

    private func expect(
        _ side: SharedGateways.Side, _ write: (method: HTTPMethod, target: String, body: String?), _ key: String,
        _ first: WireResponse
    ) throws {
        let again = try side.wire.send(write.method, write.target, write.body, headers: ["Idempotency-Key": key])
        #expect(again.status == first.status && again.text == first.text, "\(key): \(again)")
        #expect(again.headers["Idempotency-Replayed"] == "true", "\(key)")
        #expect(again.headers["ETag"] == first.headers["ETag"], "\(key)")
    }

    @Test(
        "a write with an unknown outcome that is sent again to the other gateway is done once",
        arguments: [LogFaults.Fault.unknown, .unknownDone])
    func unknown(fault: LogFaults.Fault) throws {
        let home = try SharedGateways()
        for number in 0..<10 {
            let key = "key-\(number)"
            let body = #"{"_id":\#(100 + number)}"#
            // An append after a place that is not the newest one is not done, whatever becomes of its answer.
            try home.settle()
            home.near.faults.plan(.append, fault)
            let lost = try home.near.wire.send(.post, "/v1/objects/Dog", body, headers: ["Idempotency-Key": key])
            #expect(lost.status == 503 && lost.code == "store.outcome_unknown", "\(lost)")
            let again = try home.far.wire.send(.post, "/v1/objects/Dog", body, headers: ["Idempotency-Key": key])
            #expect(again.status == 201, "\(again)")
            #expect((again.headers["Idempotency-Replayed"] == "true") == (fault == .unknownDone), "\(again)")
        }
        try home.settle()
        for side in home.sides {
            #expect(try side.wire.get("/v1/objects/Dog?filter=_id%20%3E%3D%20100&count=true")["count"] == 10)
        }
    }
}
