import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import Promises
import RequestHandling
import StoreContract
import StoreTesting
import Synchronization
import TestBasics

/// A request whose answer may come later.
final class HeldRequest: Sendable {
    private let answer = Promise<Response>()
    /// The client, as the server sees it.
    let client = ClientPresence()

    init(_ router: Router, _ request: Request) {
        switch router.respond(to: request) {
        case .now(let response): answer.set(response)
        case .events(let headers, _): answer.set(Response(headers: headers))
        case .later(let start):
            start(
                Responder(client: client) { [answer] in
                    if case .response(let response) = $0 { answer.set(response) } else { answer.set(.empty(599)) }
                })
        }
    }

    var isAnswered: Bool { answer.value != nil }

    /// Waits for the answer.
    func response() throws -> WireResponse { WireResponse(try answer.take()) }
}

/// A gateway whose waiting reads end when the test says that the time is up.
final class PollingGateway: Sendable {
    static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Dog","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"name","type":"string"},{"name":"age","type":"int"},
            {"name":"weight","type":"double"},{"name":"owner","type":"Person?"},{"name":"hidden","type":"bool"}]},
          {"name":"Person","primaryKey":"handle","properties":[
            {"name":"handle","type":"string"},{"name":"city","type":"string?"},{"name":"tags","type":"string[]"},
            {"name":"prices","type":"double{}"},{"name":"dogs","type":"Dog[]"}]},
          {"name":"Page","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"version","type":"int"},{"name":"next","type":"string"},
            {"name":"other","type":"Page?"}]}]}
        """#

    let site: TestGateway
    /// Has full access to the same store.
    private let writer: Router
    private let clock: Clock

    private final class Clock: Sendable {
        let seconds = Mutex(0)
    }

    init(as caller: Caller? = nil, _ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws {
        let clock = Clock()
        self.clock = clock
        site = try TestGateway(schema: Self.schema, as: caller) { configuration in
            configuration.uptime = { .seconds(clock.seconds.withLock { $0 }) }
            configure(&configuration)
        }
        writer = try Gateway(store: site.store, configuration: .untimed).router
        for (target, body) in [
            (
                "Dog",
                #"[{"id":1,"name":"Rex","age":7,"weight":11.5},{"id":2,"name":"Fido","age":12,"weight":13},"#
                    + #"{"id":3,"name":"Ace","age":9,"weight":9.75},{"id":4,"name":"Nora","age":14,"weight":12.25},"#
                    + #"{"id":5,"name":"Uno","age":3,"weight":8},{"id":6,"name":"Zoe","age":2,"weight":7}]"#
            ),
            (
                "Person",
                #"[{"handle":"ada","city":"Turin","tags":["b","a"],"prices":{"x":1},"dogs":[2,1]},"#
                    + #"{"handle":"bob","tags":["c"],"dogs":[3]}]"#
            ), ("Page", #"{"id":1,"version":1,"next":"a","other":{"id":2,"version":1,"next":"a"}}"#),
        ] {
            let answer = try writer.answer(Self.request(.post, "/v1/objects/\(target)", body))
            guard answer.status == 201 else { throw WireFailure("setting up: \(answer.text)") }
        }
        try write(.patch, "Dog/1", #"{"owner":"ada"}"#)
    }

    private static func request(
        _ method: HTTPMethod, _ target: String, _ body: String? = nil, headers: HeaderFields = [:]
    ) throws -> Request {
        var headers = headers
        if body != nil, headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
        return try Request(method, target, headers: headers, body: Array((body ?? "").utf8))
    }

    /// Writes with full access.
    func write(_ method: HTTPMethod, _ path: String, _ body: String? = nil) throws {
        let answer = try writer.answer(Self.request(method, "/v1/objects/\(path)", body))
        guard answer.status < 300 else { throw WireFailure("\(path): \(answer.text)") }
        site.gateway.settle()
    }

    func get(_ target: String, headers: HeaderFields = [:]) throws -> WireResponse {
        WireResponse(try site.router.answer(Self.request(.get, target, headers: headers)))
    }

    func hold(
        _ target: String, _ method: HTTPMethod = .get, form: String? = nil, headers: HeaderFields = [:]
    ) throws -> HeldRequest {
        var headers = headers
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        return HeldRequest(site.router, try Self.request(method, target, form, headers: headers))
    }

    /// Returns a target with parameters that make it wait.
    static func waiting(_ target: String, since mark: String?, wait: Int? = 30) -> String {
        var parts: [String] = []
        if let wait { parts.append("wait=\(wait)") }
        if let mark { parts.append("since=\(mark)") }
        return target + (target.contains("?") ? "&" : "?") + parts.joined(separator: "&")
    }

    func hold(_ target: String, since mark: String?, wait: Int? = 30) throws -> HeldRequest {
        try hold(Self.waiting(target, since: mark, wait: wait))
    }

    /// Waits until a number of reads waits.
    func waiting(_ count: Int) -> Bool { eventually { site.gateway.longPollCount == count } }

    func pass(seconds: Int) {
        clock.seconds.withLock { $0 += seconds }
        site.gateway.expireLongPolls()
    }

    func mark() throws -> String { try site.store.snapshot().mark.description }
}

extension WireResponse {
    var mark: String? { headers["Realmgate-Mark"] }
}
