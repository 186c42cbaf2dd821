import FairScheduling
import Foundation
import HTTPServer
import HTTPTesting
import JSONCoding
import Synchronization
import TestBasics
import Testing

@testable import Gateway

/// Bodies that are parsed in pieces, and wait for memory.
@Suite("Long bodies")
struct LongBodyTests {
    @Test("long lists and many objects are stored as short ones are, with each way to write an object")
    func lists() throws {
        let home = try WebFixture()
        let words = (0..<30_000).map { "\"w\($0)\"" }
        let mixed = (0..<30_000).map { ["\($0)", "\($0).25", "null", "true", "\"t\($0)\""][$0 % 5] }
        func expect(_ id: Int, _ words: [String]) throws {
            let read = try JSONValue.parse(try home.send(.get, "/v1/objects/Web/\(id)").bodyBytes)
            #expect(read["words"] == (try JSONValue.parse("[\(words.joined(separator: ","))]")))
            #expect(read["extra"] == (try JSONValue.parse("[\(mixed.joined(separator: ","))]")))
        }
        let content = #""words":[\#(words.joined(separator: ","))],"extra":[\#(mixed.joined(separator: ","))]"#
        #expect(try home.send(.post, "/v1/objects/Web", #"{"id":1,\#(content)}"#).status == 201)
        try expect(1, words)
        #expect(try home.send(.patch, "/v1/objects/Web/1", "{\(content)}").status == 200)
        #expect(try home.send(.put, "/v1/objects/Web/2", "{\(content)}").status == 201)
        try expect(2, words)
        // Objects whose lists are long, in a long list of objects.
        let rows = (10..<14).map { #"{"id":\#($0),\#(content)}"# } + (100..<5_000).map { #"{"id":\#($0),"rank":7}"# }
        let answer = try home.send(.post, "/v1/objects/Web", "[\(rows.joined(separator: ","))]")
        #expect(answer.status == 201, "\(answer.text.prefix(300))")
        try expect(13, words)
        #expect(try home.send(.get, "/v1/objects/Web/4999").text.contains(#""rank":7"#))
        // Links by their keys.
        let all = (100..<5_000).map(String.init) + (0..<20_000).map { "\(100 + $0 % 4_900)" }
        #expect(try home.send(.patch, "/v1/objects/Web/1", #"{"all":[\#(all.joined(separator: ","))]}"#).status == 200)
        let read = try JSONValue.parse(try home.send(.get, "/v1/objects/Web/1?fields=all").bodyBytes)
        #expect(read["all"] == (try JSONValue.parse("[\(all.joined(separator: ","))]")))
    }

    @Test("a value of a long list that does not fit is named by its place, and a fault of the text by its position")
    func faults() throws {
        let home = try WebFixture()
        func send(_ body: String) throws -> JSONValue {
            try JSONValue.parse(try home.send(.post, "/v1/objects/Web", body).bodyBytes)
        }
        var words = (0..<30_000).map { "\"w\($0)\"" }
        words[23_456] = "5"
        let wrong = try send(#"{"id":1,"words":[\#(words.joined(separator: ","))]}"#)
        #expect(wrong["path"] == .string("$.words[23456]"), "\(wrong)")
        var rows = (0..<5_000).map { #"{"id":\#($0),"rank":7}"# }
        rows[3_333] = #"{"id":3333,"rank":"seven"}"#
        let row = try send("[\(rows.joined(separator: ","))]")
        #expect(row["path"] == .string("$[3333].rank"), "\(row)")
        let numbers = try send("[\((0..<30_000).map(String.init).joined(separator: ","))]")
        #expect(numbers["path"] == .string("$[0]"), "\(numbers)")
        rows[3_333] = #"{"id":3333,,"rank":7}"#
        let malformed = try send("[\(rows.joined(separator: ",\n"))]")
        #expect(malformed["code"] == .string("json.syntax"))
        #expect("\(malformed["detail"] ?? .null)".contains("line 3334"), "\(malformed)")
        #expect(try home.send(.get, "/v1/objects/Web?count=true&limit=0").text.contains(#""count":0"#))
    }

    @Test("a body with too many values for the memory is refused; others wait for each other, and all are answered")
    func memory() throws {
        let home = try WebFixture { $0.eventMemory = 4 << 20 }
        let lists = Array(repeating: "[1]", count: 60_000).joined(separator: ",")
        let refused = try home.send(.post, "/v1/objects/Web", #"{"id":1,"extra":[\#(lists)]}"#)
        #expect(refused.status == 413 && refused.text.contains("json.too_large"), "\(refused.text)")
        let most = Atomic(0)
        let statuses = Mutex<[Int]>([])
        let words = (0..<40_000).map { "\"\($0)\"" }.joined(separator: ",")
        let (router, gateway) = (home.router, home.gateway)
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let body = #"{"id":\#(100 + number),"words":[\#(words)]}"#
            let answer = try? router.answer(
                try Request(
                    .post, "/v1/objects/Web", headers: ["Content-Type": "application/json"], body: Array(body.utf8)))
            most.max(gateway.values.bytes, ordering: .relaxed)
            statuses.withLock { $0.append(answer?.status ?? 0) }
        }
        #expect(statuses.withLock { $0 } == Array(repeating: 201, count: 8))
        #expect(most.load(ordering: .relaxed) <= 6 << 20)
        #expect(eventually { home.gateway.values.bytes == 0 })
    }

    @Test("reads with long responses wait for each other where memory is short, and get what a read alone gets")
    func reads() throws {
        let home = try WebFixture {
            // Enough for one of them.
            $0.eventMemory = 1 << 20
            $0.answerBytes = 1 << 20
            $0.workers = 4
        }
        let text = String(repeating: "t", count: 9_000)
        try home.fill((0..<40).map { #"{"id":\#($0),"text":"\#(text)"}"# })
        #expect(
            try home.send(
                .patch, "/v1/objects/Web?all=true", #"{"all":[\#((0..<40).map(String.init).joined(separator: ","))]}"#
            ).status == 200)
        let expected = try home.send(.get, "/v1/objects/Web/1?expand=all").bodyBytes
        #expect(expected.count > 300_000)
        let same = Atomic(0)
        let router = home.router
        DispatchQueue.concurrentPerform(iterations: 24) { _ in
            let answer = try? router.answer(try Request(.get, "/v1/objects/Web/1?expand=all"))
            if answer?.status == 200, answer?.bodyBytes == expected { same.add(1, ordering: .relaxed) }
        }
        #expect(same.load(ordering: .relaxed) == 24)
        #expect(eventually { home.gateway.turns.bytes == 0 })
        // One that is too long alone is refused for that reason.
        let long = try home.send(.get, "/v1/objects/Web/1?expand=all.all")
        #expect(long.status == 400 && long.text.contains("answer.too_large"))
    }
}
