import JSONCoding
import ObjectModel
import StoreContract
import StoreTesting
import Testing
import WireProtocol
import TestBasics

@Suite("Operations of transactions")
struct TransactionOperationTests {
    @Test("what is written of any operation reads as the same operation")
    func roundTrip() throws {
        var random = SeededRandom.ofTest()
        print("operations seed \(random.seed)")
        for _ in 0..<2000 {
            let operation = RandomForms.operation(&random)
            let text = String(decoding: operation.json.bytes, as: UTF8.self)
            #expect(try TransactionOperation(try JSONValue.parse(operation.json.bytes)) == operation, "\(text)")
        }
    }

    @Test("the text of a transaction has the operations in their order")
    func body() throws {
        var random = SeededRandom.ofTest()
        print("bodies seed \(random.seed)")
        for count in [0, 1, 7] {
            let operations = (0..<count).map { _ in RandomForms.operation(&random) }
            let form = try TransactionForm(try JSONValue.parse(TransactionForm.bytes(operations)))
            #expect(form.expected == nil)
            #expect(try form.operations.map { try TransactionOperation($0) } == operations)
        }
    }

    @Test(
        "each operation has one text",
        arguments: [
            (
                .create(.init(className: "Dog", value: ["_id": 1], policy: .modified)),
                #"{"op":"create","class":"Dog","value":{"_id":1},"update":"modified"}"#
            ),
            (
                .set(.init(.object(className: "Dog", key: 1), path: [.name("home")]), value: ["city": "Turin"]),
                #"{"op":"set","object":{"class":"Dog","key":1},"in":["home"],"value":{"city":"Turin"}}"#
            ),
            (
                .edit(
                    .init(
                        .init(.made("a"), path: [.name("phones"), .position(0, was: ["kind": "home"])]), "tags",
                        .insert(at: 2, behind: "x", orAtIndex: true, ["y"]))),
                #"{"op":"insert","object":{"ref":"a"},"in":["phones",{"index":0,"was":{"kind":"home"}}],"property":"tags","index":2,"behind":"x","orAtIndex":true,"value":["y"]}"#
            ),
            (
                .edit(.init(.init(.object(className: "Dog", key: 1)), "tags", .removeAt(3, was: .null))),
                #"{"op":"remove","object":{"class":"Dog","key":1},"property":"tags","index":3,"was":null}"#
            ),
            (
                .require(.objects(className: "Dog", filter: nil, arguments: nil, exists: nil, count: 3)),
                #"{"op":"require","class":"Dog","count":3}"#
            ),
        ] as [(TransactionOperation, String)])
    func text(operation: TransactionOperation, text: String) {
        #expect(String(decoding: operation.json.bytes, as: UTF8.self) == text)
    }

    @Test(
        "what is not an operation is refused with the place",
        arguments: [
            (#"{"op":"crate"}"#, "$.op", "create"), (#"[]"#, "$.op", nil),
            (#"{"op":"delete","object":7}"#, "$.object", nil),
            (#"{"op":"delete","object":{"class":"Dog","key":1},"valeu":1}"#, "$.valeu", nil),
            (#"{"op":"create"}"#, "$.class", nil),
            (#"{"op":"create","class":"Dog","update":"modifed"}"#, "$.update", "modified"),
            (#"{"op":"replace","object":{"ref":"a"},"property":"x","value":1}"#, "$.index", nil),
            (#"{"op":"append","object":{"ref":"a"},"value":1}"#, "$.property", nil),
            (#"{"op":"append","object":{"ref":"a"},"property":"x"}"#, "$.value", nil),
            (#"{"op":"move","object":{"ref":"a"},"property":"x","index":-1,"to":0}"#, "$.index", nil),
            (#"{"op":"remove","object":{"ref":"a"},"property":"x"}"#, "$", nil),
            (#"{"op":"remove","object":{"ref":"a"},"property":"x","mapKey":"k","was":1}"#, "$.was", nil),
            (
                #"{"op":"insert","object":{"ref":"a"},"property":"x","index":0,"orAtIndex":true,"value":1}"#,
                "$.orAtIndex", nil
            ),
            (#"{"op":"set","object":{"ref":"a"},"in":[],"value":{}}"#, "$.in", nil),
            (#"{"op":"set","object":{"ref":"a"},"in":["x",{"idnex":0}],"value":{}}"#, "$.in[1].idnex", "index"),
            (#"{"op":"set","object":{"ref":"a"},"in":["x",true],"value":{}}"#, "$.in[1]", nil),
            (#"{"op":"require","object":{"ref":"a"},"class":"Dog"}"#, "$.class", nil),
        ] as [(String, String, String?)])
    func faults(text: String, path: String, hint: String?) throws {
        let fault = #expect(throws: TransactionError.self) {
            try TransactionOperation(try JSONValue.parse(Array(text.utf8)))
        }
        #expect(fault?.path == path)
        if let hint { #expect(fault?.hint == hint) }
    }

    @Test("an answer tells the version and what became of each operation; anything else is none")
    func answer() throws {
        let text = #"{"version":41,"results":[{"class":"Dog","key":1,"created":false},{"modified":3,"count":9}]}"#
        let answer = try #require(TransactionAnswer(try JSONValue.parse(Array(text.utf8))))
        #expect(answer.version == Version(41))
        #expect(answer.results.map(\.created) == [false, nil])
        #expect(answer.results.map(\.modified) == [0, 3])
        #expect(TransactionAnswer(["status": "ok"]) == nil)
        #expect(TransactionAnswer("hello") == nil)
    }

    @Test("what a transaction expects of the store is a mark, because a number may be of another history")
    func expected() throws {
        #expect(throws: TransactionError.self) { try TransactionForm(["ifVersion": 7, "operations": []]) }
        let mark = try #require(Mark("7-0a1b2c3d"))
        #expect(try TransactionForm(["ifVersion": "7-0a1b2c3d", "operations": []]).expected == mark)
        #expect(throws: TransactionError.self) { try TransactionForm(["ifVersion": "x", "operations": []]) }
        #expect(throws: TransactionError.self) { try TransactionForm(["operations": 1]) }
        #expect(throws: TransactionError.self) { try TransactionForm([]) }
    }
}
