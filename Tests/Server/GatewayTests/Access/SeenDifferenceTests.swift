import AccessRules
import EmbeddedStore
import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import RepositoryFiles
import RequestHandling
import StoreTesting
import TestBasics
import Testing

/// The changes of a collection that may contain hidden objects are reported as the reader sees them, not as they were
/// written. A failure names its seed.
@Suite("differences of collections with hidden elements")
struct SeenDifferenceTests {
    private static func update(
        deletions: JSONValue = [], insertions: JSONValue = [], modifications: JSONValue = []
    ) -> [JSONValue] {
        [deletions, insertions, modifications]
    }

    private static func positions(_ events: WireEvents) -> [[JSONValue]] {
        events.takeAll().filter { $0.name == "update" }.map { event in
            ["deletions", "insertions", "modifications"].map { event.data[$0] ?? .null }
        }
    }

    @Test("elements that come to be hidden leave as deleted ones do, whatever else is written")
    func hiding() throws {
        let link = HiddenPartFixture.link(2)
        for (name, held, written, expected) in [
            ("anys", "[\(link),\(link),\(link),\(link)]", nil, Self.update(modifications: [0, 1, 2, 3])),
            ("anys", "[1,[\(link)],{\"a\":\(link)}]", nil, Self.update(modifications: [1, 2])),
            ("anys", "[1,\(link),2]", "[null,2]", Self.update(deletions: [0], modifications: [1])),
            // Replacing a hidden element by another one is not a visible difference.
            (
                "anys", "[1,\(link),2]", "[1,\(HiddenPartFixture.link(666001)),2,3]",
                Self.update(insertions: [3], modifications: [1])
            ),
            ("friends", "[2,3,2,666001,2]", nil, Self.update(deletions: [0, 2, 3])),
            ("friends", "[2,3,2,1]", "[666001,1,666002,3]", Self.update(deletions: [0, 2], modifications: [1, 3])),
            ("pals", "[1,2,3]", "[666001,1]", Self.update(deletions: [1, 2])),
            ("anyMap", "{\"a\":\(link),\"b\":1}", "{\"a\":null,\"b\":1}", Self.update(modifications: ["a"])),
        ] as [(String, String, String?, [JSONValue])] {
            let fixture = try HiddenPartFixture()
            func patch(_ key: Int, _ body: String) throws {
                #expect(try fixture.whole.send(.patch, "/v1/objects/Person/\(key)", body).status == 200)
            }
            try patch(1, #"{"\#(name)":\#(held)}"#)
            // Only the persons' ids are observed, which do not change.
            let keyPaths = name.hasPrefix("any") ? "" : "&keyPaths=id"
            let events = try fixture.whole.observe(
                as: HiddenPartFixture.caller, "/v1/observe/objects/Person/1/\(name)?include=indices" + keyPaths)
            fixture.gateway.settle()
            var operations = [#"{"op":"set","object":{"class":"Person","key":2},"value":{"open":false}}"#]
            if let written {
                operations.append(
                    #"{"op":"set","object":{"class":"Person","key":1},"value":{"\#(name)":\#(written)}}"#)
            }
            let body = #"{"operations":[\#(operations.joined(separator: ","))]}"#
            #expect(try fixture.whole.send(.post, "/v1/transactions", body).status == 200)
            fixture.gateway.settle()
            #expect(Self.positions(events) == [expected], "\(name): \(held), then \(written ?? "nothing")")
            events.stream.didClose(.clientLeft)
        }
    }

    // MARK: Embedded objects with a rule of their own

    private struct Line {
        let number: Int
        var amount: Int
        var isHidden: Bool

        var json: String { #"{"number":\#(number),"amount":\#(amount),"secret":\#(isHidden ? 1 : 0)}"# }
    }

    private static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Order","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"lines","type":"Line[]"}]},
          {"name":"Line","embedded":true,"properties":[
            {"name":"number","type":"int"},{"name":"amount","type":"int"},{"name":"secret","type":"int"}]}]}
        """#

    private static func edit(_ op: String, _ rest: String = "") -> String {
        #"{"op":"\#(op)","object":{"class":"Order","key":1},"property":"lines"\#(rest)}"#
    }

    private static func set(_ index: Int, _ value: String) -> String {
        #"{"op":"set","object":{"class":"Order","key":1},"in":["lines",\#(index)],"value":{\#(value)}}"#
    }

    @Test("embedded objects that a rule hides are as if they were not in the list", arguments: 0..<3)
    func parts(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let seed = random.seed
        let homes = [try TestDirectory(), try TestDirectory()]
        let stores = try homes.map {
            try EmbeddedStore.open(
                path: $0.path + "/store", schema: try SchemaCoding.decode(try JSONValue.parse(Self.schema)))
        }
        let gateways = try stores.map { try Gateway(store: $0, configuration: .untimed) }
        let writers = zip(stores, gateways).map { Wire(store: $0, router: $1.router) }
        let rule = ClassRule(read: "secret == 0", readableProperties: ["number", "amount"])
        let role = Role(name: "reader", classes: ["Order": ClassRule(read: "TRUEPREDICATE"), "Line": rule])
        let caller = Caller(Principal(credential: .key("reader"), subject: "reader"), AccessView(role: role))
        func write(_ index: Int, _ operations: [String]) throws {
            guard !operations.isEmpty else { return }
            let body = #"{"operations":[\#(operations.joined(separator: ","))]}"#
            let answer = try writers[index].send(.post, "/v1/transactions", body)
            guard answer.status < 300 else { throw WireFailure("\(answer) to \(body)") }
        }
        for index in writers.indices { try write(index, [#"{"op":"create","class":"Order","value":{"id":1}}"#]) }

        let targets = ["", "?include=indices", "?sort=amount,number", "?filter=amount%20%3E%200"].map {
            "/v1/observe/objects/Order/1/lines" + $0
        }
        var ids: [[String?]] = targets.map { _ in [nil, nil] }
        func open(_ target: Int) throws -> [WireEvents] {
            defer { for gateway in gateways { gateway.settle() } }
            return try writers.indices.map { index in
                try writers[index].observe(
                    as: caller, targets[target], headers: ids[target][index].map { ["Last-Event-ID": $0] } ?? [:])
            }
        }
        var streams = try targets.indices.map(open)
        var lines: [Line] = []
        var wasSeen: Set<Int> = []
        var last = 0
        func line() -> Line {
            last += 1
            return Line(number: last, amount: random.below(3), isHidden: random.oneIn(2))
        }
        for step in 0..<60 {
            let before = lines.filter { !$0.isHidden }
            var operations: [String] = []
            var assigned: Set<Int> = []
            for _ in 0...random.below(3) {
                let index = random.below(lines.count)
                switch lines.isEmpty ? 0 : random.below(10) {
                case 0, 1:
                    lines.insert(line(), at: index)
                    operations.append(Self.edit("insert", #","index":\#(index),"value":\#(lines[index].json)"#))
                case 2:
                    lines.remove(at: index)
                    operations.append(Self.edit("remove", #","index":\#(index)"#))
                case 3:
                    lines[index] = line()
                    operations.append(Self.edit("replace", #","index":\#(index),"value":\#(lines[index].json)"#))
                case 4 where random.oneIn(2):
                    lines = (0..<random.below(6)).map { _ in line() }
                    let all = lines.map(\.json).joined(separator: ",")
                    operations.append(
                        #"{"op":"set","object":{"class":"Order","key":1},"value":{"lines":[\#(all)]}}"#)
                case 4..<7:
                    lines[index].amount = random.below(3)
                    assigned.insert(lines[index].number)
                    operations.append(Self.set(index, #""amount":\#(lines[index].amount)"#))
                default:
                    // In the other world it would be a new one.
                    if lines[index].isHidden, wasSeen.contains(lines[index].number) { continue }
                    lines[index].isHidden.toggle()
                    operations.append(Self.set(index, #""secret":\#(lines[index].isHidden ? 1 : 0)"#))
                }
            }
            try write(0, operations)

            // Equal as far as it is visible.
            let after = lines.filter { !$0.isHidden }
            let (was, now) = (Set(before.map(\.number)), Set(after.map(\.number)))
            wasSeen.formUnion(now)
            var seen = before.indices.reversed().filter { !now.contains(before[$0].number) }.map {
                Self.edit("remove", #","index":\#($0)"#)
            }
            for (index, line) in after.enumerated() {
                if !was.contains(line.number) {
                    seen.append(Self.edit("insert", #","index":\#(index),"value":\#(line.json)"#))
                } else if assigned.contains(line.number) {
                    seen.append(Self.set(index, #""amount":\#(line.amount)"#))
                }
            }
            try write(1, seen)
            for gateway in gateways { gateway.settle() }
            for target in targets.indices {
                var texts: [[String]] = []
                for index in streams[target].indices {
                    let events = streams[target][index].takeAll()
                    ids[target][index] = events.compactMap(\.id).last ?? ids[target][index]
                    texts.append(events.map { "\($0.name) " + Self.text($0.data) })
                }
                #expect(
                    texts.first == texts.last,
                    "seed \(seed), round \(round), step \(step): \(targets[target]) after \(operations)")
                guard random.oneIn(8) else { continue }
                // Disconnected for a while.
                for stream in streams[target] { stream.stream.didClose(.clientLeft) }
                streams[target] = random.oneIn(2) ? try open(target) : []
            }
            for target in targets.indices where streams[target].isEmpty && random.oneIn(3) {
                streams[target] = try open(target)
            }
        }
        for stream in streams.joined() { stream.stream.didClose(.clientLeft) }
    }

    private static func text(_ value: JSONValue) -> String {
        let json = JSONWriter(capacity: 256)
        json.value(value)
        return PermissionMatrixTests.plain(String(decoding: json.bytes, as: UTF8.self))
    }
}
