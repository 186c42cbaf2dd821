import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import StoreTesting
import TestBasics
import Testing

@Suite("Large events")
struct LargeEventTests {
    /// A client of one query that reads at any speed, and reconnects at its last position.
    private struct SlowReader {
        /// Whether the query is on the stream of a subscription set.
        let isShared: Bool
        let query: String
        var events: WireEvents?
        var last: String?
        var held: [JSONValue] = []
        var parts = 0

        mutating func open(_ wire: Wire) throws {
            let headers: HeaderFields = last.map { $0.isEmpty ? [:] : ["Last-Event-ID": $0] } ?? [:]
            let target = isShared ? "/v1/subscriptions/s/stream" : "/v1/observe/objects/Web?\(query)"
            events = try wire.observe(target, headers: headers, limit: 3_000)
        }

        mutating func leave() {
            events?.stream.didClose(.clientLeft)
            events = nil
        }

        /// Reads the received events.
        mutating func read(most: Int, _ comment: Comment) throws {
            for event in events?.takeAll() ?? [] {
                if let id = event.id { last = id }
                guard ["initial", "update"].contains(event.name) else {
                    #expect(event.name == "subscriptions", comment)
                    continue
                }
                if event.id?.isEmpty == true || event.id?.hasPrefix("0.") == true { parts += 1 }
                let rows = event.name == "initial" ? event.data["items"]?.asArray : nil
                let objects =
                    rows
                    ?? ["insertions", "modifications"].flatMap {
                        event.data["objects"]?[$0]?.asArray ?? []
                    }
                // One object of each kind may exceed the limit.
                let sizes = objects.map { object in
                    let json = JSONWriter()
                    json.value(object)
                    return json.count
                }
                #expect(sizes.reduce(0, +) <= 2 * most + 2 * (sizes.max() ?? 0), comment)
                try ListReader.apply(event, to: &held)
            }
        }
    }

    @Test(
        "clients that put the parts together hold what a read gives, however slowly they read and wherever they leave",
        arguments: 0..<3 * TestRun.length)
    func parts(round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let comment: Comment = "seed \(random.seed), round \(round)"
        let most = [1024, 4_000, 20_000][round % 3]
        let home = try WebFixture {
            $0.eventBytes = most
            $0.eventMemory = 400_000
        }
        let wire = Wire(store: home.store, router: home.router)
        func rows(_ count: Int) -> [String] {
            (0..<count).map { _ in
                let text = String(repeating: "t", count: random.oneIn(5) ? random.below(4_000) : random.below(300))
                return #"{"id":\#(random.below(100)),"text":"\#(text)","rank":\#(random.below(4))}"#
            }
        }
        try home.fill(rows(60))
        let queries = ["sort=rank,id", "filter=rank%20%3E%200&sort=-id", "fields=id,text&sort=text,id"]
        let query = queries[(round + round / 3) % 3]
        var body = #""class":"Web","waitForSync":"never""#
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            body += #","\#(parts[0])":"\#(parts[1])""#
        }
        #expect(try wire.send(.put, "/v1/subscriptions/s/a", "{\(body)}").status < 300, comment)
        var clients = (0..<5).map { SlowReader(isShared: $0 >= 3, query: query) }
        for index in clients.indices { try clients[index].open(wire) }
        for _ in 0..<8 {
            switch random.below(4) {
            case 0: _ = try home.send(.delete, "/v1/objects/Web?filter=id%20%3C%20\(random.below(60))&limit=40")
            case 1:
                _ = try home.send(
                    .patch, "/v1/objects/Web?all=true", #"{"rank":\#(random.below(4)),"photo":null}"#)
            default: try home.fill(rows(random.below(60) + 1))
            }
            let expected = try wire.get("/v1/objects/Web?limit=1000&\(query)")["items"]?.asArray ?? []
            for index in clients.indices {
                // Some disconnect in the middle, some do not read this time.
                if random.oneIn(4) {
                    try clients[index].read(most: most, comment)
                    clients[index].leave()
                    try clients[index].open(wire)
                }
                guard random.oneIn(2) else { continue }
                let isEqual = try eventually {
                    try clients[index].read(most: most, comment)
                    return clients[index].held == expected
                }
                try #require(isEqual, comment)
            }
        }
        if TestRun.hasFixedSeeds { #expect(clients.contains { $0.parts > 0 }, comment) }
        for index in clients.indices { clients[index].leave() }
        #expect(eventually { home.gateway.eventBytes == 0 }, comment)
    }

    @Test("what cannot be sent in parts ends with an error when it is too long, and one object comes whole")
    func whole() throws {
        let home = try WebFixture {
            $0.eventBytes = 2_000
            $0.answerBytes = 20_000
        }
        let wire = Wire(store: home.store, router: home.router)
        let text = String(repeating: "q", count: 4_000)
        try home.fill((0..<10).map { #"{"id":\#($0),"text":"\#(text)"}"# })
        let long = String(repeating: "r", count: 50_000)
        try home.fill([#"{"id":50,"text":"\#(long)"}"#])
        let sections = try wire.observe("/v1/observe/sections/Web?by=rank")
        let error = try sections.next("error")
        #expect(error["code"] == .string("observe.too_large"))
        let one = try wire.observe("/v1/observe/objects/Web/50")
        #expect(try one.next("initial")["object"]?["text"] == .string(long))
        #expect(try home.send(.patch, "/v1/objects/Web/50", #"{"text":"\#(long)2"}"#).status == 200)
        #expect(try one.next("change")["changes"]?[0]?["new"] == .string(long + "2"))
    }

    @Test("one object with others in place of its links is limited as a response is, in events of all kinds")
    func expanded() throws {
        let home = try WebFixture {
            $0.eventBytes = 8_000
            $0.answerBytes = 40_000
        }
        let wire = Wire(store: home.store, router: home.router)
        let text = String(repeating: "e", count: 1_000)
        try home.fill((0..<30).map { #"{"id":\#($0),"text":"\#(text)"}"# })
        func link(_ id: Int, _ targets: Range<Int>) throws {
            let all = targets.map(String.init).joined(separator: ",")
            #expect(try home.send(.patch, "/v1/objects/Web/\(id)", #"{"all":[\#(all)]}"#).status == 200)
        }
        for id in 0..<30 { try link(id, 0..<3) }
        let list = try wire.observe("/v1/observe/objects/Web?sort=id&expand=all.all&filter=id%20%3C%2020")
        var held: [JSONValue] = []
        func receive(until count: Int) throws -> Bool {
            try eventually {
                for event in list.takeAll() { try ListReader.apply(event, to: &held) }
                return held.count == count
            }
        }
        #expect(try receive(until: 20))
        // From now on it is too long with its links' targets, and the targets of theirs.
        try link(7, 0..<30)
        let error = try list.next("error")
        #expect(error["code"] == .string("observe.too_large"), "\(error)")
        try link(25, 0..<30)
        for target in [
            "/v1/observe/objects/Web?expand=all.all&filter=id%3D%3D25",
            "/v1/observe/sections/Web?by=rank&expand=all.all", "/v1/observe/objects/Web/25/all?expand=all.all",
        ] {
            let stream = try wire.observe(target)
            #expect(try stream.next("error")["code"] == .string("observe.too_large"), "\(target)")
        }
        // The objects before it come, and then the error.
        let rest = try wire.observe("/v1/observe/objects/Web?sort=id&expand=all.all")
        var shown: [JSONValue] = []
        var end: JSONValue?
        let hasEnded = try eventually {
            for event in rest.takeAll() {
                if event.name == "error" { end = event.data } else { try ListReader.apply(event, to: &shown) }
            }
            return end != nil
        }
        #expect(hasEnded && end?["code"] == .string("observe.too_large"))
        #expect(shown.map { $0["id"] } == (0..<7).map { .int($0) })
    }

    @Test("clients of one query, and of many sets, share the bytes of a large event")
    func shared() throws {
        let home = try WebFixture()
        let wire = Wire(store: home.store, router: home.router)
        let text = String(repeating: "s", count: 100_000)
        try home.fill([#"{"id":1,"text":"\#(text)"}"#])
        let streams = try (0..<20).map { _ in try wire.observe("/v1/observe/objects/Web", limit: 1 << 20) }
        for number in 0..<20 {
            _ = try wire.send(
                .put, "/v1/subscriptions/s\(number)/a", #"{"class":"Web","waitForSync":"never"}"#)
        }
        let shared = try (0..<20).map { try wire.observe("/v1/subscriptions/s\($0)/stream", limit: 1 << 20) }
        for stream in streams { _ = try stream.next("initial") }
        for stream in shared {
            _ = try stream.next("subscriptions")
            _ = try stream.next("initial")
        }
        #expect(try home.send(.patch, "/v1/objects/Web/1", #"{"rank":3}"#).status == 200)
        home.gateway.settle()
        // No client has read the update, which is in memory once.
        #expect((100_000..<250_000).contains(home.gateway.eventBytes), "\(home.gateway.eventBytes)")
        for stream in streams + shared { #expect(try stream.next("update")["modifications"] == [0]) }
        for stream in streams + shared { stream.stream.didClose(.clientLeft) }
    }
}
