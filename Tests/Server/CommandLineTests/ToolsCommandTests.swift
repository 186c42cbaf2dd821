import Foundation
import HTTPServer
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// `realmgate mcp`, line by line as a client speaks to it.
@Suite("realmgate mcp")
struct ToolsCommandTests {
    private let directory: TestDirectory
    private var data: String { directory.file("a.realmgate") }

    init() throws {
        directory = try TestDirectory()
        let schema = try directory.write(DogSchema.text, to: "schema.json")
        let rows = #"""
            {"id":1,"name":"Rex","age":3,"owner":1}
            {"id":2,"name":"Fido","age":7}
            {"id":3,"name":"Ace","age":5,"owner":1}

            """#
        try directory.write(rows, to: "dogs.ndjson")
        try directory.write(#"{"id":1,"name":"Ada"}"#, to: "people.ndjson")
        for arguments in [
            ["schema", "--apply", schema, "--data", data],
            ["import", "Person", directory.file("people.ndjson"), "--data", data],
            ["import", "Dog", directory.file("dogs.ndjson"), "--data", data],
        ] {
            let result = try Program.run(arguments, in: directory)
            guard result.status == 0 else { throw TestFailure(result.errors) }
        }
    }

    /// Sends lines, and returns the answers.
    private func speak(_ lines: [String], _ options: [String]? = nil, _ environment: [String: String] = [:]) throws
        -> [[String: Any]]
    {
        let result = try Program.run(
            ["mcp"] + (options ?? ["--data", data]), environment: environment,
            input: lines.map { $0 + "\n" }.joined(), in: directory)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        return try result.output.split(separator: "\n").map { line in
            let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(answer?["jsonrpc"] as? String == "2.0")
            return answer ?? [:]
        }
    }

    private static func call(_ tool: String, _ arguments: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
    }

    /// The text of a tool's result, and whether it is an error.
    private static func result(_ answer: [String: Any]) -> (text: String, isError: Bool) {
        let result = answer["result"] as? [String: Any]
        let content = (result?["content"] as? [[String: Any]])?.first
        #expect(content?["type"] as? String == "text")
        return (content?["text"] as? String ?? "\(answer)", result?["isError"] as? Bool ?? true)
    }

    private static func code(_ answer: [String: Any]) -> Int? { (answer["error"] as? [String: Any])?["code"] as? Int }

    @Test(
        "a handshake agrees on the client's revision, or on the newest one",
        arguments: [
            ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25"),
        ])
    func handshake(wanted: String, agreed: String) throws {
        let answers = try speak([
            #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"\#(wanted)","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "",
            #"{"jsonrpc":"2.0","id":2,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#,
        ])
        #expect(answers.count == 3)
        #expect(answers[0]["id"] as? String == "a")
        let result = answers[0]["result"] as? [String: Any]
        #expect(result?["protocolVersion"] as? String == agreed)
        #expect((result?["serverInfo"] as? [String: Any])?["name"] as? String == "realmgate")
        #expect((result?["instructions"] as? String)?.contains("read-only") == true)
        #expect((answers[1]["result"] as? [String: Any])?.isEmpty == true)
        let tools = (answers[2]["result"] as? [String: Any])?["tools"] as? [[String: Any]]
        #expect(tools?.compactMap { $0["name"] as? String } == ["schema", "query", "get", "aggregate", "explain"])
        for tool in tools ?? [] {
            #expect((tool["inputSchema"] as? [String: Any])?["type"] as? String == "object")
            #expect((tool["annotations"] as? [String: Any])?["readOnlyHint"] as? Bool == true)
        }
        // What later revisions add is not in the answers of earlier ones.
        #expect((answers[2]["result"] as? [String: Any])?["resultType"] == nil)
    }

    @Test("requests that say their revision themselves need no handshake, and another revision is refused")
    func envelopes() throws {
        func meta(_ version: String) -> String {
            #""_meta":{"io.modelcontextprotocol/protocolVersion":"\#(version)","io.modelcontextprotocol/clientCapabilities":{}}"#
        }
        let answers = try speak([
            #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(meta("2026-07-28"))}}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{\#(meta("2026-07-28"))}}"#,
            #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get","arguments":{"class":"Dog","key":2},\#(meta("2026-07-28"))}}"#,
            #"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{\#(meta("2099-01-01"))}}"#,
        ])
        for answer in answers.prefix(3) {
            let result = answer["result"] as? [String: Any]
            #expect(result?["resultType"] as? String == "complete")
            let server = (result?["_meta"] as? [String: Any])?["io.modelcontextprotocol/serverInfo"] as? [String: Any]
            #expect(server?["name"] as? String == "realmgate")
        }
        let versions = (answers[0]["result"] as? [String: Any])?["supportedVersions"] as? [String]
        #expect(versions?.contains("2026-07-28") == true)
        #expect((answers[1]["result"] as? [String: Any])?["cacheScope"] as? String == "private")
        #expect(Self.result(answers[2]).text.contains(#""name":"Fido""#))
        #expect(Self.code(answers[3]) == -32022)
    }

    @Test("the reading tools read what the HTTP API reads")
    func reading() throws {
        let answers = try speak([
            Self.call("schema", "{}"),
            Self.call(
                "query",
                #"{"class":"Dog","filter":"age > 4 AND name != 'x y'","sort":"-age","fields":"id,owner.name","limit":1}"#
            ),
            Self.call("query", #"{"class":"Dog","filter":null,"limit":0}"#),
            Self.call("get", #"{"class":"Person","key":"1"}"#),
            Self.call("aggregate", #"{"class":"Dog","filter":"age > 3","average":"age","by":"owner.name"}"#),
            Self.call("explain", #"{"class":"Dog","filter":"name == 'Rex'"}"#),
        ]).map { Self.result($0) }
        #expect(answers.allSatisfy { !$0.isError }, "\(answers)")
        #expect(answers[0].text.contains(#""name":"Dog""#))
        #expect(
            answers[1].text.contains(#""count":2"#) && answers[1].text.contains(#""items":[{"id":2,"owner":null}]"#))
        #expect(answers[1].text.contains(#""next":"#))
        #expect(answers[2].text.contains(#""count":3"#))
        #expect(answers[3].text.contains(#""name":"Ada""#))
        #expect(answers[4].text.contains(#""average":{"age":"#) && answers[4].text.contains("groups"))
        #expect(answers[5].text.contains(#""plan":"#))
    }

    @Test(
        "what the gateway refuses, and arguments that do not fit, are errors of the tool, with a sentence",
        arguments: [
            ("query", #"{"class":"Dgo"}"#, "Did you mean 'Dog'?"),
            ("query", #"{"class":"Dog","filter":"agee > 1"}"#, "Did you mean 'age'?"),
            ("query", #"{"class":"Dog","filter":"age >"}"#, "(query.syntax)"),
            ("query", #"{"class":"Dog","limit":5000}"#, "from 0 to 1000"),
            ("query", #"{"class":"Dog","limit":"5"}"#, "must be an integer, not"),
            ("query", #"{"class":"Dog","filtre":"x"}"#, "Did you mean 'filter'?"),
            ("query", "{}", "needs the argument 'class'"), ("get", #"{"class":"Dog","key":99}"#, "(object.not_found)"),
            ("get", #"{"class":"Dog","key":1.5}"#, "must be a string or an integer"),
            ("create", #"{"class":"Dog","object":{"id":9}}"#, "without --allow-writes"),
        ])
    func faults(tool: String, arguments: String, words: String) throws {
        let answer = Self.result(try speak([Self.call(tool, arguments)])[0])
        #expect(answer.isError && answer.text.contains(words), "\(answer)")
    }

    @Test("lines that are not messages, and methods and tools that do not exist, are errors of the protocol")
    func messages() throws {
        let answers = try speak([
            "x", "[]", "{}", #"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, Self.call("drop", "{}"),
            #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"schema","arguments":[]}}"#,
            #"{"jsonrpc":"2.0","id":3,"result":{}}"#, #"{"jsonrpc":"2.0","method":"tools/list"}"#,
        ])
        #expect(answers.map { Self.code($0) } == [-32700, -32600, -32600, -32601, -32602, -32602])
        #expect(answers[0]["id"] is NSNull)
        // A revision has arrays of messages.
        let batch = try Program.run(
            ["mcp", "--data", data],
            input: #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]"#,
            in: directory)
        #expect(batch.output == #"[{"jsonrpc":"2.0","id":1,"result":{}}]"# + "\n")
    }

    @Test("with --allow-writes the tools write, and say what is refused")
    func writing() throws {
        let answers = try speak(
            [
                #"{"jsonrpc":"2.0","id":0,"method":"tools/list"}"#,
                Self.call("create", #"{"class":"Dog","object":{"id":9,"name":"New","owner":1}}"#),
                Self.call("create", #"{"class":"Dog","object":{"id":9}}"#),
                Self.call("update", #"{"class":"Dog","key":9,"values":{"age":2}}"#),
                Self.call("update", #"{"class":"Dog","key":9,"values":{"age":"old"}}"#),
                Self.call("get", #"{"class":"Dog","key":9}"#), Self.call("delete", #"{"class":"Dog","key":9}"#),
                Self.call("get", #"{"class":"Dog","key":9}"#),
            ], ["--data", data, "--allow-writes"])
        let tools = (answers[0]["result"] as? [String: Any])?["tools"] as? [[String: Any]]
        #expect(tools?.compactMap { $0["name"] as? String }.suffix(3) == ["create", "update", "delete"])
        let results = answers.dropFirst().map { Self.result($0) }
        #expect(results.map(\.isError) == [false, true, false, true, false, false, true])
        #expect(results[1].text.contains("object.duplicate_key") && results[3].text.contains("object.invalid_value"))
        #expect(results[4].text.contains(#""age":2"#) && results[5].text == "Done.")
        let read = try Program.run(["query", "Dog", "--count", "--data", data], in: directory)
        #expect(read.output == "3\n")
    }

    @Test("with --url it is a caller of a running gateway, with the rights of its key")
    func distant() throws {
        let server = try RunningServer(["--data", data], in: directory)
        defer { _ = try? server.stop() }
        let open = try speak([Self.call("query", #"{"class":"Dog","sort":"id"}"#)], ["--url", server.address + "/"])
        #expect(Self.result(open[0]).text.contains(#""count":3"#))
        let own = try speak([Self.call("query", #"{"class":"Dog","sort":"id"}"#)])
        #expect(Self.result(open[0]).text == Self.result(own[0]).text)
        let made = try Program.run(
            ["token", "create", "--name", "r", "--role", "admin", "--read-only", "--class", "Dog", "--data", data],
            in: directory)
        let key = made.output.trimmingCharacters(in: .newlines)
        let lines = [
            Self.call("query", #"{"class":"Dog"}"#), Self.call("query", #"{"class":"Person"}"#),
            Self.call("create", #"{"class":"Dog","object":{"id":9}}"#),
        ]
        let options = ["--url", server.address, "--allow-writes"]
        #expect(
            try eventually { Self.result(try speak(lines, options)[0]).text.contains("(auth.required)") },
            "waited for the server to ask for a key")
        let asReader = try speak(lines, options, ["REALMGATE_TOKEN": key]).map { Self.result($0) }
        #expect(asReader.map(\.isError) == [false, true, true], "\(asReader)")
        #expect(try server.stop() == 0)
        let gone = Self.result(try speak([lines[0]], ["--url", server.address])[0])
        #expect(gone.isError && gone.text.contains("cannot be reached"))
    }

    /// A server with a certificate that an authority has issued for 127.0.0.1.
    private func secureServer(by authority: TestCertificate) throws -> RunningServer {
        let certificate = try TestCertificate(name: "s", for: "IP:127.0.0.1", from: authority)
        return try RunningServer(
            [
                "--data", data, "--tls-certificate", certificate.files.certificateChain, "--tls-key",
                certificate.files.key,
            ], in: directory)
    }

    private static let count = call("query", #"{"class":"Dog"}"#)

    @Test("over HTTPS it asks a gateway whose certificate it trusts, and sends no key to another one")
    func secure() throws {
        let authority = try TestCertificate(name: "authority")
        defer { authority.remove() }
        let server = try secureServer(by: authority)
        defer { _ = try? server.stop() }
        let options = ["--url", server.address, "--token", "secret"]
        let trusted = try speak([Self.count], options, ["SSL_CERT_FILE": authority.files.certificateChain])
        #expect(Self.result(trusted[0]).text.contains(#""count":3"#), "\(trusted)")
        let other = Self.result(try speak([Self.count], options)[0])
        #expect(other.isError && other.text.contains("no authority that this client trusts has issued it"), "\(other)")
        let none = try Program.run(["mcp"] + options, environment: ["SSL_CERT_FILE": "/no/file"], in: directory)
        #expect(none.status == 66 && none.errors.contains("'/no/file' cannot be used"), "\(none)")
    }

    @Test("what the system trusts needs no option", .enabled(if: SystemTrust.isWanted))
    func systemTrust() throws {
        let authority = try TestCertificate(name: "authority")
        defer { authority.remove() }
        let server = try secureServer(by: authority)
        defer { _ = try? server.stop() }
        let process = try ChildProcess(
            "/usr/bin/env",
            SystemTrust.command(
                trusting: authority.files.certificateChain,
                [try Program.executable(), "mcp", "--url", server.address]),
            input: Self.count + "\n", directory: directory.path)
        #expect(try process.wait() == 0)
        #expect(process.output.contains(#"\"count\":3"#), "\(process.output)\(process.errors)")
    }

    @Test(
        "options that do not fit are refused before anything is answered",
        arguments: [
            (["--data", "none.realmgate"], 66, "There is no database file"),
            (["--url", "ftp://db.example"], 64, "must be http://"), (["--url", "db.example"], 64, "must be http://"),
            (["--url", "http://:80"], 64, "must be http://"), (["--url", "http://h:x"], 64, "must be http://"),
            (["--url", "http://h", "--data", "a"], 64, "not both"),
            (["--url", "http://127.0.0.1:1", "--token", "a b"], 64, "a header cannot have"),
        ])
    func refused(options: [String], status: Int, words: String) throws {
        let result = try Program.run(["mcp"] + options, input: Self.call("schema", "{}") + "\n", in: directory)
        #expect(result.status == Int32(status) && result.errors.contains(words), "\(result)")
        #expect(result.output.isEmpty)
    }
}
