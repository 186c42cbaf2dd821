import EmbeddedStore
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import Testing

/// The gateway to a store of either kind, with the settings of a test.
struct DogOwnersGatewayFixture {
    enum Kind: String, CaseIterable {
        case model
        case embedded
        /// An embedded store that is a replica of a log.
        case logged
    }

    let gateway: Gateway
    let wire: Wire
    let clock = SubscriptionFixture.Clock()
    private let home: TestDirectory?

    init(_ kind: Kind, _ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws {
        let schema = try SchemaCoding.decode(try JSONValue.parse(DogOwnersFixture.schema))
        let store: any Store
        switch kind {
        case .model:
            store = try ModelStore(schema)
            home = nil
        case .embedded, .logged:
            let home = try TestDirectory()
            var options = EmbeddedStoreOptions()
            options.clusterCapacity = 64
            let path = home.path + "/store"
            store =
                kind == .embedded
                ? try EmbeddedStore.open(path: path, schema: schema, options: options)
                : try EmbeddedStore.open(path: path, schema: schema, log: MemoryLog().connect(), options: options)
            self.home = home
        }
        var configuration = GatewayConfiguration.untimed
        let clock = clock
        configuration.clock = { clock.now }
        // A busy machine must not decide which bound a query meets.
        configuration.queryMilliseconds = nil
        configure(&configuration)
        gateway = try Gateway(store: store, configuration: configuration)
        wire = Wire(store: store, router: gateway.router)
        let wire = wire
        try DogOwnersFixture.fill { try wire.send(.post, $0, $1).status }
    }
}

/// Every kind of collection of objects, by its path after `/v1/objects/`, with the key of its class.
struct CollectionPath: CustomTestStringConvertible, Sendable {
    let path: String
    let key: String
    /// The path of the class.
    let ofClass: String
    let filters: [String]
    let sorts: [String]

    var testDescription: String { path }

    private static func people(_ path: String) -> CollectionPath {
        CollectionPath(
            path: path, key: "handle", ofClass: "Person",
            filters: ["", "age == 7", "height > 1", "dog.age > 5", "FALSEPREDICATE", "ANY tags == 'red'"],
            sorts: ["", "age,-handle", "-dog.age"])
    }

    private static func dogs(_ path: String) -> CollectionPath {
        CollectionPath(
            path: path, key: "id", ofClass: "Dog",
            filters: ["", "age > 4", "breed == 'Beagle'", "FALSEPREDICATE", "owners.@count > 0"],
            sorts: ["", "breed,-id", "-age"])
    }

    static let all = [
        dogs("Dog"), people("Person"), dogs("Person/ada/dogs"), people("Person/dee/friends"), dogs("Person/ada/pets"),
        people("Dog/2/owners"), dogs("Person/cy/dogs"),
    ]

    /// Returns query parameters without the empty ones.
    static func query(_ items: [(String, String)]) -> String {
        let given = items.filter { !$0.1.isEmpty }.map { "\(Wire.encoded($0.0))=\(Wire.encoded($0.1))" }
        return given.isEmpty ? "" : "?" + given.joined(separator: "&")
    }
}

extension WireResponse {
    /// The `items` of a page.
    var rows: [JSONValue] { self["items"]?.asArray ?? [] }
}
