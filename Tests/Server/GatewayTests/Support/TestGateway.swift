import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import RequestHandling
import StoreContract
import StoreTesting

/// A gateway to an in-memory store, called without a socket.
final class TestGateway: Sendable {
    let store: ModelStore
    let gateway: Gateway
    let router: Router

    static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Dog","primaryKey":"_id","embedded":false,"properties":[
            {"name":"_id","type":"int"},{"name":"name","type":"string","indexed":true,"default":"Rex"},
            {"name":"breed","type":"string?"},{"name":"age","type":"int?"},{"name":"weight","type":"double"},
            {"name":"good","type":"bool","default":true},{"name":"born","type":"date"},{"name":"owner","type":"Person?"},
            {"name":"friend","type":"Dog?"},{"name":"fans","type":"linkingObjects(Person.favourite)"}]},
          {"name":"Person","primaryKey":"handle","embedded":false,"properties":[
            {"name":"handle","type":"string"},{"name":"city","type":"string?"},{"name":"favourite","type":"Dog?"},
            {"name":"dogs","type":"linkingObjects(Dog.owner)"}]},
          {"name":"Note","primaryKey":null,"embedded":false,"properties":[
            {"name":"text","type":"string"},{"name":"reply","type":"Note?"},{"name":"tag","type":"uuid?"},
            {"name":"by","type":"objectId?"},{"name":"ratio","type":"float?"}]},
          {"name":"Badge","primaryKey":"id","embedded":false,"properties":[
            {"name":"id","type":"uuid"},{"name":"level","type":"int"}]}]}
        """#

    init(
        schema: String = TestGateway.schema, as caller: Caller? = nil,
        _ configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws {
        store = try ModelStore(try SchemaCoding.decode(try JSONValue.parse(schema)))
        var configuration = GatewayConfiguration.untimed
        configure(&configuration)
        gateway = try Gateway(store: store, configuration: configuration)
        let router = gateway.router
        self.router = caller.map { router.calling(as: $0) } ?? router
    }

    /// Sends a request and waits for the response, also for a later one. For an event stream it returns the head.
    func send(
        _ method: HTTPMethod, _ target: String, _ body: String? = nil, file: String? = nil, headers: HeaderFields = [:]
    ) throws -> Response {
        var headers = headers
        if body != nil, headers["Content-Type"] == nil { headers.add("Content-Type", "application/json") }
        var request = try Request(method, target, headers: headers, body: body.map { Array($0.utf8) } ?? [])
        request.bodyFile = try file.map { try BodyFile($0) }
        var response = try router.answer(request)
        // So that it can be read more than once.
        if case .pieces = response.body { response.body = .bytes(response.bodyBytes) }
        return response
    }

    func get(_ target: String, headers: HeaderFields = [:]) throws -> Response {
        try send(.get, target, headers: headers)
    }

    func settle() { gateway.settle() }

    /// Returns the mark of a version.
    func mark(_ version: Int) throws -> String {
        Mark(Version(UInt64(version)), try store.snapshot().tag).description
    }

    /// Creates four dogs and two people.
    func fill() throws {
        _ = try send(
            .post, "/v1/objects/Person", #"[{"handle":"ada","city":"Turin"},{"handle":"bob"}]"#)
        _ = try send(
            .post, "/v1/objects/Dog",
            #"""
            [{"_id":1,"name":"Rex","breed":"Beagle","age":7,"weight":11.5,"born":"2019-03-02T08:30:00Z","owner":"ada"},
             {"_id":2,"name":"Fido","breed":"Whippet","age":12,"weight":13,"owner":"bob","friend":1},
             {"_id":3,"name":"Ace","breed":"Beagle","weight":9.75},
             {"_id":4,"name":"Nora","breed":"Whippet","age":14,"weight":12.25,"owner":"ada","good":false}]
            """#)
        _ = try send(.patch, "/v1/objects/Person/ada", #"{"favourite":1}"#)
    }
}

extension Response {
    var text: String { String(decoding: bodyBytes, as: UTF8.self) }

    /// The body as JSON.
    var json: JSONValue { get throws { try JSONValue.parse(bodyBytes) } }

    /// Returns the member of a problem or an object.
    func member(_ name: String) -> JSONValue? { (try? json)?[name] }
}

extension TestGateway {
    /// Serves on a port of its own while `body` runs.
    func serve(
        _ configure: (inout ServerConfiguration) -> Void = { _ in }, _ body: (UInt16) throws -> Void
    ) throws {
        var configuration = ServerConfiguration()
        configuration.loops = 2
        configure(&configuration)
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start()
        defer { server.stop(within: .seconds(5)) }
        try body(port)
    }
}
