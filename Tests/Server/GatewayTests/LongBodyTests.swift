import FairScheduling
import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
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
            most.max(gateway.context.values.bytes, ordering: .relaxed)
            statuses.withLock { $0.append(answer?.status ?? 0) }
        }
        #expect(statuses.withLock { $0 } == Array(repeating: 201, count: 8))
        #expect(most.load(ordering: .relaxed) <= 6 << 20)
        #expect(eventually { home.gateway.context.values.bytes == 0 })
    }

    /// Sends a read with a long response many times at once to a gateway that has memory for one of them, and expects of
    /// each what a read alone gets. Returns the gateway.
    private func readAtOnce(_ request: @Sendable () throws -> Request) throws -> WebFixture {
        let home = try WebFixture {
            $0.eventMemory = 1 << 20
            $0.answerBytes = 1 << 20
            $0.workers = 4
            $0.inlineBody = 4 << 10
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
            let answer = try? router.answer(try request())
            if answer?.status == 200, answer?.bodyBytes == expected { same.add(1, ordering: .relaxed) }
        }
        #expect(same.load(ordering: .relaxed) == 24)
        #expect(eventually { home.gateway.context.responseMemory.bytes == 0 && home.gateway.context.values.bytes == 0 })
        return home
    }

    @Test("reads with long responses wait for each other where memory is short, and get what a read alone gets")
    func reads() throws {
        let home = try readAtOnce { try Request(.get, "/v1/objects/Web/1?expand=all") }
        // One that is too long alone is refused for that reason.
        let long = try home.send(.get, "/v1/objects/Web/1?expand=all.all")
        #expect(long.status == 400 && long.text.contains("answer.too_large"))
    }

    @Test("objects of a long body that exist are updated as those of a short one are, and a fault changes nothing")
    func updates() throws {
        let home = try WebFixture()
        let small = try WebFixture()
        func rows(_ rank: Int, _ word: String) -> [String] {
            (0..<4_000).map { #"{"id":\#($0),"rank":\#($0 % 5 + rank),"words":["\#(word)","w\#($0)"]}"# }
        }
        for each in [home, small] { try each.fill(rows(0, "a")) }
        for (rank, word, policy) in [(0, "a", "modified"), (1, "b", "modified"), (1, "b", "all")] {
            var rows = rows(rank, word)
            rows += (5_000..<5_010).map { #"{"id":\#($0),"words":["\#(word)"]}"# }
            let answer = try home.send(
                .post, "/v1/objects/Web?update=\(policy)", "[\(rows.joined(separator: ","))]")
            #expect(answer.status == (rank == 0 ? 201 : 200), "\(answer.text.prefix(300))")
            for start in stride(from: 0, to: rows.count, by: 500) {
                let part = rows[start..<min(start + 500, rows.count)].joined(separator: ",")
                #expect(try small.send(.post, "/v1/objects/Web?update=\(policy)", "[\(part)]").status < 300)
            }
            let target = "/v1/objects/Web?sort=id&limit=5000"
            let (all, expected) = (try home.send(.get, target), try small.send(.get, target))
            #expect(try JSONValue.parse(all.bodyBytes)["items"] == JSONValue.parse(expected.bodyBytes)["items"])
        }
        var wrong = rows(2, "c")
        wrong[3_210] = #"{"id":3210,"words":["c",5]}"#
        let refused = try home.send(.post, "/v1/objects/Web?update=all", "[\(wrong.joined(separator: ","))]")
        #expect(refused.status == 422 && refused.text.contains("$[3210].words[1]"), "\(refused.text)")
        // A link whose object does not exist is found while they are written.
        wrong[3_210] = #"{"id":3210,"next":777777}"#
        let missing = try home.send(.post, "/v1/objects/Web?update=all", "[\(wrong.joined(separator: ","))]")
        #expect(missing.status == 422 && missing.text.contains("$[3210].next"), "\(missing.text)")
        #expect(try home.send(.get, "/v1/objects/Web/7").text.contains(#""words":["b","w7"]"#))
    }

    @Test("transactions, edits and writes of many objects take long lists as short ones")
    func otherWrites() throws {
        let home = try WebFixture()
        let words = (0..<30_000).map { "\"w\($0)\"" }.joined(separator: ",")
        let twice = words + "," + words
        try home.fill((0..<3).map { #"{"id":\#($0)}"# })
        func expect(_ id: Int, _ words: String, _ property: String = "words") throws {
            let read = try JSONValue.parse(try home.send(.get, "/v1/objects/Web/\(id)?fields=\(property)").bodyBytes)
            #expect(read[property] == (try JSONValue.parse("[\(words)]")))
        }
        func transact(_ operations: String) throws -> Response {
            try home.send(.post, "/v1/transactions", #"{"operations":[\#(operations)]}"#)
        }
        let object = #""object":{"class":"Web","key":1}"#
        let answer = try transact(
            #"""
            {"op":"create","class":"Web","value":{"id":9,"words":[\#(words)],"extra":[\#(words)]}},
            {"op":"set",\#(object),"value":{"words":[\#(words)]}},
            {"op":"append",\#(object),"property":"words","value":[\#(words)]}
            """#)
        #expect(answer.status == 200, "\(answer.text.prefix(300))")
        try expect(9, words)
        try expect(9, words, "extra")
        try expect(1, twice)
        let fault = try transact(
            #"{"op":"append",\#(object),"property":"words","value":[\#(words),7,\#(words)]}"#)
        #expect(fault.status == 422 && fault.text.contains("value[30000]"), "\(fault.text.prefix(300))")
        let none = try transact(Array(repeating: "7", count: 40_000).joined(separator: ","))
        #expect(none.status == 413 && none.text.contains("transaction.too_large"), "\(none.text.prefix(300))")
        #expect(try home.send(.put, "/v1/objects/Web/2/words", "[\(words)]").status == 200)
        try expect(2, words)
        #expect(try home.send(.post, "/v1/objects/Web/2/words?index=30000", "[\(words)]").status == 200)
        try expect(2, twice)
        #expect(try home.send(.put, "/v1/values/objects/Web?key=words&filter=id%20==%202", "[\(words)]").status == 200)
        try expect(2, words)
        #expect(try home.send(.patch, "/v1/objects/Web?all=true", #"{"words":[\#(twice)]}"#).status == 200)
        try expect(0, twice)
        let mismatch = try home.send(.put, "/v1/objects/Web/2/names", "[\(words)]")
        #expect(mismatch.status == 422, "\(mismatch.text.prefix(300))")
    }

    @Test("a read whose parameters are in its body waits for memory as one with a URL does")
    func forms() throws {
        // Longer than a body that needs no memory.
        let form = "expand=all" + String(repeating: "&", count: 5_000)
        _ = try readAtOnce {
            try Request(
                .post, "/v1/query/objects/Web/1",
                headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(form.utf8))
        }
    }
}
