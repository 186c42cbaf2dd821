import Compression
import Dispatch
import FairScheduling
import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import RequestHandling
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing
import TransferEndpoints
@testable import Gateway

/// The ways in which an import ends, and its reports.
@Suite("the ends of imports")
struct ImportEndTests {
    private struct Order {
        var isCSV = false
        var coding: Coding?
        var isAtomic = false
        var update = "error"
        var listens = false

        var target: String { "/v1/import/Dog?update=\(update)" + (isAtomic ? "&atomic" : "") }
    }

    private struct End {
        let status: Int
        let document: JSONValue

        func number(_ name: String) -> Int { document[name]?.asInt ?? -1 }
    }

    /// Returns the response or the last event.
    private func send(_ order: Order, _ file: [UInt8], to gateway: TestGateway) throws -> End {
        var headers: HeaderFields = ["Content-Type": order.isCSV ? "text/csv" : "application/x-ndjson"]
        if let coding = order.coding { headers.add("Content-Encoding", coding.rawValue) }
        if order.listens { headers.add("Accept", "text/event-stream") }
        var request = try Request(.post, order.target, headers: headers)
        request.bodyFile = try BodyFile(file)
        guard order.listens else {
            let answer = try gateway.router.answer(request)
            return End(status: answer.status, document: try answer.json)
        }
        guard case .events(_, let start) = gateway.router.respond(to: request) else { throw WireFailure("no stream") }
        let news = DispatchSemaphore(value: 0)
        let stream = EventStream(limit: 1 << 24) { news.signal() }
        start(stream)
        var text = ""
        var isFinished = false
        while !isFinished {
            news.wait()
            let (events, finishing) = stream.takeQueued()
            for event in events { text += String(decoding: event.bytes, as: UTF8.self) }
            isFinished = finishing
        }
        let last = text.components(separatedBy: "\n\n").last { !$0.isEmpty } ?? ""
        guard let data = last.components(separatedBy: "data: ").last else { throw WireFailure("no event: \(text)") }
        let document = try JSONValue.parse(Array(data.utf8))
        return End(status: document["status"]?.asInt ?? 200, document: document)
    }

    private func compress(_ file: [UInt8], _ coding: Coding?) throws -> [UInt8] {
        guard let coding else { return file }
        return try file.withUnsafeBytes { try Encoder(coding).encode($0) }
    }

    private func dogs(_ gateway: TestGateway) throws -> [Int: Int] {
        var all: [Int: Int] = [:]
        let answer = try gateway.get("/v1/objects/Dog?fields=_id,age&limit=10000")
        for dog in answer.member("items")?.asArray ?? [] {
            if let id = dog["_id"]?.asInt { all[id] = dog["age"]?.asInt ?? -1 }
        }
        return all
    }

    @Test("whatever ends an import, and where: the answer says what is in, and no line counts twice")
    func everyEnd() throws {
        var random = SeededRandom.ofTest()
        for round in 0..<8 * TestRun.length {
            let faultLimit = random.pick([5, 50, 100_000]) ?? 5
            let gateway = try TestGateway {
                $0.importFaults = faultLimit
                $0.importFreeExpansion = 1 << 30
            }
            let old = random.below(40)
            if old > 0 {
                let body = (0..<old).map { "{\"_id\":\($0 * 3),\"age\":1}" }.joined(separator: ",")
                _ = try gateway.send(.post, "/v1/objects/Dog", "[\(body)]")
            }
            let before = try dogs(gateway)
            let order = Order(
                isCSV: random.oneIn(2), coding: random.oneIn(3) ? nil : random.pick(Coding.allCases),
                isAtomic: random.oneIn(3), update: random.pick(["error", "modified", "all"]) ?? "error",
                listens: random.oneIn(3))
            let count = random.pick([0, 3, 300, 2500, 5000]) ?? 3
            let badOf = random.pick([3, 100, 1_000_000]) ?? 100
            var lines = order.isCSV ? ["_id,age,friend"] : []
            for _ in 0..<count {
                let id = random.below(6000)
                let isBad = random.oneIn(badOf)
                let friend = random.oneIn(20) ? String(random.below(12_000)) : nil
                lines.append(
                    order.isCSV
                        ? "\(id),\(isBad ? "old" : "\(random.below(3))"),\(friend ?? "")"
                        : "{\"_id\":\(id),\"age\":\(isBad ? "\"old\"" : "\(random.below(3))")"
                            + (friend.map { ",\"friend\":\($0)" } ?? "") + "}")
            }
            let plain = Array((lines.joined(separator: "\n") + "\n").utf8)
            var file = try compress(plain, order.coding)
            var isBroken = false
            if order.coding != nil, random.oneIn(2), file.count > 40 {
                isBroken = true
                if random.oneIn(2) {
                    file.removeLast(1 + random.below(file.count - 20))
                } else {
                    file[20 + random.below(file.count - 20)] ^= UInt8(1 + random.below(255))
                }
            }
            let end = try send(order, file, to: gateway)
            let after = try dogs(gateway)
            let words: Comment = "seed \(random.seed), round \(round): \(order) \(end.document)"
            let (created, modified, refused) = (end.number("created"), end.number("modified"), end.number("refused"))
            let (unchanged, read) = (end.number("unchanged"), end.number("lines"))
            #expect(created >= 0 && modified >= 0 && refused >= 0 && unchanged >= 0 && read >= 0, words)
            #expect(after.count - before.count == created, words)
            #expect(before.allSatisfy { after[$0.key] != nil }, words)
            let changed = before.count { after[$0.key] != $0.value }
            #expect(changed <= modified, words)
            if modified == 0 { #expect(changed == 0, words) }
            #expect(isBroken || read <= count, words)
            #expect(created + modified + unchanged + refused <= read, words)
            #expect(end.number("incomplete") <= created + modified + unchanged, words)
            if order.isAtomic, end.status != 200 { #expect(after == before, words) }
            if end.status == 200 {
                #expect(created + modified + unchanged + refused == read, words)
                #expect(isBroken || read == count, words)
            } else if end.status != 422 || end.document["code"] != "import.refused" {
                if read > 0 { #expect(end.number("line") > 0, words) }
                // In batches, everything before the error is imported.
                if !order.isAtomic { #expect(created + modified + unchanged + refused == read, words) }
            }
            if refused > faultLimit { #expect(end.document["code"] != nil, words) }
        }
    }

    @Test("an import ends with more lines that do not fit than may be, and what came before is in")
    func faults() throws {
        let gateway = try TestGateway { $0.importFaults = 10 }
        let good = (0..<30).map { "{\"_id\":\($0)}\n" }.joined()
        let bad = String(repeating: "x\n", count: 500)
        let end = try send(Order(), Array((good + bad + good).utf8), to: gateway)
        #expect(end.status == 422 && end.document["code"] == "import.too_many_faults")
        #expect(end.number("created") == 30 && end.number("refused") == 11 && end.number("line") == 41)
        #expect(end.document["errors"]?.asArray?.count == 11)
        #expect(try dogs(gateway).count == 30)
        let whole = try send(
            Order(isAtomic: true), Array((good + bad).utf8), to: try TestGateway { $0.importFaults = 10 })
        #expect(whole.document["code"] == "import.too_many_faults" && whole.number("created") == 0)
    }

    @Test("a compressed file that expands beyond its bound ends the import with what to do", arguments: Coding.allCases)
    func expansion(coding: Coding) throws {
        let gateway = try TestGateway {
            $0.importExpansion = 10
            $0.importFreeExpansion = 100_000
        }
        let file = try compress(Array(repeating: UInt8(ascii: "\n"), count: 1_000_000), coding)
        let end = try send(Order(coding: coding), file, to: gateway)
        #expect(end.status == 413 && end.document["code"] == "import.expands_too_far" && end.number("created") == 0)
    }

    @Test("a line counts once, however many of its links lead nowhere")
    func incomplete() throws {
        let gateway = try TestGateway()
        let file = "{\"_id\":1,\"friend\":77}\n{\"_id\":2,\"friend\":1}\n{\"_id\":3,\"friend\":78}\n"
        let end = try send(Order(), Array(file.utf8), to: gateway)
        #expect(end.number("created") == 3 && end.number("refused") == 0 && end.number("incomplete") == 2)
        #expect(end.number("lines") == 3 && end.document["errors"]?.asArray?.count == 2)
    }

    @Test("an import ends when its client has gone", arguments: [true, false])
    func deleted(listens: Bool) throws {
        let gateway = try TestGateway()
        // More than one batch.
        let count = 5_000
        let rows = Array((0..<count).map { "{\"_id\":\($0)}\n" }.joined().utf8)
        // The import cannot commit its first batch before the server has seen that the client has gone.
        let (isClosed, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isOpen = DispatchSemaphore(value: 0)
        gateway.store.submit(
            { _ in
                isClosed.signal()
                gate.wait()
            }, isAlone: true
        ) { _ in isOpen.signal() }
        isClosed.wait()
        defer { gate.signal() }
        let transfers = gateway.gateway.transfers.pool
        try gateway.serve { port in
            do {
                let socket = try LoopbackSocket(port: port)
                let accept = listens ? "Accept: text/event-stream\r\n" : ""
                try socket.send(
                    Array(
                        "POST /v1/import/Dog HTTP/1.1\r\nHost: t\r\n\(accept)Content-Type: application/x-ndjson\r\nContent-Length: \(rows.count)\r\n\r\n"
                            .utf8))
                try socket.send(rows)
                if listens { _ = try socket.receive() }
                // It has begun, and cannot end as long as the client is there.
                try #require(eventually { transfers.clients.count == 1 })
                socket.hangUp()
            }
            // It may have ended by then: it looks for its client also before the first batch.
            try #require(eventually { transfers.clients.allSatisfy(\.hasEnded) })
            gate.signal()
            isOpen.wait()
            // It ends: no work remains, and not everything is imported.
            #expect(eventually { transfers.length == 0 })
            let imported = try gateway.get("/v1/objects/Dog?count=true&limit=0").member("count")?.asInt ?? count
            #expect(imported < count)
        }
    }
}
