import EmbeddedStore
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import Promises
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics
import WireProtocol

/// The gateway as a client sees it, without a socket: requests in, complete responses out. It uses the embedded store
/// with the smallest clusters; the other tests of the gateway use the model store, so that both are checked against one
/// description.
struct Wire {
    let store: any Store
    let router: Router
    private var home: TestDirectory?

    init(_ schema: Schema = Wire.schema) throws {
        let home = try TestDirectory()
        var options = EmbeddedStoreOptions()
        options.clusterCapacity = 64
        store = try EmbeddedStore.open(path: home.path + "/store", schema: schema, options: options)
        router = try wireRouter(over: store)
        self.home = home
    }

    init(store: any Store, router: Router) {
        self.store = store
        self.router = router
    }

    /// The same store behind another router.
    func with(_ router: Router) -> Wire {
        var other = Wire(store: store, router: router)
        other.home = home
        return other
    }

    /// Creates two dogs, two people and a note; versions 2 to 5.
    static func populated() throws -> Wire {
        let wire = try Wire()
        for (target, body) in [
            ("/v1/objects/Person", #"[{"handle":"ada","city":"Turin"},{"handle":"bob"}]"#),
            (
                "/v1/objects/Dog",
                #"[{"_id":1,"name":"Rex","breed":"Beagle","age":7,"weight":11.5,"owner":"ada","born":"2019-03-02T08:30:00Z"},"#
                    + #"{"_id":2,"name":"Fido","breed":"Whippet","age":12,"weight":13}]"#
            ),
            ("/v1/objects/Note", #"{"text":"first"}"#),
        ] {
            let answer = try wire.send(.post, target, body)
            guard answer.status == 201 else { throw WireFailure("setting up: \(answer.text)") }
        }
        return wire
    }

    func send(
        _ method: HTTPMethod, _ target: String, _ body: String? = nil, headers: HeaderFields = [:]
    ) throws -> WireResponse {
        var headers = headers
        if body != nil, headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
        let request = try Request(method, target, headers: headers, body: Array((body ?? "").utf8))
        switch router.respond(to: request) {
        case .now(let response): return WireResponse(response)
        case .later(let start): return try Self.wait(start)
        case .events: throw WireFailure("\(method) \(target) opened a stream of events.")
        }
    }

    /// Returns the store's version.
    func version() throws -> Int { Int(try store.snapshot().version.rawValue) }

    /// Returns the mark of the store's state or, with a version, of an earlier one.
    func mark(_ version: Int? = nil) throws -> String {
        let newest = try store.snapshot()
        return Mark(version.map { Version(UInt64($0)) } ?? newest.version, newest.tag).description
    }

    func get(_ path: String, _ query: KeyValuePairs<String, String> = [:]) throws -> WireResponse {
        try send(.get, Self.target(path, query))
    }

    /// Opens an event stream; throws if the response is an ordinary one.
    ///
    /// - Parameter form: the parameters, if they are sent as a form.
    func observe(
        _ path: String, _ query: KeyValuePairs<String, String> = [:], headers: HeaderFields = [:],
        form: String? = nil, limit: Int = 1 << 20
    ) throws -> WireEvents {
        var headers = headers
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        let request = try Request(
            form == nil ? .get : .post, Self.target(path, query), headers: headers, body: Array((form ?? "").utf8))
        let events = WireEvents(limit: limit)
        switch router.respond(to: request) {
        case .events(_, let start): start(events.stream)
        case .now(let response): throw WireFailure("No stream: \(WireResponse(response).text)")
        case .later(let begin):
            let arrived = Promise<Responder.Outcome>()
            begin(Responder { arrived.set($0) })
            switch try arrived.take() {
            case .events(_, let start): start(events.stream)
            case .response(let response): throw WireFailure("No stream: \(WireResponse(response).text)")
            }
        }
        return events
    }

    /// Returns a path with percent-encoded query items.
    static func target(_ path: String, _ query: KeyValuePairs<String, String>) -> String {
        guard !query.isEmpty else { return path }
        return path + "?" + query.map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    private static func wait(_ start: @Sendable (Responder) -> Void) throws -> WireResponse {
        let arrived = Promise<Responder.Outcome>()
        start(Responder { arrived.set($0) })
        guard case .response(let response) = try arrived.take() else {
            throw WireFailure("A stream of events came where an answer belongs.")
        }
        return WireResponse(response)
    }
}

/// A response, with its body parsed as JSON.
struct WireResponse: CustomStringConvertible {
    let status: Int
    let headers: HeaderFields
    let body: [UInt8]

    init(_ response: Response) {
        status = response.status
        headers = response.headers
        body = response.bodyBytes
    }

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue? { try? JSONValue.parse(body) }
    var code: String? { self["code"]?.asString }
    var description: String { "\(status) \(text)" }

    subscript(name: String) -> JSONValue? { json?[name] }

    /// Returns the values of one member of all items of a collection.
    func items(_ name: String) -> [JSONValue?] {
        guard case .array(let items)? = self["items"] else { return [] }
        return items.map { $0[name] }
    }
}

/// An event stream, parsed as a browser does.
final class WireEvents {
    struct Event: Equatable {
        var name: String
        var id: String?
        var data: JSONValue
    }

    let stream: EventStream
    private let signal: DispatchSemaphore
    private var parser = EventStreamParser()
    private var waiting: [Event] = []

    init(limit: Int) {
        let signal = DispatchSemaphore(value: 0)
        self.signal = signal
        stream = EventStream(limit: limit, wake: { signal.signal() })
    }

    /// Returns the next event. Throws if none arrives.
    func next() throws -> Event {
        let deadline = DispatchTime.now() + .seconds(TestRun.patience)
        while true {
            take()
            if !waiting.isEmpty { return waiting.removeFirst() }
            guard signal.wait(timeout: deadline) == .success else { throw WireFailure("No event came.") }
        }
    }

    /// Returns the received events that were not read yet.
    func takeAll() -> [Event] {
        take()
        defer { waiting = [] }
        return waiting
    }

    /// Returns the next event, which must have this name.
    func next(_ name: String) throws -> JSONValue {
        let event = try next()
        guard event.name == name else { throw WireFailure("Expected \(name), got \(event)") }
        return event.data
    }

    /// Whether the gateway ended the stream.
    func ends() -> Bool {
        let deadline = DispatchTime.now() + .seconds(TestRun.patience)
        while true {
            let (events, finishing) = stream.takeQueued()
            waiting += parser.feed(events.flatMap(\.bytes)).compactMap(Event.init)
            if finishing || stream.isClosed { return true }
            guard signal.wait(timeout: deadline) == .success else { return false }
        }
    }

    private func take() {
        let (events, _) = stream.takeQueued()
        // An event may be split into several pieces.
        waiting += parser.feed(events.flatMap(\.bytes)).compactMap(Event.init)
        for event in events { stream.didSend(event.count) }
    }

    /// The events of a whole stream.
    static func parse(_ bytes: [UInt8]) -> [Event] {
        var parser = EventStreamParser()
        return parser.feed(bytes).compactMap(Event.init)
    }
}

extension WireEvents.Event {
    /// Nil if the data is no JSON.
    init?(_ event: ServerEvent) {
        guard let json = try? JSONValue.parse(String(decoding: event.data, as: UTF8.self)) else { return nil }
        self.init(name: event.name, id: event.id, data: json)
    }
}

struct WireFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Promise {
    func take() throws -> Value {
        guard let value = wait(seconds: Double(TestRun.patience)) else { throw WireFailure("No answer came.") }
        return value
    }
}

extension JSONValue {
    var asString: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var asInt: Int? {
        if case .int(let value) = self { return Int(value) }
        return nil
    }

    var asArray: [JSONValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    /// The value with the members of every object in order of their names.
    var canonical: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.canonical))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { JSONObject.Member(name: $0.name, value: $0.value.canonical) }
                        .sorted { $0.name < $1.name }))
        default: self
        }
    }

    /// The names of an object's members, in the order written.
    var memberNames: [String] {
        if case .object(let object) = self { return object.members.map(\.name) }
        return []
    }
}

extension Wire {
    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Dog", primaryKey: "_id",
                properties: [
                    PropertySchema("_id", PropertyType(.int)),
                    PropertySchema("name", PropertyType(.string), isIndexed: true, defaultValue: .string("Stray")),
                    PropertySchema("breed", PropertyType(.string, isOptional: true)),
                    PropertySchema("age", PropertyType(.int, isOptional: true)),
                    PropertySchema("weight", PropertyType(.double)),
                    PropertySchema("good", PropertyType(.bool), defaultValue: .bool(true)),
                    PropertySchema("born", PropertyType(.date)),
                    PropertySchema("owner", PropertyType(.link("Person"), isOptional: true)),
                    PropertySchema("note", PropertyType(.link("Note"), isOptional: true)),
                    PropertySchema("fans", PropertyType(.linkingObjects(fromClass: "Person", property: "favourite"))),
                ]),
            ClassSchema(
                "Person", primaryKey: "handle",
                properties: [
                    PropertySchema("handle", PropertyType(.string)),
                    PropertySchema("city", PropertyType(.string, isOptional: true)),
                    PropertySchema("favourite", PropertyType(.link("Dog"), isOptional: true)),
                    PropertySchema("dogs", PropertyType(.linkingObjects(fromClass: "Dog", property: "owner"))),
                ]),
            ClassSchema("Note", properties: [PropertySchema("text", PropertyType(.string))]),
            ClassSchema(
                "Tag", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.uuid)),
                    PropertySchema("token", PropertyType(.objectId, isOptional: true)),
                    PropertySchema("at", PropertyType(.date, isOptional: true)),
                    PropertySchema("ratio", PropertyType(.float, isOptional: true)),
                    PropertySchema("exact", PropertyType(.double, isOptional: true)),
                    PropertySchema("big", PropertyType(.int, isOptional: true)),
                    PropertySchema("label", PropertyType(.string, isOptional: true)),
                ]),
        ])
}

/// The gateway's routes over a store.
func wireRouter(
    over store: any Store, staticDirectory: String? = nil, openapiDirectory: String? = nil,
    inlineObjects: Int? = nil
) throws -> Router {
    var configuration = GatewayConfiguration.untimed
    configuration.staticDirectory = staticDirectory
    configuration.openapiDirectory = openapiDirectory
    if let inlineObjects { configuration.inlineObjects = inlineObjects }
    return try Gateway(store: store, configuration: configuration).router
}

extension Wire {
    /// A gateway over an empty store.
    static func gateway() throws -> Gateway { try Gateway(store: try ModelStore(schema), configuration: .untimed) }
}
