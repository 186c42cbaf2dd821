import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import Promises
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import WriteRequests

@Suite("Repeated requests")
struct RepeatedRequestTests {
    private let store: ModelStore
    private let time = Timestamp(seconds: 1000)

    init() throws {
        store = try ModelStore(
            Schema(
                version: 1,
                classes: [
                    ClassSchema("Dog", primaryKey: "id", properties: [PropertySchema("id", PropertyType(.int))])
                ]))
    }

    private func request(_ key: String, _ body: String, target: String = "/v1/objects/Dog") throws -> IdempotentRequest
    {
        let request = try Request(
            .post, target, headers: ["Idempotency-Key": key, "Content-Type": "application/json"],
            body: Array(body.utf8))
        return try #require(try IdempotentRequest(request, of: ["key:1", ""]))
    }

    /// Does the work in a transaction, and returns what it throws.
    private func write(_ work: @escaping @Sendable (any WriteTransaction) throws -> Void) -> (any Error)? {
        let done = Promise<(any Error)?>()
        store.submit(work) { outcome in
            if case .failure(let error) = outcome { done.set(error) } else { done.set(nil) }
        }
        return done.wait()
    }

    @Test("a repeated request gets the first answer, another one with the same key is refused")
    func repetition() throws {
        let (first, same) = (try request("k", "{}"), try request("k", "{}"))
        let others = [try request("k", "[]"), try request("k", "{}", target: "/v1/objects/Cat")]
        let time = time
        let answer = WriteResponse(.json(Array(#"{"version":2}"#.utf8), status: 201))
        let error = write { transaction in
            try first.checkNew(in: transaction, at: time)
            _ = try first.keep(
                StoredResponse(answer, nil, verbatim: 1 << 10), in: transaction, from: time, for: 60)
        }
        #expect(error == nil)
        let replay = try #require(write { try same.checkNew(in: $0, at: time) } as? IdempotentRequest.Replay)
        #expect(replay.response.status == 201)
        #expect(String(decoding: replay.response.text, as: UTF8.self) == #"{"version":2}"#)
        #expect(replay.response.headers["Idempotency-Replayed"] == "true")
        for other in others {
            let problem = write { try other.checkNew(in: $0, at: time) } as? Problem
            #expect(problem?.code == Problem.Code.idempotencyMismatch.rawValue)
        }
        #expect(write { try same.checkNew(in: $0, at: Timestamp(seconds: 1061)) } == nil, "it is kept for 60 s")
    }

    @Test("an answer is read back from its record, and a record that was cut is not read as another answer")
    func records() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        for _ in 0..<200 {
            let text = ResponseText()
            text.json.beginArray()
            for _ in 0..<random.below(4) {
                text.objects(
                    (0...random.below(3)).map { ObjectKey(Int64($0)) }, of: ClassID(rawValue: UInt32(random.below(9))))
                text.json.int(random.below(1000))
            }
            text.json.endArray()
            let tagged = random.oneIn(2) ? ObjectReference(ClassID(rawValue: 1), ObjectKey(7)) : nil
            let answer = WriteResponse(status: 200 + random.below(2), text, tagged: tagged)
            let bytes = StoredResponse(answer, nil, verbatim: 0).bytes
            let read = try #require(StoredResponse(bytes[...]), "seed \(seed)").response
            #expect(read.status == answer.status && read.text == answer.text, "seed \(seed)")
            #expect(read.tagged == tagged && read.rows.map(\.keys) == answer.rows.map(\.keys), "seed \(seed)")
            #expect(read.rows.map(\.offset) == answer.rows.map(\.offset), "seed \(seed)")
            let head = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
            #expect(StoredResponse(bytes[..<random.below(head)]) == nil, "seed \(seed)")
        }
    }

    @Test("the bytes of kept answers are counted per caller until they expire")
    func account() throws {
        let kept = Repetitions()
        let (one, other) = (LimitKey.caller("1"), LimitKey.caller("2"))
        kept.add(900, of: one, at: time, for: 100)
        try kept.check(one, most: 1000, at: time)
        kept.add(100, of: one, at: time, for: 100)
        #expect(throws: Problem.self) { try kept.check(one, most: 1000, at: time) }
        try kept.check(other, most: 1000, at: time)
        try kept.check(one, most: nil, at: time)
        try kept.check(one, most: 1000, at: Timestamp(seconds: 1102))
        #expect(kept.bytes(of: one) == 0)
    }
}

@Suite("Entity tags")
struct EntityTagTests {
    private func tags(_ header: String) throws -> EntityTags? {
        try EntityTags(try Request(.get, "/", headers: ["If-Match": header]), "If-Match")
    }

    @Test("lists are read as RFC 9110 writes them, and anything else is refused")
    func lists() throws {
        for (header, expected) in [
            (#""a""#, ["a"]), (#"W/"a", "b""#, ["a", "b"]), (#" , "a" ,, "b" ,"#, ["a", "b"]), (#""a,b""#, ["a,b"]),
            (#""""#, [""]),
        ] {
            #expect(try tags(header) == .some(expected), "\(header)")
        }
        #expect(try tags("*") == .any)
        for header in ["a", #""a"#, #""a" "b""#, #"w/"a""#, "*, \"a\""] {
            #expect(throws: Problem.self, "\(header)") { try tags(header) }
        }
    }

    @Test("the fingerprint of the same bytes depends on the seed, and has sixteen digits")
    func fingerprint() {
        let bytes = Array("row".utf8)
        let made = [UInt32(0), 1, 2].map { seed in
            bytes.withUnsafeBufferPointer { Fingerprint.text(of: $0, seed: seed) }
        }
        #expect(Set(made).count == 3 && made.allSatisfy { $0.utf8.count == 16 })
        #expect(Fingerprint.text(0xAB) == "00000000000000ab")
    }
}
