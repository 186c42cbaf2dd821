import Dispatch
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import RequestHandling
import StoreTesting
import Synchronization

/// A gateway to an in-memory store, with a clock that tests set.
final class SubscriptionFixture: Sendable {
    let store: ModelStore
    let gateway: Gateway
    let wire: Wire
    let clock: Clock

    final class Clock: Sendable {
        private let time = Atomic<Int64>(1_000_000)

        var now: Timestamp { Timestamp(seconds: time.load(ordering: .relaxed)) }
        func pass(_ seconds: Int64) { time.add(seconds, ordering: .relaxed) }
    }

    convenience init(_ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws {
        try self.init(ModelStore(Wire.schema), configure)
        for (target, body) in [
            ("/v1/objects/Person", #"[{"handle":"ada","city":"Turin"},{"handle":"bob"}]"#),
            ("/v1/objects/Dog", #"[{"_id":1,"name":"Rex","age":7},{"_id":2,"name":"Fido","age":12}]"#),
        ] {
            guard try wire.send(.post, target, body).status == 201 else { throw WireFailure("setting up") }
        }
    }

    /// Uses an existing store, as after a restart.
    init(
        _ store: ModelStore, clock: Clock = Clock(), _ configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = GatewayConfiguration.untimed
        configuration.clock = { clock.now }
        configure(&configuration)
        self.store = store
        self.clock = clock
        gateway = try Gateway(store: store, configuration: configuration)
        wire = Wire(store: store, router: gateway.router)
    }

    @discardableResult
    func put(_ target: String, _ body: String) throws -> WireResponse {
        try wire.send(.put, "/v1/subscriptions/\(target)", body)
    }

    @discardableResult
    func post(_ set: String, _ body: String) throws -> WireResponse {
        try wire.send(.post, "/v1/subscriptions/\(set)", body)
    }

    func get(_ target: String) throws -> WireResponse { try wire.get("/v1/subscriptions/\(target)") }

    func delete(_ target: String) throws -> WireResponse { try wire.send(.delete, "/v1/subscriptions/\(target)") }

    func stream(_ set: String, since id: String? = nil, limit: Int = 1 << 20) throws -> WireEvents {
        try wire.observe(
            "/v1/subscriptions/\(set)/stream", headers: id.map { ["Last-Event-ID": $0] } ?? [:], limit: limit)
    }

    /// Prevents all results from being reported until the semaphore is signalled.
    func holdResults() throws -> DispatchSemaphore {
        let box = Hold()
        let stream = EventStream(limit: 1 << 20) { box.enter() }
        guard case .events(_, let start) = wire.router.respond(to: try Request(.get, "/v1/observe/objects/Note")) else {
            throw WireFailure("no stream")
        }
        start(stream)
        settle()
        _ = stream.takeQueued()
        box.arm()
        guard try wire.send(.post, "/v1/objects/Note", #"{"text":"a"}"#).status == 201 else {
            throw WireFailure("Note")
        }
        box.entered.wait()
        return box.released
    }

    func settle() { gateway.settle() }

    private final class Hold: Sendable {
        let entered = DispatchSemaphore(value: 0)
        let released = DispatchSemaphore(value: 0)
        private let isArmed = Atomic(false)

        func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }

        func enter() {
            guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
            entered.signal()
            released.wait()
        }
    }

    /// Returns the labels of a set's subscriptions.
    func labels(_ set: String) throws -> [String?] {
        try get(set)["subscriptions"]?.asArray?.map { $0["name"]?.asString ?? $0["id"]?.asString } ?? []
    }
}
