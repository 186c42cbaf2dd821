import EmbeddedStore
import Gateway
import Glibc
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics

/// Gateways to replicas of one log in memory, each with a clock of its own.
final class SharedGateways {
    struct Side {
        let store: EmbeddedStore
        let gateway: Gateway
        let wire: Wire
        let clock: SubscriptionFixture.Clock
        let faults: LogFaults
    }

    let directory: TestDirectory
    let log = MemoryLog()
    private(set) var sides: [Side] = []
    private let configure: (inout GatewayConfiguration) -> Void

    var near: Side { sides[0] }
    var far: Side { sides[1] }

    init(_ configure: @escaping (inout GatewayConfiguration) -> Void = { _ in }) throws {
        directory = try TestDirectory()
        self.configure = configure
        _ = try add("near")
        _ = try add("far")
        for (target, body) in [
            ("/v1/objects/Person", #"[{"handle":"ada","city":"Turin"},{"handle":"bob"}]"#),
            ("/v1/objects/Dog", #"[{"_id":1,"name":"Rex","age":7},{"_id":2,"name":"Fido","age":12}]"#),
        ] {
            guard try near.wire.send(.post, target, body).status == 201 else { throw WireFailure("setting up") }
        }
        try settle()
    }

    deinit { for side in sides { side.store.close() } }

    /// Starts one more gateway.
    func add(_ name: String) throws -> Side {
        let faults = LogFaults()
        let store = try EmbeddedStore.open(
            path: directory.path + "/" + name, schema: Wire.schema, log: log.connect(faults))
        var configuration = GatewayConfiguration.untimed
        let clock = SubscriptionFixture.Clock()
        configuration.clock = { clock.now }
        configure(&configuration)
        let gateway = try Gateway(store: store, configuration: configuration)
        let side = Side(
            store: store, gateway: gateway, wire: Wire(store: store, router: gateway.router), clock: clock,
            faults: faults)
        sides.append(side)
        return side
    }

    /// Waits until all gateways have what one of them has.
    func settle() throws {
        let newest = try log.connect().newest().version
        for side in sides { try Self.wait("version \(newest)") { try side.store.snapshot().version >= newest } }
        for side in sides {
            try Self.passWriter(of: side.store)
            side.gateway.settle()
        }
    }

    /// Waits for the writer of a store, which passes on what came with a version after the version can be read.
    static func passWriter(of store: any Store) throws {
        struct Passed: Error {}
        do {
            try store.write { _ in throw Passed() }
        } catch is Passed {}
    }

    /// Waits for what another gateway does.
    static func wait(_ what: String, until isSo: () throws -> Bool) throws {
        guard try eventually(isSo) else { throw WireFailure("\(what) did not come.") }
    }
}
