import HTTPMessages
import JSONCoding
import Testing

@testable import ModelContext

/// A gateway that gives one response, and refuses to be asked for anything else.
private struct OneAnswer: GatewayPort {
    let request: GatewayRequest
    let answer: GatewayResponse

    func send(_ request: GatewayRequest) throws(ToolError) -> GatewayResponse {
        guard request == self.request else { throw ToolError("\(request.method) \(request.target)") }
        return answer
    }
}

@Suite("Tools for language models")
struct ToolServerTests {
    private func answer(to line: String, _ port: OneAnswer, allowsWrites: Bool = false) throws -> JSONValue {
        let server = ToolServer(tools: Toolbox(allowsWrites: allowsWrites), port: port, version: "1.2.3")
        return try JSONValue.parse(try #require(server.response(to: Array(line.utf8))))
    }

    private func call(_ tool: String, _ arguments: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
    }

    private let schema = OneAnswer(
        request: GatewayRequest(method: .get, target: "/v1/schema"),
        answer: GatewayResponse(status: 200, body: Array("{}".utf8)))

    @Test("a handshake says the program's version")
    func version() throws {
        let line = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#
        #expect(try answer(to: line, schema)["result"]?["serverInfo"]?["version"] == "1.2.3")
    }

    @Test("a tool makes one request, and gives the body of the response or the sentences of the refusal")
    func calls() throws {
        let read = try answer(to: call("schema", "{}"), schema)
        #expect(read["result"]?["content"] == [["type": "text", "text": "{}"]])
        let refused = OneAnswer(
            request: GatewayRequest(method: .get, target: "/v1/objects/%FF../a%2Fb"),
            answer: GatewayResponse(
                status: 404, body: Array(#"{"detail":"There is none","hint":"Dog","code":"class.unknown"}"#.utf8)))
        let result = try answer(to: call("get", #"{"class":"..","key":"a/b"}"#), refused)["result"]
        #expect(result?["isError"] == true)
        let text = "There is none. Did you mean 'Dog'? (class.unknown)"
        #expect(result?["content"] == [["type": "text", "text": .string(text)]])
    }

    @Test("without writes, the tools that write are neither listed nor run")
    func readOnly() throws {
        let line = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
        guard case .array(let few)? = try answer(to: line, schema)["result"]?["tools"],
            case .array(let all)? = try answer(to: line, schema, allowsWrites: true)["result"]?["tools"]
        else {
            Issue.record("There is no list of tools.")
            return
        }
        let writing = all.filter { !few.contains($0) }
        #expect(!writing.isEmpty && writing.allSatisfy { $0["annotations"]?["readOnlyHint"] == false })
        #expect(few.allSatisfy { $0["annotations"]?["readOnlyHint"] == true })
        let refusal = try answer(to: call("delete", #"{"class":"Dog","key":1}"#), schema)["result"]
        #expect(refusal?["isError"] == true)
    }
}
