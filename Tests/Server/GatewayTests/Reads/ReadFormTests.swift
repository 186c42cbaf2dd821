import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import StoreTesting
import TestBasics
import Testing

/// A read has several forms, and each begins on a loop, with a small budget, or on a worker.
///
/// Invariant: all of them give one answer. Oracle: the GET of a gateway that does everything on the loop.
@Suite("The forms of a read")
struct ReadFormTests {
    private static let parameters: [String: [String]] = [
        "objects": [
            "", "sort=-rank,id", "filter=next.rank > 1 AND rank < 4", "filter=ANY all.rank == 3&sort=next.text",
            "fields=id,rank", "expand=all,next", "fields=id&expand=next.next", "limit=7", "distinct=rank&sort=rank,id",
            "filter=all.@count > 1&sort=id&limit=20&count=true",
        ],
        "aggregates": ["sum=rank&max=id", "by=rank&average=id", "filter=ANY all.rank == 3&count=true"],
        "sections": [
            "by=rank", "by=text.first", "by=text.first&ascending=false&fields=id", "by=text.first&sort=id&fields=id",
            "by=rank&filter=all.@count > 1&expand=next",
        ],
        "index": ["of=3", "matching=rank == 3 AND ANY all.rank == 1"],
        "values": ["key=rank", "keyPath=next.rank", "keyPath=@distinctUnionOfObjects.rank"],
    ]

    /// The parameters as a query or a form has them.
    private static func encoded(_ parameters: String) -> String {
        parameters.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return "\(parts[0])=\(Wire.encoded(String(parts[1])))"
        }.joined(separator: "&")
    }

    @Test("each form gives the same answer, on a loop and on a worker", arguments: 0..<4 * TestRun.length)
    func forms(round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let home = try WebFixture {
            $0.inlineRows = .max
            $0.inlineBytes = .max
            $0.inlineObjects = .max
        }
        let count = 120
        try home.fill(
            (0..<count).map { id in
                let links = (0..<random.below(4)).map { _ in String(random.below(id + 1)) }.joined(separator: ",")
                return #"{"id":\#(id),"text":"\#(random.pick(["ä", "b", "Cc"]) ?? "")\#(id % 5)","#
                    + #""rank":\#(random.below(6)),"next":\#(random.below(id + 1)),"all":[\#(links)]}"#
            })
        let all = (0..<count).map(String.init).joined(separator: ",")
        #expect(try home.send(.post, "/v1/objects/Web", #"{"id":5000,"all":[\#(all)]}"#).status == 201)
        var configuration = GatewayConfiguration.untimed
        configuration.inlineRows = [0, 1, 150, 400][round % 4]
        configuration.inlineBytes = random.pick([0, 500, 20_000]) ?? 0
        configuration.inlineObjects = random.pick([0, 50]) ?? 0
        let tight = try Gateway(store: home.store, configuration: configuration)
        let wires = [Wire(store: home.store, router: home.router), Wire(store: home.store, router: tight.router)]
        let snapshots = try wires.map { try #require(try $0.send(.post, "/v1/snapshots")["snapshot"]?.asString) }
        for (kind, choices) in Self.parameters.sorted(by: { $0.key < $1.key }) {
            for choice in choices {
                let target = "\(kind)/objects/Web\(random.oneIn(2) ? "" : "/5000/all")"
                let path = kind == "objects" ? String(target.dropFirst("objects/".count)) : target
                // A read has pages, and a stream does not.
                let streamed = Self.encoded(choice)
                let hasPages = ["objects", "sections"].contains(kind) && !choice.contains("limit=")
                let query =
                    hasPages ? [streamed, "limit=1000"].filter { !$0.isEmpty }.joined(separator: "&") : streamed
                let expected = try wires[0].send(.get, "/v1/\(path)?\(query)")
                #expect(expected.status == 200, "\(path) \(choice): \(expected)")
                for (number, wire) in wires.enumerated() {
                    let note: Comment = "seed \(random.seed), gateway \(number): \(path) \(choice)"
                    let frozen = query + (query.isEmpty ? "" : "&") + "snapshot=\(snapshots[number])"
                    for parameters in [query, frozen] {
                        let read = try wire.send(.get, "/v1/\(path)?\(parameters)")
                        #expect(read.status == 200 && read.text == expected.text, note)
                        let form = try wire.send(
                            .post, "/v1/query/\(path)", parameters,
                            headers: ["Content-Type": "application/x-www-form-urlencoded"])
                        #expect(form.status == 200 && form.text == expected.text, note)
                    }
                    guard ["objects", "sections"].contains(kind), !choice.contains("count=") else { continue }
                    let observed =
                        "/v1/observe/"
                        + (kind == "objects" ? path : "sections\(path.dropFirst("sections/objects".count))")
                    for events in [
                        try wire.observe("\(observed)?\(streamed)"),
                        try wire.observe("/v1/query\(observed.dropFirst(3))", form: streamed),
                    ] {
                        let initial = try events.next("initial")
                        let member = kind == "objects" ? "items" : "sections"
                        #expect(initial[member] == expected[member], note)
                        events.stream.didClose(.clientLeft)
                    }
                }
            }
        }
    }

    @Test(
        "an error is the same in a URL and as a form",
        arguments: ["filter=nope == 1", "sort=nope", "limit=x", "nope=1"])
    func errors(parameters: String) throws {
        let home = try WebFixture()
        let wire = Wire(store: home.store, router: home.router)
        let query = Self.encoded(parameters)
        let expected = try wire.send(.get, "/v1/objects/Web?\(query)")
        let form = try wire.send(
            .post, "/v1/query/objects/Web", query,
            // A read takes no part in what is remembered of writes.
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Idempotency-Key": "k"])
        #expect(expected.status == 400 && form.status == 400)
        for member in ["code", "detail", "parameter"] { #expect(form[member] == expected[member], "\(form)") }
    }
}
