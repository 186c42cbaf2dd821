import AccessRules
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import StoreTesting
import Testing

/// Whatever state a client presents after its permissions have changed, it ends with what a client has that begins now.
/// The oracle is a client that presents nothing.
@Suite("what clients know when their permissions change")
struct ChangedRightsTests {
    /// A gateway whose callers have one role, which tests change.
    private struct Site {
        let control = AccessControl(AccessControl.Rules())
        let store: ModelStore
        let wire: Wire

        init() throws {
            store = try TestGateway().store
            let gateway = try Self.gateway(store, control)
            wire = Wire(store: store, router: gateway.router)
            let writer = Wire(store: store, router: try wireRouter(over: store))
            for (target, body) in [
                (
                    "/v1/objects/Dog",
                    #"[{"_id":1,"name":"Rex","age":7},{"_id":2,"name":"Fido","age":12},{"_id":3,"name":"Ace","age":9}]"#
                ),
                ("/v1/objects/Person", #"[{"handle":"ada","favourite":1}]"#),
            ] {
                guard try writer.send(.post, target, body).status == 201 else { throw WireFailure("setting up") }
            }
            guard try writer.send(.patch, "/v1/objects/Dog/2", #"{"owner":"ada"}"#).status < 300,
                try writer.send(.patch, "/v1/objects/Dog/3", #"{"owner":"ada"}"#).status < 300
            else { throw WireFailure("setting up") }
        }

        static func gateway(_ store: ModelStore, _ control: AccessControl) throws -> Gateway {
            var configuration = GatewayConfiguration.untimed
            configuration.accessControl = control
            return try Gateway(store: store, configuration: configuration)
        }

        /// The same store after a restart with these rules.
        func restarted(_ rules: Rules) throws -> Wire {
            Wire(store: store, router: try Self.gateway(store, AccessControl(rules.control)).router)
        }
    }

    struct Rules: Sendable, CustomTestStringConvertible {
        let read: String
        var properties: Set<String>?

        var control: AccessControl.Rules {
            let all = "TRUEPREDICATE"
            return AccessControl.Rules(roles: [
                Role(
                    name: "anonymous",
                    classes: [
                        "Dog": ClassRule(read: read, create: all, update: all, readableProperties: properties),
                        "Person": ClassRule(read: all),
                    ])
            ])
        }

        var testDescription: String { read + (properties.map { " \($0.sorted())" } ?? "") }
    }

    /// The paths after `/v1/` and `/v1/observe/`.
    private static let paths = [
        "objects/Dog?sort=_id", "objects/Dog?sort=age&limit=2", "objects/Dog/1", "objects/Person/ada/dogs?sort=_id",
        "sections/Dog?by=name", "aggregates/objects/Dog?count=true&by=name", "aggregates/objects/Dog?count=true",
        "values/objects/Dog?key=name", "index/objects/Dog?of=1&sort=name",
    ]

    private static let changes: [(Rules, Rules)] = [
        (Rules(read: "TRUEPREDICATE"), Rules(read: "age < 10")),
        (Rules(read: "age < 10"), Rules(read: "TRUEPREDICATE")),
        (Rules(read: "age < 10"), Rules(read: "age < 8")),
        (
            Rules(read: "TRUEPREDICATE"),
            Rules(read: "TRUEPREDICATE", properties: ["_id", "name", "age", "owner"])
        ),
        (Rules(read: "TRUEPREDICATE", properties: ["name", "age", "owner"]), Rules(read: "TRUEPREDICATE")),
    ]

    private static func readPath(_ path: String) -> String {
        // Sections are read where objects are.
        "/v1/" + (path.hasPrefix("sections/") ? path.replacing("sections/", with: "sections/objects/") : path)
    }

    @Test("a read and a stream begin anew under other rules, also after a restart", arguments: changes)
    func again(_ before: Rules, _ after: Rules) throws {
        let site = try Site()
        for path in Self.paths {
            site.control.replace(before.control)
            let read = Self.readPath(path)
            let known = try site.wire.get(read)
            #expect(known.status == 200, "\(path): \(known)")
            let mark = try #require(known.headers["Realmgate-Mark"])
            let tag = try #require(known.headers["ETag"])
            let id = try #require(try site.wire.observe("/v1/observe/" + path).next().id)
            #expect(id == mark)
            site.control.replace(after.control)
            for wire in [site.wire, try site.restarted(after)] {
                let now = try wire.get(read)
                #expect(now.status == 200)
                let conditional = try wire.send(.get, read, headers: ["If-None-Match": tag])
                // The tag of an object is one of its content.
                let isSame = now.headers["ETag"] == tag
                #expect(conditional.status == (isSame ? 304 : 200) && (isSame ? now.body == known.body : true))
                #expect(isSame || conditional.body == now.body)
                #expect(!isSame || path == "objects/Dog/1")
                let separator = read.contains("?") ? "&" : "?"
                let poll = try wire.get("\(read)\(separator)since=\(mark)&wait=0")
                #expect(poll.status == 200 && poll.body == now.body, "\(path): \(poll)")
                let begun = try wire.observe("/v1/observe/" + path).next()
                let resumed = try wire.observe("/v1/observe/" + path, headers: ["Last-Event-ID": id]).next()
                #expect(resumed.name == "initial" && resumed == begun, "\(path): \(resumed)")
            }
        }
    }

    @Test("with the rules that a client had, it goes on, also after a restart", arguments: changes)
    func same(_ rules: Rules, _ others: Rules) throws {
        let site = try Site()
        for path in Self.paths {
            site.control.replace(rules.control)
            let read = Self.readPath(path)
            let known = try site.wire.get(read)
            let mark = try #require(known.headers["Realmgate-Mark"])
            let id = try #require(try site.wire.observe("/v1/observe/" + path).next().id)
            site.control.replace(others.control)
            // A rule for writing changes nothing of what is seen.
            var control = rules.control
            control.roles[0].classes["Dog"]?.delete = "TRUEPREDICATE"
            site.control.replace(control)
            let wires = [site.wire, try site.restarted(rules)]
            let streams = try wires.map { wire in
                let tag = try #require(known.headers["ETag"])
                #expect(try wire.send(.get, read, headers: ["If-None-Match": tag]).status == 304, "\(path)")
                let separator = read.contains("?") ? "&" : "?"
                #expect(try wire.get("\(read)\(separator)since=\(mark)&wait=0").status == 204, "\(path)")
                return try wire.observe("/v1/observe/" + path, headers: ["Last-Event-ID": id])
            }
            let changed = #"{"name":"Abe","age":6}"#
            #expect(try site.wire.send(.patch, "/v1/objects/Dog/1", changed).status < 300)
            // Not every result differs: the number of dogs is the same.
            if Self.plain(try site.wire.get(read)) != Self.plain(known) {
                for stream in streams {
                    let event = try stream.next()
                    #expect(event.name == "update" || event.name == "change", "\(path): \(event)")
                }
            }
            #expect(try site.wire.send(.patch, "/v1/objects/Dog/1", #"{"name":"Rex","age":7}"#).status < 300)
        }
    }

    /// An answer without its version.
    private static func plain(_ answer: WireResponse) -> String {
        answer.text.replacing(#/"version":[0-9]+/#, with: "")
    }

    @Test("a set's stream begins anew under other rules, and goes on under the same", arguments: changes)
    func sets(_ before: Rules, _ after: Rules) throws {
        let site = try Site()
        site.control.replace(before.control)
        for (name, body) in [
            ("dogs", #"{"class":"Dog","sort":"_id"}"#), ("count", #"{"path":"aggregates/objects/Dog?count=true"}"#),
        ] {
            let put = try site.wire.send(.put, "/v1/subscriptions/s/\(name)", body)
            #expect(put.status == 201, "\(put)")
        }
        func initials(_ id: String?) throws -> (events: [WireEvents.Event], id: String) {
            let stream = try site.wire.observe(
                "/v1/subscriptions/s/stream", headers: id.map { ["Last-Event-ID": $0] } ?? [:])
            var events: [WireEvents.Event] = []
            _ = try stream.next("subscriptions")
            #expect(try site.wire.send(.put, "/v1/subscriptions/s/barriers/b", nil).status == 202)
            while events.last?.name != "barrier" { events.append(try stream.next()) }
            return (events.dropLast(), try #require(events.last?.id))
        }
        let (_, id) = try initials(nil)
        #expect(try initials(id).events.isEmpty)
        site.control.replace(after.control)
        let begun = try initials(nil).events
        let resumed = try initials(id).events
        func sorted(_ events: [WireEvents.Event]) -> [String] {
            events.map { "\($0.name) \($0.data)" }.sorted()
        }
        #expect(begun.count == 2 && begun.allSatisfy { $0.name == "initial" })
        #expect(sorted(resumed) == sorted(begun))
        site.control.replace(before.control)
        #expect(try initials(id).events.isEmpty)
    }

    @Test("a page of a held collection does not go on under other rules")
    func cursors() throws {
        let site = try Site()
        let target = "/v1/objects/Person/ada/dogs?limit=1"
        site.control.replace(Rules(read: "TRUEPREDICATE").control)
        let next = try #require(try site.wire.get(target)["next"]?.asString)
        #expect(try site.wire.get("\(target)&after=\(next)").status == 200)
        site.control.replace(Rules(read: "age < 10").control)
        #expect(try site.wire.get("\(target)&after=\(next)").status == 410)
    }

    @Test("a mark names a state for every caller where only the state matters")
    func states() throws {
        for isWhole in [true, false] {
            let site = try Site()
            site.control.replace(Rules(read: "age < 10").control)
            let mark = try #require(try site.wire.get("/v1/objects/Dog").headers["Realmgate-Mark"])
            let whole = Wire(store: site.store, router: try wireRouter(over: site.store))
            let seen = try #require(try whole.get("/v1/objects/Dog").headers["Realmgate-Mark"])
            #expect(mark.hasPrefix(seen + "-"))
            let (wire, other) = isWhole ? (whole, mark) : (site.wire, seen)
            #expect(try wire.send(.get, "/v1/objects/Dog", headers: ["Realmgate-At-Least": other]).status == 200)
            let operations = #"[{"op":"create","class":"Dog","value":{"_id":9,"age":6}}]"#
            let body = #"{"ifVersion":"\#(other)","operations":\#(operations)}"#
            let done = try wire.send(.post, "/v1/transactions", body)
            #expect(done.status == 200, "\(done)")
            #expect(try wire.send(.post, "/v1/transactions", body).status == 412)
        }
    }
}
