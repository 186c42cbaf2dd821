import Dispatch
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import StoreTesting
import TestBasics
import Testing

@Suite("Answers to writes")
struct WriteAnswerTests {
    /// Returns the response with its body in memory. A streamed body holds nothing when it begins, so that it is not
    /// rejected for lack of memory, and a complete body is small.
    private static func send(
        _ home: WebFixture, _ method: HTTPMethod, _ target: String, _ body: String, _ headers: HeaderFields = [:]
    ) throws -> Response {
        var answer = try home.send(method, target, body, headers)
        if case .pieces(let source) = answer.body {
            #expect(source.bytesAtHand == 0)
            var bytes: [UInt8] = []
            while let piece = try source.next() { bytes += piece }
            answer.body = .bytes(bytes)
        } else {
            #expect(answer.contentLength <= 16 << 10 || answer.status >= 400, "\(method) \(target)")
        }
        return answer
    }

    private static func object(_ id: Int, _ random: inout SeededRandom) -> String {
        let size = random.oneIn(4) ? random.below(20_000) : random.below(600)
        let words = (0..<random.below(random.oneIn(6) ? 800 : 4)).map { "\"w\($0)\"" }.joined(separator: ",")
        let names = (0..<random.below(random.oneIn(6) ? 500 : 4)).map { #""k\#($0)":"v""# }.joined(separator: ",")
        let text = random.oneIn(9) ? "null" : "\"\(String(repeating: "x\u{e9}", count: size / 3))\""
        return #"{"id":\#(id),"text":\#(text),"rank":\#(random.below(5)),"words":[\#(words)],"names":{\#(names)},"#
            + #""all":[\#(random.oneIn(2) ? String(id) : "")],"extra":{"a":[\#(size)]}}"#
    }

    @Test(
        "objects come whole until an answer is long enough, then as their keys, each in its place",
        arguments: 0..<5 * TestRun.length)
    func bounds(round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let comment: Comment = "seed \(random.seed)"
        let bytes = [1024, 10_000, 30_000, 60_000, 16 << 20][round % 5]
        let home = try WebFixture { $0.answerBytes = bytes }
        for turn in 0..<3 {
            let ids = (0..<random.below(60)).map { $0 + turn * 30 }
            let inputs = ids.map { Self.object($0, &random) }
            let isTransaction = random.oneIn(2)
            let answer: Response
            if isTransaction {
                let operations = inputs.map { #"{"op":"create","class":"Web","update":"modified","value":\#($0)}"# }
                answer = try Self.send(
                    home, .post, "/v1/transactions?include=objects",
                    "{\"operations\":[\(operations.joined(separator: ","))]}")
            } else {
                answer = try Self.send(
                    home, .post, "/v1/objects/Web?update=modified", "[\(inputs.joined(separator: ","))]")
            }
            #expect(answer.status < 300, "\(answer.text.prefix(300)) \(comment)")
            let body = try answer.json
            let results = body[isTransaction ? "results" : "items"]?.asArray ?? []
            #expect(results.count == ids.count, comment)
            var whole = 0
            var short = 0
            var lastSize = 0
            for (id, result) in zip(ids, results) {
                let found = isTransaction ? result["object"] : result
                if isTransaction { #expect(result["key"] == .int(Int64(id)), comment) }
                if found == (try JSONValue.parse(Array("{\"id\":\(id)}".utf8))) {
                    short += 1
                    continue
                }
                #expect(short == 0, "a whole object behind one that was left out \(comment)")
                whole += 1
                let read = try home.send(.get, "/v1/objects/Web/\(id)")
                let text = read.bodyBytes
                lastSize = text.count
                #expect(found == (try JSONValue.parse(text)), comment)
            }
            #expect(body["shortened"] == (short == 0 ? nil : .int(Int64(short))), comment)
            #expect(ids.isEmpty || whole > 0, comment)
            #expect(answer.contentLength <= max(bytes, 16 << 10) + lastSize + 120 * ids.count + 200, comment)
        }
    }

    @Test("one object comes whole, with the tag that a read of it has")
    func single() throws {
        let home = try WebFixture { $0.answerBytes = 1024 }
        let text = String(repeating: "y", count: 300_000)
        let names = (0..<3_000).map { #""k\#($0)":"\#($0)""# }.joined(separator: ",")
        for (id, body) in [#"{"id":1,"text":"\#(text)"}"#, #"{"id":2,"names":{\#(names)}}"#, #"{"id":3}"#].enumerated()
        {
            let made = try Self.send(home, .post, "/v1/objects/Web", body)
            #expect(made.status == 201 && made.headers["Location"] == "/v1/objects/Web/\(id + 1)")
            let put = try Self.send(home, .put, "/v1/objects/Web/\(id + 1)", body)
            let patched = try Self.send(home, .patch, "/v1/objects/Web/\(id + 1)", #"{"rank":4}"#)
            let read = try home.send(.get, "/v1/objects/Web/\(id + 1)")
            #expect(put.status == 200 && patched.status == 200)
            #expect(patched.headers["ETag"] == read.headers["ETag"] && patched.headers["ETag"] != nil)
            #expect(put.headers["ETag"] != patched.headers["ETag"] && put.headers["ETag"] != nil)
            #expect(patched.headers["Realmgate-Mark"] == read.headers["Realmgate-Mark"])
            #expect(patched.bodyBytes == read.bodyBytes)
            let typed = try Self.send(home, .patch, "/v1/objects/Web/\(id + 1)?types=typed", #"{"rank":4}"#)
            #expect(typed.headers["ETag"] == read.headers["ETag"])
            let edited = try Self.send(
                home, .put, "/v1/objects/Web/\(id + 1)/rank", "5", ["If-Match": read.headers["ETag"] ?? ""])
            let after = try home.send(.get, "/v1/objects/Web/\(id + 1)")
            #expect(edited.status == 200 && edited.headers["ETag"] == after.headers["ETag"])
            #expect(edited.member("modified") == .int(1))
        }
    }

    @Test("writes that share a commit are each answered with what they left")
    func groups() throws {
        let home = try WebFixture()
        let text = String(repeating: "z", count: 50_000)
        #expect(try home.send(.post, "/v1/objects/Web", #"{"id":1,"text":"\#(text)"}"#).status == 201)
        let wrong = Recorded<String>()
        let router = home.router
        DispatchQueue.concurrentPerform(iterations: 30) { number in
            do {
                let request = try Request(
                    .patch, "/v1/objects/Web/1", headers: ["Content-Type": "application/json"],
                    body: Array(#"{"rank":\#(number)}"#.utf8))
                let answer = try router.answer(request)
                let json = try JSONValue.parse(answer.bodyBytes)
                if json["rank"] != .int(Int64(number)) { wrong.add("\(number): \(json["rank"] ?? .null)") }
                if answer.headers["ETag"] == nil { wrong.add("\(number): no tag") }
            } catch {
                wrong.add("\(error)")
            }
        }
        #expect(wrong.takeAll() == [])
    }

    @Test("a transaction tells its objects as it leaves them, however long the answer is", arguments: [10, 40_000])
    func transactions(size: Int) throws {
        let home = try WebFixture()
        let text = String(repeating: "a", count: size)
        let answer = try Self.send(
            home, .post, "/v1/transactions?include=objects",
            #"""
            {"operations":[{"op":"create","class":"Web","value":{"id":1,"text":"\#(text)"},"as":"a"},
             {"op":"create","class":"Web","value":{"id":2,"text":"\#(text)","rank":1}},
             {"op":"set","object":{"ref":"a"},"value":{"rank":7}},
             {"op":"delete","object":{"class":"Web","key":2}}]}
            """#)
        #expect(answer.status == 200, "\(answer.text.prefix(300))")
        let results = try answer.json["results"]?.asArray ?? []
        #expect(results.count == 4)
        #expect(results[0]["object"]?["rank"] == .int(7) && results[2]["object"]?["rank"] == .int(7))
        #expect(results[1]["object"] == .null && results[1]["key"] == .int(2) && results[3]["deleted"] == .int(1))
    }

    @Test("an answer under a key that is sent again is bounded, too, and is made again outside of the writer's turn")
    func again() throws {
        let home = try WebFixture { $0.answerBytes = 100_000 }
        let text = String(repeating: "b", count: 30_000)
        let body = "[" + (0..<10).map { #"{"id":\#($0),"text":"\#(text)"}"# }.joined(separator: ",") + "]"
        let first = try Self.send(home, .post, "/v1/objects/Web", body, ["Idempotency-Key": "one"])
        #expect(first.status == 201 && first.member("shortened") == .int(6))
        let again = try Self.send(home, .post, "/v1/objects/Web", body, ["Idempotency-Key": "one"])
        #expect(again.status == 201 && again.text == first.text && again.headers["Idempotency-Replayed"] == "true")
        #expect(try home.send(.delete, "/v1/objects/Web/1").status == 204)
        let gone = try Self.send(home, .post, "/v1/objects/Web", body, ["Idempotency-Key": "one"])
        #expect(gone.member("items")?[1] == .null && gone.member("items")?[0]?["id"] == .int(0))
        #expect(gone.member("items")?.asArray?.count == 10)
    }
}
