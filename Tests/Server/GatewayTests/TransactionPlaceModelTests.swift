import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import StoreTesting
import Testing
import TestBasics

/// Compares operations that say which element they expect with a model of a list that knows only which elements are
/// equal.
@Suite("Transactions that say which element they mean, at random")
struct TransactionPlaceModelTests {
    private static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Part","embedded":true,"properties":[
            {"name":"code","type":"string"},{"name":"size","type":"double?"},{"name":"sizes","type":"int[]"},
            {"name":"marks","type":"int<>"},{"name":"box","type":"Box?"},{"name":"any","type":"mixed"}]},
          {"name":"Box","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"ints","type":"int[]"},{"name":"names","type":"string?[]"},
            {"name":"doubles","type":"double?[]"},{"name":"decimals","type":"decimal128[]"},
            {"name":"dates","type":"date[]"},{"name":"blobs","type":"data[]"},{"name":"any","type":"mixed[]"},
            {"name":"boxes","type":"Box[]"},{"name":"parts","type":"Part[]"}]}]}
        """#

    /// For each list the possible elements, each in all forms in which a client may write it.
    static let pools: [(property: String, elements: [[String]])] = [
        ("ints", [["1", "1.0"], ["2"], ["3"]]),
        ("names", [#""a""#, #""b""#, "null", #""""#, "\"\u{e9}\"", "\"e\u{301}\"", #""NaN""#].map { [$0] }),
        (
            "doubles",
            [["1", "1.0"], ["0.1"], ["0", "0.0", "-0.0"], [#""NaN""#], [#""Infinity""#], [#""-Infinity""#], ["null"]]
        ),
        (
            "decimals",
            [
                [#""1""#, #""1.0""#, #""1.00""#], [#""NaN""#], [#""0.1""#], [#""0""#, #""-0""#, #""0E+5""#],
                [#""1E+3""#, #""1000""#], [#""0.1000000000000000000000000000000001""#],
            ]
        ),
        ("dates", [[#""2020-01-01T00:00:00Z""#, #""2020-01-01T00:00:00.000Z""#], [#""1969-12-31T23:59:59.5Z""#]]),
        ("blobs", [[#""""#], [#""AA==""#], [#""AAA=""#]]),
        (
            "any",
            [
                ["1", "1.0", #"{"$decimal":"1.00"}"#], [#""1""#], ["null"], ["true"], ["[1,[2]]", "[1.0,[2]]"],
                ["[1,[3]]"], ["[]"], ["{}"], [#"{"a":1,"b":[null]}"#, #"{"b":[null],"a":1.0}"#], [#"{"a":1}"#],
                [#"{"$link":{"class":"Box","key":2}}"#], [#"{"$link":{"class":"Box","key":3}}"#],
                [#"[{"$link":{"class":"Box","key":2}}]"#],
            ]
        ),
        (
            "boxes",
            [
                ["2", #"{"$link":{"class":"Box","key":2}}"#, #"{"id":2}"#],
                ["3", #"{"$link":{"class":"Box","key":3}}"#],
            ]
        ),
        // Only the first form of these creates an element.
        (
            "parts",
            [
                [#"{"code":"a","sizes":[1,2],"marks":[1,2]}"#, #"{"code":"a"}"#, #"{"marks":[2,1],"sizes":[1,2]}"#],
                [#"{"code":"b","size":0.5}"#, #"{"size":0.5}"#], [#"{"code":"c","box":2}"#, #"{"box":2}"#],
                [#"{"code":"d","any":{"x":[1]}}"#, #"{"any":{"x":[1.0]}}"#],
            ]
        ),
    ]

    private func gateway() throws -> TestGateway {
        let gateway = try TestGateway(schema: Self.schema)
        #expect(try gateway.send(.post, "/v1/objects/Box", #"[{"id":1},{"id":2},{"id":3}]"#).status < 300)
        return gateway
    }

    private func transact(_ gateway: TestGateway, _ operations: [String]) throws -> Response {
        let all = operations.map { #"{"object":{"class":"Box","key":1},\#($0)}"# }.joined(separator: ",")
        return try gateway.send(.post, "/v1/transactions", #"{"operations":[\#(all)]}"#)
    }

    /// Returns the position of the expected element: the nearest equal one.
    private func nearest(_ element: Int, to index: Int, in list: [Int]) -> Int? {
        let start = max(0, min(index, list.count - 1))
        return list.indices.filter { list[$0] == element }.min { (abs($0 - start), $0) < (abs($1 - start), $1) }
    }

    @Test(
        "each does what it says to the nearest element that is meant, and nothing when that is gone",
        arguments: pools.indices)
    func lists(pool: Int) throws {
        var random = SeededRandom.ofTest(pool)
        let (property, elements) = Self.pools[pool]
        let gateway = try gateway()
        func stored() throws -> [JSONValue] { try gateway.get("/v1/objects/Box/1").json[property]?.parts ?? [] }
        // The form in which each of them is read.
        var read: [(json: JSONValue, element: Int)] = []
        for (number, spellings) in elements.enumerated() {
            for spelling in property == "parts" ? [spellings[0]] : spellings {
                let answer = try gateway.send(.patch, "/v1/objects/Box/1", #"{"\#(property)":[\#(spelling)]}"#)
                try #require(answer.status == 200, "\(answer.text)")
                read.append((try #require(try stored().first), number))
            }
        }
        #expect(try transact(gateway, [#""op":"clear","property":"\#(property)""#]).status == 200)

        var list: [Int] = []
        func value() -> (element: Int, json: String) {
            let element = random.below(elements.count)
            return (element, property == "parts" ? elements[element][0] : random.pick(elements[element]) ?? "")
        }
        for round in 0..<80 {
            var operations: [String] = []
            var expected: [Int] = []
            for _ in 0...random.below(3) {
                let index = random.below(list.count + 3)
                let known = random.below(elements.count)
                let was = random.pick(elements[known]) ?? ""
                let start = #""property":"\#(property)","index":\#(index)"#
                switch random.below(list.count > 12 ? 2 : 5) {
                case 0:
                    operations.append(#""op":"remove",\#(start),"was":\#(was)"#)
                    let found = nearest(known, to: index, in: list)
                    if let found { list.remove(at: found) }
                    expected.append(found == nil ? 0 : 1)
                case 1:
                    let to = random.below(list.count + 2)
                    operations.append(#""op":"move",\#(start),"was":\#(was),"to":\#(to)"#)
                    let found = nearest(known, to: index, in: list)
                    let target = min(to, list.count - 1)
                    if let found { list.insert(list.remove(at: found), at: target) }
                    expected.append(found == nil || found == target ? 0 : 1)
                case 2:
                    let new = value()
                    operations.append(#""op":"replace",\#(start),"was":\#(was),"value":\#(new.json)"#)
                    let found = nearest(known, to: index, in: list)
                    if let found { list[found] = new.element }
                    expected.append(found == nil ? 0 : 1)
                default:
                    let new = (0..<random.below(3)).map { _ in value() }
                    let orAtIndex = random.oneIn(3)
                    operations.append(
                        #""op":"insert",\#(start),"behind":\#(was),"value":[\#(new.map(\.json).joined(separator: ","))]"#
                            + (orAtIndex ? #","orAtIndex":true"# : ""))
                    let found = nearest(known, to: index - 1, in: list).map { $0 + 1 }
                    let target = found ?? (orAtIndex ? min(index, list.count) : nil)
                    if let target { list.insert(contentsOf: new.map(\.element), at: target) }
                    expected.append(target == nil ? 0 : new.count)
                }
            }
            let answer = try transact(gateway, operations)
            try #require(answer.status == 200, "\(operations): \(answer.text), seed \(random.seed)")
            let modified = try answer.json["results"]?.parts.map { $0["modified"] }
            #expect(modified == expected.map { .int(Int64($0)) }, "\(operations), round \(round), seed \(random.seed)")
            let now = try stored().map { json in read.first { $0.json.bytes == json.bytes }?.element }
            try #require(now == list, "\(operations), round \(round), seed \(random.seed)")
        }
    }

    /// An embedded object, some of whose properties are equal to another's.
    private struct Part {
        var code: Int
        var size: Int
        var sizes: [Int]
    }

    @Test("embedded objects on the way are those that have most in common with what is meant")
    func ways() throws {
        var random = SeededRandom.ofTest()
        let gateway = try gateway()
        for round in 0..<60 {
            func part() -> Part {
                Part(code: random.below(4), size: random.below(3), sizes: random.oneIn(2) ? [1] : [2, 1])
            }
            let parts = (0..<random.below(5)).map { _ in part() }
            let json = parts.map { #"{"code":"\#($0.code)","size":\#($0.size),"sizes":\#($0.sizes)}"# }
            let put = try gateway.send(.patch, "/v1/objects/Box/1", #"{"parts":[\#(json.joined(separator: ","))]}"#)
            try #require(put.status == 200)
            let known = part()
            let index = random.below(6)
            let given = (0..<3).map { _ in random.oneIn(2) }
            var was: [String] = []
            if given[0] { was.append(#""code":"\#(known.code)""#) }
            if given[1] { was.append(#""size":\#(known.size).0"#) }
            if given[2] { was.append(#""sizes":\#(known.sizes)"#) }
            func likeness(_ part: Part) -> Int {
                [
                    given[0] && part.code == known.code, given[1] && part.size == known.size,
                    given[2] && part.sizes == known.sizes,
                ]
                .filter { $0 }.count
            }
            let alike = parts.indices.filter { likeness(parts[$0]) > 0 }
                .min { (-likeness(parts[$0]), abs($0 - index), $0) < (-likeness(parts[$1]), abs($1 - index), $1) }
            let operation =
                #""op":"set","in":["parts",{"index":\#(index),"was":{\#(was.joined(separator: ","))}}],"value":{"code":"x"}"#
            let answer = try transact(gateway, [operation])
            let words = "\(operation) on \(json), round \(round), seed \(random.seed)"
            guard !was.isEmpty else {
                #expect(answer.status == 422, "\(words)")
                continue
            }
            #expect(try answer.json["results"]?[0]?["modified"] == (alike == nil ? 0 : 1), "\(words)")
            let codes = try gateway.get("/v1/objects/Box/1").json["parts"]?.parts.map { $0["code"] }
            #expect(
                codes == parts.indices.map { $0 == alike ? .string("x") : .string("\(parts[$0].code)") }, "\(words)")
        }
    }
}

extension JSONValue {
    /// Strings that look alike but are different.
    fileprivate var bytes: [UInt8] {
        let writer = JSONWriter(capacity: 64)
        writer.value(self)
        return writer.bytes
    }

    fileprivate var parts: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}
