import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

@Suite("Transactions that say which element they mean")
struct TransactionPlaceTests {
    private static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Part","embedded":true,"properties":[
            {"name":"code","type":"string"},{"name":"sizes","type":"int[]"},{"name":"inner","type":"Inner?"}]},
          {"name":"Inner","embedded":true,"properties":[{"name":"code","type":"string"},{"name":"sizes","type":"int[]"}]},
          {"name":"Box","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"names","type":"string?[]"},{"name":"marks","type":"int<>"},
            {"name":"boxes","type":"Box[]"},{"name":"any","type":"mixed[]"},{"name":"part","type":"Part?"},
            {"name":"parts","type":"Part[]"},{"name":"byName","type":"Part?{}"},{"name":"other","type":"Box?"}]}]}
        """#

    private func gateway() throws -> TestGateway {
        let gateway = try TestGateway(schema: Self.schema)
        let boxes = #"""
            [{"id":2},{"id":3},{"id":1,"names":["a","b","a",null,"a"],"boxes":[2,3],"any":[1,"x",{"k":[1]},{"$link":{"class":"Box","key":2}}],
              "part":{"code":"p","inner":{"code":"q"}},"parts":[{"code":"k"},{"code":"l","sizes":[7]},{"code":"k","sizes":[1]}],
              "byName":{"x":{"code":"m"}}}]
            """#
        #expect(try gateway.send(.post, "/v1/objects/Box", boxes).status < 300)
        return gateway
    }

    private func edit(_ gateway: TestGateway, _ members: String) throws -> Response {
        try gateway.send(
            .post, "/v1/transactions", #"{"operations":[{"object":{"class":"Box","key":1},\#(members)}]}"#)
    }

    private func names(_ gateway: TestGateway) throws -> JSONValue? {
        try gateway.get("/v1/objects/Box/1").json["names"]
    }

    @Test("the nearest element that is as it was is meant; of two the earlier one")
    func nearest() throws {
        let gateway = try gateway()
        #expect(
            try edit(gateway, #""op":"replace","property":"names","index":3,"was":"b","value":"B""#).status == 200)
        #expect(try names(gateway) == ["a", "B", "a", .null, "a"])
        #expect(try edit(gateway, #""op":"remove","property":"names","index":3,"was":"a""#).status == 200)
        #expect(try names(gateway) == ["a", "B", .null, "a"])
        #expect(
            try edit(gateway, #""op":"replace","property":"names","index":90,"was":null,"value":"n""#).status == 200)
        #expect(try names(gateway) == ["a", "B", "n", "a"])
        #expect(try edit(gateway, #""op":"move","property":"names","index":1,"was":"n","to":90"#).status == 200)
        #expect(try names(gateway) == ["a", "B", "a", "n"])
        #expect(
            try edit(gateway, #""op":"insert","property":"names","index":4,"behind":"B","value":["x","y"]"#).status
                == 200)
        #expect(try names(gateway) == ["a", "B", "x", "y", "a", "n"])
    }

    @Test("without an element that is as it was nothing is done")
    func missing() throws {
        let gateway = try gateway()
        let before = try names(gateway)
        for members in [
            #""op":"replace","property":"names","index":0,"was":"zzz","value":"B""#,
            #""op":"remove","property":"names","index":0,"was":"zzz""#,
            #""op":"move","property":"names","index":0,"was":"zzz","to":1"#,
            #""op":"insert","property":"names","index":1,"behind":"zzz","value":"e""#,
            #""op":"insert","property":"names","index":1,"behind":"zzz","orAtIndex":false,"value":["e","f"]"#,
        ] {
            let answer = try edit(gateway, members)
            #expect(answer.status == 200)
            #expect(try answer.json["results"]?[0]?["modified"] == 0)
            #expect(try answer.json["results"]?[0]?["count"] == 5)
        }
        #expect(try names(gateway) == before)
    }

    @Test("what is put in goes where it was to go without the element before it, when that was asked for")
    func orAtIndex() throws {
        let gateway = try gateway()
        for (index, value) in [(1, "e"), (99, "f")] {
            let members =
                #""op":"insert","property":"names","index":\#(index),"behind":"zzz","orAtIndex":true,"value":"\#(value)""#
            #expect(try edit(gateway, members).status == 200)
        }
        #expect(try names(gateway) == ["a", "e", "b", "a", .null, "a", "f"])
    }

    @Test(
        "an embedded object that has nothing in common with what is meant is left alone",
        arguments: [
            #""op":"set","in":["parts",{"index":0,"was":{"code":"77"}}],"value":{"code":"x"}"#,
            #""op":"append","in":["parts",{"index":0,"was":{"code":"77","sizes":[9]}}],"property":"sizes","value":5"#,
            #""op":"insert","in":["parts",{"index":1,"was":{"code":"gone"}}],"property":"sizes","index":0,"value":6"#,
            #""op":"clear","in":["parts",{"index":1,"was":{"code":"gone"}}],"property":"sizes""#,
            #""op":"set","in":["parts",{"index":1,"was":{"code":"gone"}},"inner"],"value":{"code":"x"}"#,
            #""op":"set","in":["parts",{"index":0,"was":{"code":"gone","inner":null,"sizes":[]}}],"value":{"code":"x"}"#,
            #""op":"set","in":["parts",{"index":1,"was":{"sizes":[]}}],"value":{"code":"x"}"#,
        ])
    func deletedEmbedded(_ members: String) throws {
        let gateway = try gateway()
        let before = try gateway.get("/v1/objects/Box/1").json
        let answer = try edit(gateway, members)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.json["results"]?[0]?["modified"] == 0)
        #expect(try gateway.get("/v1/objects/Box/1").json == before)
    }

    @Test("what is null or empty tells objects apart only where nothing else does")
    func nulls() throws {
        let gateway = try gateway()
        for (index, was) in [(2, #"{"inner":null,"sizes":[]}"#), (1, #"{"code":"k","inner":null,"sizes":[]}"#)] {
            let members = #""op":"set","in":["parts",{"index":\#(index),"was":\#(was)}],"value":{"code":"x"}"#
            _ = try edit(gateway, members)
        }
        let parts = try gateway.get("/v1/objects/Box/1").json["parts"]
        #expect(parts?[0]?["code"] == "x" && parts?[1]?["code"] == "l" && parts?[2]?["code"] == "k")
    }

    @Test(
        "an element of which nothing is named is refused",
        arguments: [
            #""op":"set","in":["parts",{"index":0,"was":{}}],"value":{"code":"x"}"#,
            #""op":"remove","property":"parts","index":0,"was":{}"#,
        ])
    func nothingNamed(_ members: String) throws {
        let gateway = try gateway()
        let answer = try edit(gateway, members)
        #expect(answer.status == 422 && answer.text.contains("names no property"), "\(answer.text)")
    }

    @Test("links, mixed values and embedded objects are told by what they are")
    func kinds() throws {
        let gateway = try gateway()
        #expect(try edit(gateway, #""op":"remove","property":"boxes","index":0,"was":3"#).status == 200)
        #expect(try edit(gateway, #""op":"remove","property":"boxes","index":0,"was":77"#).status == 200)
        for was in [#"{"$link":{"class":"Box","key":2}}"#, #"{"k":[1]}"#, #""x""#] {
            #expect(try edit(gateway, #""op":"remove","property":"any","index":0,"was":\#(was)"#).status == 200)
        }
        #expect(
            try edit(gateway, #""op":"remove","property":"parts","index":0,"was":{"code":"k","sizes":[1]}"#).status
                == 200)
        let box = try gateway.get("/v1/objects/Box/1").json
        #expect(box["boxes"] == [2])
        #expect(box["any"] == [1])
        #expect(box["parts"]?[0]?["code"] == "k" && box["parts"]?[1]?["code"] == "l")
    }

    @Test("embedded objects are edited where they are, at the end of a way")
    func embedded() throws {
        let gateway = try gateway()
        for members in [
            #""op":"set","in":["part"],"value":{"sizes":[1]}"#,
            #""op":"set","in":["part","inner"],"value":{"code":"Q"}"#,
            #""op":"append","in":["part","inner"],"property":"sizes","value":5"#,
            #""op":"set","in":["parts",{"index":0,"was":{"code":"l"}}],"value":{"code":"L"}"#,
            #""op":"insert","in":["parts",{"index":1}],"property":"sizes","index":0,"value":6"#,
            #""op":"replace","in":["parts",1],"property":"sizes","index":1,"was":7,"value":8"#,
            #""op":"set","in":["byName","x"],"value":{"code":"M"}"#,
        ] {
            let answer = try edit(gateway, members)
            #expect(answer.status == 200, "\(members): \(answer.text)")
        }
        let box = try gateway.get("/v1/objects/Box/1").json
        #expect(box["part"]?["code"] == "p" && box["part"]?["sizes"] == [1])
        #expect(box["part"]?["inner"]?["code"] == "Q" && box["part"]?["inner"]?["sizes"] == [5])
        #expect(box["parts"]?[1]?["code"] == "L" && box["parts"]?[1]?["sizes"] == [6, 8])
        #expect(box["byName"]?["x"]?["code"] == "M")
    }

    @Test(
        "a way that leads nowhere, and what only lists have, are refused by what is wrong",
        arguments: [
            (#""op":"set","in":[],"value":{}"#, 422, "$.operations[0].in"),
            (#""op":"set","in":["nothing"],"value":{}"#, 422, "$.operations[0].in[0]"),
            (#""op":"set","in":["other"],"value":{}"#, 422, "$.operations[0].in[0]"),
            (#""op":"set","in":[3],"value":{}"#, 422, "$.operations[0].in[0]"),
            (#""op":"set","in":["parts"],"value":{}"#, 422, "$.operations[0].in[0]"),
            (#""op":"set","in":["parts","x"],"value":{}"#, 422, "$.operations[0].in[1]"),
            (#""op":"set","in":["parts",{"index":0,"is":1}],"value":{}"#, 422, "$.operations[0].in[1].is"),
            (#""op":"set","in":["byName",0],"value":{}"#, 422, "$.operations[0].in[1]"),
            (#""op":"set","in":["parts",9],"value":{}"#, 404, "$.operations[0].in"),
            (#""op":"set","in":["parts",0,"inner"],"value":{}"#, 404, "$.operations[0].in"),
            (#""op":"remove","property":"marks","value":1,"was":1"#, 422, "$.operations[0].was"),
            (#""op":"remove","property":"names","index":0,"was":1"#, 422, "$.operations[0].was"),
            (#""op":"append","property":"names","was":"a","value":"b""#, 422, "$.operations[0].was"),
            (
                #""op":"insert","property":"names","index":0,"orAtIndex":true,"value":"b""#, 422,
                "$.operations[0].orAtIndex"
            ),
            (#""op":"remove","property":"names","index":0,"orAtIndex":true"#, 422, "$.operations[0].orAtIndex"),
        ])
    func faults(_ members: String, _ status: Int, _ path: String) throws {
        let gateway = try gateway()
        let answer = try edit(gateway, members)
        #expect(answer.status == status, "\(answer.text)")
        #expect(try answer.json["path"] == .string(path), "\(answer.text)")
        #expect(try answer.json["operation"] == 0)
    }
}
