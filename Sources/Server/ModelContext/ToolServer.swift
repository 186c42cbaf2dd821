import JSONCoding

/// A server of the Model Context Protocol: responds to the messages of one client with the tools for a database.
///
/// It speaks the revisions that begin with a handshake, and the later one whose requests say their revision themselves.
package struct ToolServer {
    private let tools: Toolbox
    private let port: any GatewayPort
    private let identity: JSONValue

    /// The revisions with a handshake, oldest first.
    static let handshakeVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
    /// Those without.
    static let envelopeVersions = ["2026-07-28"]

    private static let versionName = "io.modelcontextprotocol/protocolVersion"
    private static let serverName = "io.modelcontextprotocol/serverInfo"

    /// - Parameter version: of the program, for its clients.
    package init(tools: Toolbox, port: any GatewayPort, version: String) {
        self.tools = tools
        self.port = port
        identity = ["name": "realmgate", "title": "Realmgate", "version": .string(version)]
    }

    /// An error of JSON-RPC.
    private struct ProtocolError: Error {
        var code: Int64
        var message: String
        var data: JSONValue?

        static func parameters(_ message: String) -> ProtocolError { ProtocolError(code: -32602, message: message) }
    }

    /// Answers a line; nil for one that asks nothing.
    package func response(to line: [UInt8]) -> [UInt8]? {
        let response: JSONValue?
        do throws(JSONError) {
            response = self.response(to: try JSONValue.parse(line))
        } catch {
            response = Self.refusal(.null, ProtocolError(code: -32700, message: "This line is not JSON: \(error)"))
        }
        return response.map { value in
            let json = JSONWriter(capacity: 1024)
            json.value(value)
            return json.bytes
        }
    }

    private func response(to message: JSONValue) -> JSONValue? {
        // The revision of March 2025 has arrays of messages.
        guard case .array(let all) = message, !all.isEmpty else { return response(toSingle: message) }
        let responses = all.compactMap { response(toSingle: $0) }
        return responses.isEmpty ? nil : .array(responses)
    }

    private func response(toSingle message: JSONValue) -> JSONValue? {
        guard case .object = message, message["jsonrpc"] == "2.0" else {
            return Self.refusal(.null, ProtocolError(code: -32600, message: "This is not a message of JSON-RPC 2.0."))
        }
        guard case .string(let method)? = message["method"] else {
            // A response: this server asks nothing, so it is to nothing.
            if message["result"] != nil || message["error"] != nil { return nil }
            return Self.refusal(
                message["id"] ?? .null, ProtocolError(code: -32600, message: "The message has no method."))
        }
        // What has no id is a notification, none of which matters here.
        guard let id = message["id"] else { return nil }
        do {
            return .object(
                JSONObject([
                    JSONObject.Member(name: "jsonrpc", value: "2.0"), JSONObject.Member(name: "id", value: id),
                    JSONObject.Member(name: "result", value: try result(of: method, message["params"] ?? [:])),
                ]))
        } catch {
            return Self.refusal(id, error)
        }
    }

    private static func refusal(_ id: JSONValue, _ fault: ProtocolError) -> JSONValue {
        var error: [JSONObject.Member] = [
            JSONObject.Member(name: "code", value: .int(fault.code)),
            JSONObject.Member(name: "message", value: .string(fault.message)),
        ]
        if let data = fault.data { error.append(JSONObject.Member(name: "data", value: data)) }
        return .object(
            JSONObject([
                JSONObject.Member(name: "jsonrpc", value: "2.0"), JSONObject.Member(name: "id", value: id),
                JSONObject.Member(name: "error", value: .object(JSONObject(error))),
            ]))
    }

    // MARK: Methods

    private func result(of method: String, _ parameters: JSONValue) throws(ProtocolError) -> JSONValue {
        let isEnvelope = try checkVersion(parameters)
        var members: [JSONObject.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(JSONObject.Member(name: name, value: value)) }
        switch method {
        case "initialize":
            add("protocolVersion", .string(Self.agreed(parameters["protocolVersion"])))
            add("capabilities", Self.capabilities)
            add("serverInfo", identity)
            add("instructions", .string(tools.instructions))
        case "server/discover":
            add("supportedVersions", .array((Self.handshakeVersions + Self.envelopeVersions).map { .string($0) }))
            add("capabilities", Self.capabilities)
            add("instructions", .string(tools.instructions))
        case "ping": break
        case "tools/list": add("tools", .array(tools.descriptions))
        case "tools/call":
            let (text, isError) = try call(parameters)
            add("content", [["type": "text", "text": .string(text)]])
            add("isError", .bool(isError))
        default:
            throw ProtocolError(code: -32601, message: "There is no method '\(method)' here.")
        }
        guard isEnvelope || method == "server/discover" else { return .object(JSONObject(members)) }
        add("resultType", "complete")
        if ["server/discover", "tools/list"].contains(method) {
            add("ttlMs", 0)
            add("cacheScope", "private")
        }
        add("_meta", .object(JSONObject([JSONObject.Member(name: Self.serverName, value: identity)])))
        return .object(JSONObject(members))
    }

    /// Whether a request says its revision itself. Throws for a revision that is not spoken here.
    private func checkVersion(_ parameters: JSONValue) throws(ProtocolError) -> Bool {
        guard let named = parameters["_meta"]?[Self.versionName] else { return false }
        guard case .string(let version) = named else { throw .parameters("The protocol version must be a string.") }
        guard Self.envelopeVersions.contains(version) else {
            throw ProtocolError(
                code: -32022, message: "This server does not speak version '\(version)' of the protocol.",
                data: [
                    "supported": .array(Self.envelopeVersions.map { .string($0) }), "requested": .string(version),
                ])
        }
        return true
    }

    /// The revision that the client asks for, or the newest one for a client that asks for another.
    private static func agreed(_ wanted: JSONValue?) -> String {
        if case .string(let version)? = wanted, handshakeVersions.contains(version) { return version }
        return handshakeVersions[handshakeVersions.count - 1]
    }

    private static let capabilities: JSONValue = ["tools": [:]]

    /// Runs a tool. What it refuses, and what the gateway refuses, is its result.
    private func call(_ parameters: JSONValue) throws(ProtocolError) -> (text: String, isError: Bool) {
        guard case .string(let name)? = parameters["name"] else { throw .parameters("A call needs the tool's 'name'.") }
        let given: JSONObject
        switch parameters["arguments"] {
        case nil, .null?: given = JSONObject()
        case .object(let object)?: given = object
        default: throw .parameters("The 'arguments' of a call are an object.")
        }
        do throws(ToolError) {
            guard let request = try tools.request(of: name, given) else {
                throw ToolError(unknownTool: name)
            }
            return Self.words(of: try port.send(request))
        } catch {
            if error.isUnknownTool { throw .parameters(error.message) }
            return (error.message, true)
        }
    }

    /// The body of a response; of a refusal the sentences of its problem.
    private static func words(of response: GatewayResponse) -> (text: String, isError: Bool) {
        let text = String(decoding: response.body, as: UTF8.self)
        guard response.status >= 400 else { return (text.isEmpty ? "Done." : text, false) }
        guard let problem = try? JSONValue.parse(response.body), case .string(let detail)? = problem["detail"] else {
            return ("The gateway responds with status \(response.status)\(text.isEmpty ? "." : ": \(text)")", true)
        }
        var words = detail
        if let last = words.last, !".?!".contains(last) { words += "." }
        if case .string(let hint)? = problem["hint"] { words += " Did you mean '\(hint)'?" }
        if case .int(let position)? = problem["position"] { words += " The fault is at byte \(position) of the text." }
        if case .string(let code)? = problem["code"] { words += " (\(code))" }
        return (words, true)
    }
}

/// What a tool cannot do, as a sentence for the model that called it.
package struct ToolError: Error {
    let message: String
    var isUnknownTool = false

    package init(_ message: String) { self.message = message }

    init(unknownTool name: String) {
        message = "There is no tool '\(name)'."
        isUnknownTool = true
    }
}
