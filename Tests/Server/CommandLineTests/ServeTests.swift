import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

@Suite("realmgate serve")
struct ServeTests {
    private func server(
        in directory: TestDirectory, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> RunningServer {
        let schema = try directory.write(DogSchema.text, to: "schema.json")
        return try RunningServer(
            ["--data", directory.file("a.realmgate"), "--schema", schema] + arguments, environment: environment,
            in: directory)
    }

    /// Returns the body that curl receives; fails for a status of 400 and above unless `failing`.
    private func curl(_ arguments: [String], in directory: TestDirectory) throws -> String {
        let process = try ChildProcess(
            "/usr/bin/env", ["curl", "--silent", "--show-error", "--max-time", "\(TestRun.patience)"] + arguments,
            directory: directory.path)
        let status = try process.wait()
        guard status == 0 else { throw TestFailure("curl \(arguments): \(process.errors)") }
        return process.output
    }

    @Test("the first line on standard output says where it listens; logs are on standard error")
    func readyLine() throws {
        let directory = try TestDirectory()
        let server = try server(in: directory)
        #expect(server.process.output == "realmgate: listening on http://127.0.0.1:\(server.port)\n")
        _ = try curl([server.address + "/healthz"], in: directory)
        #expect(try server.stop() == 0)
        #expect(server.process.output == "realmgate: listening on http://127.0.0.1:\(server.port)\n")
    }

    @Test("a server beside a service of Kubernetes that has its name starts, and says what it does not use")
    func serviceLink() throws {
        let directory = try TestDirectory()
        let server = try server(in: directory, environment: ["REALMGATE_PORT": "tcp://10.96.4.2:8080"])
        #expect(server.process.errors.contains("REALMGATE_PORT is not used: Kubernetes sets it"))
        #expect(try server.stop() == 0)
    }

    @Test("objects are created, read, changed, found and deleted with curl")
    func objectsWithCurl() throws {
        let directory = try TestDirectory()
        let server = try server(in: directory)
        let dogs = server.address + "/v1/objects/Dog"
        let json = ["--header", "Content-Type: application/json"]
        func create(_ body: String) throws { _ = try curl(["--fail", dogs, "--data", body] + json, in: directory) }
        try create(#"{"id": 1, "name": "Rex", "age": 3, "weight": 20.5, "owner": {"id": 7, "name": "Ann"}}"#)
        try create(#"{"id": 2, "name": "Bello", "age": 11, "weight": 8, "owner": 7}"#)
        let changed = try curl(
            ["--fail", "--request", "PATCH", dogs + "/1", "--data", #"{"age": 4}"#] + json, in: directory)
        #expect(try Self.object(changed)["age"] as? Int == 4)
        let found = try curl(
            ["--fail", "--get", dogs, "--data-urlencode", "filter=age > 10 AND owner.name == \"Ann\""], in: directory)
        let items = try #require(try Self.object(found)["items"] as? [[String: Any]])
        #expect(items.map { $0["name"] as? String } == ["Bello"])
        _ = try curl(["--fail", "--request", "DELETE", dogs + "/2"], in: directory)
        let status = try curl(["--output", "/dev/null", "--write-out", "%{http_code}", dogs + "/2"], in: directory)
        #expect(status == "404")
        #expect(try server.stop() == 0)
    }

    @Test("a query is watched with curl -N: first the result, then what changed in it")
    func eventsWithCurl() throws {
        let directory = try TestDirectory()
        let server = try server(in: directory)
        let client = try server.client()
        let events = try ChildProcess(
            "/usr/bin/env",
            [
                "curl", "--silent", "--no-buffer", "--get", server.address + "/v1/observe/objects/Dog",
                "--data-urlencode", "filter=age > 10", "--data", "sort=-age", "--data", "include=objects",
            ], directory: directory.path)
        try events.wait(until: "the initial event") { events.output.contains("event: initial") }
        #expect(try client.send("POST", "/v1/objects/Dog", body: #"{"id": 1, "name": "Rex", "age": 3}"#).status == 201)
        #expect(try client.send("POST", "/v1/objects/Dog", body: #"{"id": 2, "name": "Old", "age": 12}"#).status == 201)
        try events.wait(until: "an insertion") { events.output.contains(#""insertions":[0]"#) }
        #expect(events.output.contains("Old"))
        #expect(!events.output.contains("Rex"), "an object outside the query must not be sent")
        // An open stream does not prevent a graceful stop.
        #expect(try server.stop() == 0)
        try events.wait()
    }

    @Test("SIGTERM and SIGINT end it with exit code 0, and the data is there again", arguments: [SIGTERM, SIGINT])
    func stopsAndStartsAgain(signal: Int32) throws {
        let directory = try TestDirectory()
        let first = try server(in: directory)
        let body = #"{"id": 1, "name": "Rex"}"#
        #expect(try first.client().send("POST", "/v1/objects/Dog", body: body).status == 201)
        #expect(try first.stop(signal) == 0)
        // The schema is in the file; it need not be given again.
        let second = try RunningServer(["--data", directory.file("a.realmgate")], in: directory)
        let answer = try second.client().send("GET", "/v1/objects/Dog/1")
        #expect(try answer.json()["name"] as? String == "Rex")
        #expect(try second.stop() == 0)
    }

    @Test("a request under way holds up a graceful stop, and a second signal ends it at once")
    func secondSignal() throws {
        let directory = try TestDirectory()
        let server = try server(in: directory)
        let client = try server.client()
        _ = try client.send("GET", "/healthz")
        try client.write("POST /v1/objects/Dog HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
        server.process.send(SIGTERM)
        try server.process.wait(until: "the first signal to be taken") {
            server.process.errors.contains("Stopping")
        }
        #expect(server.process.status() == nil, "it must wait for the request")
        #expect(try server.stop(SIGTERM) == 128 + SIGTERM)
    }

    @Test("settings come from the environment, and a flag wins over it")
    func environment() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(DogSchema.text, to: "schema.json")
        let variables = [
            "REALMGATE_DATA": directory.file("from-environment.realmgate"), "REALMGATE_SCHEMA": schema,
            "REALMGATE_LOG_LEVEL": "debug", "REALMGATE_PORT": "1", "REALMGATE_HOST": "127.0.0.1",
        ]
        // --port 0 is given by RunningServer and takes precedence over port 1, which nobody may use.
        let server = try RunningServer([], environment: variables, in: directory)
        #expect(try server.client().send("GET", "/v1/objects/Dog").status == 200)
        #expect(try server.stop() == 0)
        #expect(FileManager.default.fileExists(atPath: directory.file("from-environment.realmgate")))
    }

    @Test("the demo is loaded on the first start, and only then")
    func demo() throws {
        let directory = try TestDirectory()
        let arguments = ["--data", directory.file("demo.realmgate"), "--demo"]
        let first = try RunningServer(arguments, in: directory)
        #expect(first.process.errors.contains("6,099"), "progress is shown: \(first.process.errors)")
        let client = try first.client()
        let flights = try client.send("GET", "/v1/objects/Flight?count=true&limit=1&expand=origin")
        #expect(try flights.json()["count"] as? Int == 6099)
        #expect(flights.text.contains("Newark Intl"))
        #expect(try client.send("GET", "/v1/objects/Airport?count=true&limit=0").json()["count"] as? Int == 3376)
        #expect(try client.send("DELETE", "/v1/objects/Flight/1").status < 300)
        #expect(try first.stop() == 0)
        let second = try RunningServer(arguments, in: directory)
        let kept = try second.client().send("GET", "/v1/objects/Flight?count=true&limit=0")
        #expect(try kept.json()["count"] as? Int == 6098)
        #expect(try second.stop() == 0)
    }

    @Test("health tells a living server from none")
    func health() throws {
        let directory = try TestDirectory()
        let server = try server(in: directory)
        let alive = try Program.run(["health", "--port", "\(server.port)"], in: directory)
        #expect(alive.status == 0)
        #expect(alive.output == "healthy\n")
        let configuration = try directory.write("port: \(server.port)\n", to: "health.yaml")
        #expect(try Program.run(["health", "--config", configuration], in: directory).output == "healthy\n")
        let secret = try Program.run(
            ["health", "--port", "\(server.port)", "--set", "tls.certificate=a.pem"], in: directory)
        #expect(secret.status == 1)
        #expect(secret.errors == "realmgate: 127.0.0.1:\(server.port) does not speak TLS.\n")
        #expect(try server.stop() == 0)
        let dead = try Program.run(["health"], environment: ["REALMGATE_PORT": "\(server.port)"], in: directory)
        #expect(dead.status == 1)
        #expect(dead.errors == "realmgate: Cannot connect to 127.0.0.1:\(server.port): Connection refused.\n")
    }

    static func object(_ text: String) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw TestFailure("no JSON object: \(text)")
        }
        return object
    }
}
