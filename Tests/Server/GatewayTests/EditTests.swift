import Basics
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("Edits of collections over HTTP")
struct EditTests {
    /// An element type, with three values as they are written and read.
    struct Element: Sendable, CustomTestStringConvertible {
        let type: String
        let values: [String]
        var testDescription: String { type }
    }

    static let elements = [
        Element(type: "int", values: ["1", "2", "9223372036854775807"]),
        Element(type: "int?", values: ["1", "null", "3"]), Element(type: "bool", values: ["true", "false"]),
        Element(type: "double", values: ["1.5", "2.25", "-3.0"]), Element(type: "float?", values: ["0.5", "null"]),
        Element(type: "string", values: [#""a""#, #""""#, #""null""#]),
        Element(type: "string?", values: [#""a""#, "null", #""ü/.""#]),
        Element(type: "date", values: [#""2026-01-31T12:00:00Z""#, #""1970-01-01T00:00:00Z""#]),
        Element(type: "uuid", values: [#""123e4567-e89b-12d3-a456-426614174000""#]),
        Element(type: "objectId", values: [#""0123456789abcdef01234567""#, #""111111111111111111111111""#]),
        Element(type: "data", values: [#""SGVsbG8=""#, #""""#]),
        Element(type: "decimal128", values: [#""1.10""#, #""2""#]),
        Element(type: "mixed", values: ["1", #""a""#, "null", "true"]), Element(type: "Item", values: ["1", "2", "3"]),
    ]

    private static func gateway(_ type: String) throws -> TestGateway {
        let map = type == "Item" ? "Item?" : type
        let gateway = try TestGateway(
            schema: #"""
                {"schemaVersion":1,"classes":[
                  {"name":"Item","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"tags","type":"string[]"},
                    {"name":"holders","type":"linkingObjects(Box.one)"}]},
                  {"name":"Part","embedded":true,"properties":[{"name":"n","type":"int"},{"name":"tags","type":"string[]"}]},
                  {"name":"Box","primaryKey":"id","properties":[
                    {"name":"id","type":"int"},{"name":"list","type":"\#(type)[]"},{"name":"set","type":"\#(type)<>"},
                    {"name":"map","type":"\#(map){}"},{"name":"parts","type":"Part[]"},{"name":"part","type":"Part?"},
                    {"name":"rooms","type":"Part?{}"},{"name":"one","type":"Item?"},{"name":"any","type":"mixed"},
                    {"name":"items","type":"Item[]"}]}]}
                """#)
        _ = try gateway.send(.post, "/v1/objects/Item", #"[{"id":1},{"id":2},{"id":3}]"#)
        #expect(try gateway.send(.post, "/v1/objects/Box", #"{"id":1}"#).status == 201)
        return gateway
    }

    private static func held(_ gateway: TestGateway, _ property: String) throws -> JSONValue? {
        try gateway.get("/v1/objects/Box/1").member(property)
    }

    @Test("a collection given as a whole makes the same few edits of it, by whatever request")
    func waysOfWriting() throws {
        var random = SeededRandom.ofTest()
        let comment: Comment = "seed \(random.seed)"
        func numbers(_ random: inout SeededRandom) -> String {
            "[" + (0..<random.below(7)).map { _ in "\(random.below(5))" }.joined(separator: ",") + "]"
        }
        let gateways = try (0..<4).map { _ in try Self.gateway("int") }
        for _ in 0..<60 {
            let name = random.pick(["list", "set", "map"]) ?? "list"
            var text = numbers(&random)
            if name == "map" {
                text =
                    "{"
                    + (0..<5).filter { _ in random.oneIn(2) }.map { #""k\#($0)":\#(random.below(3))"# }
                    .joined(separator: ",") + "}"
            }
            let requests: [(HTTPMethod, String, String)] = [
                (.patch, "/v1/objects/Box/1", #"{"\#(name)":\#(text)}"#),
                (.post, "/v1/objects/Box?update=modified", #"{"id":1,"\#(name)":\#(text)}"#),
                (.put, "/v1/objects/Box/1/\(name)", text),
                (
                    .post, "/v1/transactions",
                    #"{"operations":[{"op":"set","object":{"class":"Box","key":1},"value":{"\#(name)":\#(text)}}]}"#
                ),
            ]
            var edits: [[ObjectKey: PropertyEdits]] = []
            for (gateway, (method, target, body)) in zip(gateways, requests) {
                let before = try gateway.store.snapshot()
                let box = try #require(before.schema["Box"])
                let status = try gateway.send(method, target, body).status
                #expect((200..<300).contains(status), comment)
                let changes = try gateway.store.changes(after: before.version) ?? []
                edits.append(changes.reduce(into: [:]) { $0.merge($1.classes[box.id]?.edits ?? [:]) { $1 } })
            }
            #expect(edits.allSatisfy { $0 == edits[0] }, comment)
        }
        let all = try gateways.map { try $0.get("/v1/objects/Box/1").member("list") }
        #expect(all.allSatisfy { $0 == all[0] }, comment)
    }

    @Test("lists of every type are what a model of them is", arguments: elements)
    func lists(element: Element) throws {
        let gateway = try Self.gateway(element.type)
        var random = SeededRandom.ofTest(element.type)
        var model: [String] = []
        let path = "/v1/objects/Box/1/list"
        for round in 0..<60 {
            let value = element.values[Int(random.next() % UInt64(element.values.count))]
            let index = Int(random.next() % UInt64(model.count + 2))
            var next = model
            let fits: Bool
            let answer: Response
            switch random.next() % 8 {
            case 0, 1:
                answer = try gateway.send(.post, path, value)
                (fits, next) = (true, model + [value])
            case 2:
                answer = try gateway.send(.post, path + "?index=\(index)", "[\(value),\(value)]")
                fits = index <= model.count
                if fits { next.insert(contentsOf: [value, value], at: index) }
            case 3:
                answer = try gateway.send(.put, path + "/\(index)", value)
                fits = index < model.count
                if fits { next[index] = value }
            case 4:
                answer = try gateway.send(.delete, path + "/\(index)")
                fits = index < model.count
                if fits { next.remove(at: index) }
            case 5:
                let to = Int(random.next() % UInt64(model.count + 1))
                answer = try gateway.send(.post, path + "/move", #"{"from":\#(index),"to":\#(to)}"#)
                fits = max(index, to) < model.count
                if fits { next.insert(next.remove(at: index), at: to) }
            case 6:
                next = (0..<random.next() % 6).map { element.values[Int($0) % element.values.count] }
                answer = try gateway.send(.put, path, "[\(next.joined(separator: ","))]")
                fits = true
            default:
                guard round % 5 == 0 else { continue }
                answer = try gateway.send(.delete, path)
                (fits, next) = (true, [])
            }
            #expect(answer.status == (fits ? 200 : answer.status == 404 ? 404 : 422), "\(round): \(answer.text)")
            if !fits {
                let code = answer.status == 404 ? "object.unknown_index" : "object.index_out_of_bounds"
                #expect(answer.member("code") == .string(code))
            }
            model = fits ? next : model
            if fits { #expect(answer.member("count") == .int(Int64(model.count)), "\(round): \(answer.text)") }
            let expected = try JSONValue.parse("[\(model.joined(separator: ","))]")
            #expect(try Self.held(gateway, "list") == expected, "round \(round)")
        }
    }

    @Test("sets and maps of every type take elements once and give them back", arguments: elements)
    func setsAndMaps(element: Element) throws {
        let gateway = try Self.gateway(element.type)
        let set = "/v1/objects/Box/1/set"
        let all = "[\(element.values.joined(separator: ","))]"
        let added = try gateway.send(.post, set, all)
        #expect(added.status == 200, "\(added.text)")
        #expect(added.member("modified") == .int(Int64(element.values.count)))
        #expect(try gateway.send(.post, set, element.values[0]).member("modified") == .int(0))
        #expect(try gateway.send(.post, set + "?index=0", element.values[0]).status == 400)
        #expect(try gateway.send(.put, set + "/0", element.values[0]).status == 422)
        for (index, value) in element.values.enumerated() {
            let text = value.utf8.map { "%" + (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)) }.joined()
            let gone = try gateway.send(.delete, set + "?value=\(text)")
            #expect(gone.member("modified") == .int(1), "\(value): \(gone.text)")
            #expect(gone.member("count") == .int(Int64(element.values.count - index - 1)))
            #expect(try gateway.send(.delete, set + "?value=\(text)").member("modified") == .int(0))
        }
        #expect(try gateway.send(.put, set, all).member("count") == .int(Int64(element.values.count)))
        #expect(try gateway.send(.delete, set).member("count") == .int(0))

        let map = "/v1/objects/Box/1/map"
        for key in ["a", "move", "a%2Fb%20%C3%BC"] {
            let put = try gateway.send(.put, "\(map)/\(key)", element.values[0])
            #expect(put.status == 200, "\(put.text)")
        }
        #expect(try gateway.send(.put, map + "/a.b", element.values[0]).status == 422)
        #expect(try gateway.send(.put, map + "/a", element.values[1 % element.values.count]).member("count") == .int(3))
        let value = element.values[0]
        #expect(
            try Self.held(gateway, "map")
                == JSONValue.parse(
                    #"{"a":\#(element.values[1 % element.values.count]),"a/b ü":\#(value),"move":\#(value)}"#))
        #expect(try gateway.send(.post, map, value).status == 422)
        #expect(try gateway.send(.delete, map + "/move").member("count") == .int(2))
        #expect(try gateway.send(.delete, map + "/move").status == 404)
        #expect(try gateway.send(.put, map, #"{"x":\#(value)}"#).member("count") == .int(1))
        #expect(try gateway.send(.delete, map).status == 200)
        #expect(try Self.held(gateway, "map") == [:])
    }

    @Test("embedded objects, links and mixed values are reached through paths")
    func deeper() throws {
        let gateway = try Self.gateway("int")
        let box = "/v1/objects/Box/1"
        let steps: [(HTTPMethod, String, String?, Int)] = [
            (.post, "/parts", #"[{"n":1},{"n":2,"tags":["a"]}]"#, 200), (.post, "/parts?index=0", #"{"n":0}"#, 200),
            (.put, "/parts/1", #"{"n":9}"#, 200), (.post, "/parts/2/tags", #""b""#, 200),
            (.patch, "/parts/0", #"{"n":7}"#, 200), (.post, "/parts/move", #"{"from":2,"to":0}"#, 200),
            (.put, "/part", #"{"n":3}"#, 200), (.put, "/part/n", "4", 200), (.post, "/part/tags", #"["x","y"]"#, 200),
            (.delete, "/part/tags/0", nil, 200), (.put, "/rooms/hall", #"{"n":5}"#, 200),
            (.put, "/rooms/hall/tags", #"["q"]"#, 200), (.put, "/rooms/none/tags", "[]", 404),
            (.put, "/one/tags/0", #""x""#, 404), (.put, "/one", "2", 200), (.post, "/one/tags", #""deep""#, 200),
            (.put, "/one/id/x", "1", 404), (.post, "/one/holders", "1", 422), (.delete, "/one/holders", nil, 422),
            (.post, "/one/holders/0/list", "8", 200), (.post, "/any", "1", 422),
            (.put, "/any", #"{"l":[1,{"k":2}],"link":{"$link":{"class":"Item","key":3}}}"#, 200),
            (.post, "/any/l", #""z""#, 200), (.put, "/any/l/1/k", "3", 200), (.put, "/any/l/1/new", "4", 200),
            (.post, "/any/l/move", #"{"from":2,"to":0}"#, 200), (.delete, "/any/l/1", nil, 200),
            (.put, "/any/l/9", "1", 404), (.post, "/any/link/tags", #""m""#, 200), (.delete, "/any/gone", nil, 404),
            (.post, "/list/x", "1", 400), (.put, "/lists", "1", 404), (.post, "/items", "9", 422),
            (.post, "/items", #"[3,{"id":4}]"#, 200), (.put, "/items/0", #"{"$link":{"class":"Item","key":1}}"#, 200),
        ]
        for (method, path, body, status) in steps {
            let answer = try gateway.send(method, box + path, body)
            #expect(answer.status == status, "\(method) \(path): \(answer.text)")
        }
        #expect(
            try gateway.get(box).json
                == JSONValue.parse(
                    #"""
                    {"id":1,"list":[8],"set":[],"map":{},
                     "parts":[{"n":2,"tags":["a","b"]},{"n":7,"tags":[]},{"n":9,"tags":[]}],"part":{"n":4,"tags":["y"]},
                     "rooms":{"hall":{"n":5,"tags":["q"]}},"one":2,
                     "any":{"l":["z",{"k":3,"new":4}],"link":{"$link":{"class":"Item","key":3}}},"items":[1,4]}
                    """#))
        #expect(try gateway.get("/v1/objects/Item/2").member("tags") == .array([.string("deep")]))
        #expect(try gateway.get("/v1/objects/Item/3").member("tags") == .array([.string("m")]))
        #expect(try gateway.send(.delete, box + "/part").status == 200)
        #expect(try gateway.get("/v1/objects/Part?count=true").member("count") == .int(4))
    }

    @Test("observers hear of the elements that are different, and of no others")
    func changes() throws {
        let gateway = try Self.gateway("int")
        let box = "/v1/objects/Box/1"
        func edit(_ method: HTTPMethod, _ path: String, _ body: String?) throws -> CollectionEdit? {
            let before = try gateway.store.snapshot().version
            #expect(try gateway.send(method, box + path, body).status == 200)
            let changes = try gateway.store.changes(after: before)?.first?.classes[ClassID(3)]
            return changes?.edits[ObjectKey(0)]?[PropertyID(2)]
        }
        func runs(_ indices: [Int]) -> IndexRuns { IndexRuns(runs: indices.map { $0..<$0 + 1 }) }
        func list(_ deletions: [Int], _ insertions: [Int], _ modifications: [Int]) -> CollectionEdit {
            .list(
                ListEdit(
                    deletions: runs(deletions), insertions: runs(insertions), modifications: runs(modifications)))
        }
        #expect(try edit(.post, "/list", "[1,2,3,4]") == list([], [0, 1, 2, 3], []))
        #expect(try edit(.post, "/list?index=1", "9") == list([], [1], []))
        #expect(try edit(.delete, "/list/0", nil) == list([0], [], []))
        #expect(try edit(.put, "/list/0", "8") == list([], [], [0]))
        // Also assigned as a whole: [8,2,3,4].
        #expect(try edit(.put, "/list", "[7,8,2,3,4]") == list([], [0], []))
        #expect(try edit(.patch, "", #"{"list":[7,8,3,4]}"#) == list([2], [], []))
        #expect(try edit(.patch, "", #"{"list":[7,8,5,4]}"#) == list([], [], [2]))
        #expect(try edit(.patch, "", #"{"list":[7,8,5,4]}"#) == nil)
    }

    @Test("an edit is bound to the object as it was read")
    func conditions() throws {
        let gateway = try Self.gateway("int")
        let tag = try #require(try gateway.get("/v1/objects/Box/1").headers["ETag"])
        let first = try gateway.send(.post, "/v1/objects/Box/1/list", "1", headers: ["If-Match": tag])
        #expect(first.status == 200, "\(first.text)")
        #expect(try gateway.send(.post, "/v1/objects/Box/1/list", "1", headers: ["If-Match": tag]).status == 412)
        let next = try #require(first.headers["ETag"])
        #expect(try gateway.get("/v1/objects/Box/1").headers["ETag"] == next)
        #expect(try gateway.send(.delete, "/v1/objects/Box/1/list/0", headers: ["If-Match": next]).status == 200)
    }

    @Test(
        "an edit accepts the tag that a read of its own path gave, until what it leads to changes",
        arguments: [
            ("part", #"{"n":2}"#, #"{"n":3}"#), ("parts/0", #"{"n":2}"#, #"{"n":3}"#),
            ("rooms/k", #"{"n":2}"#, #"{"n":3}"#), ("one", #"{"tags":["a"]}"#, #"{"tags":["b"]}"#),
            ("items/1", #"{"tags":["a"]}"#, #"{"tags":["b"]}"#),
        ])
    func ownTag(path: String, first: String, second: String) throws {
        let gateway = try Self.gateway("int")
        let filled = try gateway.send(
            .patch, "/v1/objects/Box/1",
            #"{"part":{"n":1},"parts":[{"n":1}],"rooms":{"k":{"n":1}},"one":2,"items":[1,3]}"#)
        #expect(filled.status == 200, "\(filled.text)")
        let url = "/v1/objects/Box/1/\(path)"
        func patch(_ body: String, _ name: String, _ tag: String) throws -> Int {
            try gateway.send(.patch, url, body, headers: [name: tag]).status
        }
        let tag = try #require(try gateway.get(url).headers["ETag"])
        #expect(try patch(first, "If-None-Match", tag) == 412)
        #expect(try patch(first, "If-Match", tag) == 200)
        #expect(try patch(second, "If-Match", tag) == 412)
        let next = try #require(try gateway.get(url).headers["ETag"])
        #expect(next != tag)
        // A change elsewhere does not matter.
        _ = try gateway.send(.post, "/v1/objects/Item", #"{"id":9}"#)
        #expect(try patch(second, "If-Match", next) == 200)
    }

    @Test("an edit of a collection accepts the tag of its read, until anything changes", arguments: ["list", "set"])
    func stateTag(path: String) throws {
        let gateway = try Self.gateway("int")
        let url = "/v1/objects/Box/1/\(path)"
        let tag = try #require(try gateway.get(url).headers["ETag"])
        #expect(try gateway.send(.post, url, "1", headers: ["If-Match": tag]).status == 200)
        #expect(try gateway.send(.post, url, "2", headers: ["If-Match": tag]).status == 412)
    }

    @Test("many objects are changed and deleted by a filter, and never all by mistake")
    func bulk() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        func count(_ filter: String) throws -> JSONValue? {
            try gateway.get("/v1/objects/Dog?count=true&filter=\(filter)").member("count")
        }
        #expect(try gateway.send(.patch, "/v1/objects/Dog", #"{"age":1}"#).status == 400)
        #expect(try gateway.send(.delete, "/v1/objects/Dog").status == 400)
        let set = try gateway.send(
            .patch, "/v1/objects/Dog?filter=breed==$0&args=%5B%22Beagle%22%5D", #"{"age":1,"owner":"bob"}"#)
        #expect(set.member("modified") == .int(2), "\(set.text)")
        #expect(try count("age==1%20AND%20owner.handle=='bob'") == .int(2))
        #expect(
            try gateway.send(.patch, "/v1/objects/Dog?all=true&sort=-_id&limit=1", #"{"age":77}"#).member("modified")
                == .int(1))
        #expect(try gateway.get("/v1/objects/Dog/4").member("age") == .int(77))
        #expect(try gateway.send(.patch, "/v1/objects/Dog?all=true", #"{"_id":1}"#).status == 409)
        #expect(
            try gateway.send(.patch, "/v1/objects/Person/bob/dogs?filter=_id==3", #"{"age":5}"#).member("modified")
                == .int(1))
        #expect(try gateway.send(.patch, "/v1/objects/Person/bob/dogs", #"{"age":5}"#).status == 400)
        #expect(try gateway.send(.delete, "/v1/objects/Dog?filter=age==1").member("deleted") == .int(1))
        let version = try #require(try gateway.get("/v1/objects/Dog").headers["ETag"])
        #expect(try gateway.send(.delete, "/v1/objects/Dog?all=true", headers: ["If-Match": "\"1\""]).status == 412)
        #expect(
            try gateway.send(.delete, "/v1/objects/Dog?all=true", headers: ["If-Match": version]).member("deleted")
                == .int(3))

        let boxes = try Self.gateway("int")
        _ = try boxes.send(.put, "/v1/objects/Box/1/items", "[1,2,1,3]")
        let gone = try boxes.send(.delete, "/v1/objects/Box/1/items?filter=id==1")
        #expect(gone.member("modified") == .int(2), "\(gone.text)")
        #expect(try Self.held(boxes, "items") == [2, 3].json)
        #expect(try boxes.get("/v1/objects/Item/1").status == 200)
        #expect(try boxes.send(.delete, "/v1/objects/Box/1/list?filter=id==1").status == 400)
        #expect(try boxes.send(.delete, "/v1/objects/Box/1/items").member("count") == .int(0))
    }
}

extension [Int] {
    fileprivate var json: JSONValue { .array(map { .int(Int64($0)) }) }
}
