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
import Testing

@Suite("Metrics and readiness with a log")
struct LogMetricsTests {
    private static let schema =
        #"{"schemaVersion":1,"classes":[{"name":"Dog","properties":[{"name":"name","type":"string"}]}]}"#

    private let directory: TestDirectory
    private let log = MemoryLog()
    private let faults = LogFaults()
    private let store: EmbeddedStore
    private let schema: Schema
    private let dog: ClassID

    init() throws {
        directory = try TestDirectory()
        schema = try SchemaCoding.decode(try JSONValue.parse(Self.schema))
        dog = try #require(schema.classes.first).id
        store = try EmbeddedStore.open(path: directory.path + "/a", schema: schema, log: log.connect(faults))
    }

    private func add(_ store: EmbeddedStore) throws {
        try store.write { transaction in _ = try transaction.create(dog, [:]) }
    }

    @Test("count appends by their outcome, turns and what others wrote")
    func counts() throws {
        let wire = Wire(store: store, router: try Gateway(store: store, configuration: .untimed).router)
        try add(store)
        faults.plan(.append, .refused)
        #expect(throws: StoreError.self) { try add(store) }
        let other = try EmbeddedStore.open(path: directory.path + "/b", schema: schema, log: log.connect())
        try add(other)
        let newest = try other.snapshot().version
        #expect(try eventually { try store.snapshot().version >= newest })
        try SharedGateways.passWriter(of: store)
        let numbers = try Exposition(try wire.send(.get, "/metrics").text)
        #expect((numbers[#"realmgate_log_appends_total{outcome="appended"}"#] ?? 0) >= 1)
        #expect(numbers[#"realmgate_log_appends_total{outcome="refused"}"#] == 1)
        #expect(numbers[#"realmgate_log_appends_total{outcome="unknown"}"#] == 0)
        #expect((numbers["realmgate_log_entries_applied_total"] ?? 0) >= 1)
        #expect(numbers["realmgate_log_version"] == Double(newest.rawValue))
        #expect(numbers["realmgate_log_behind_versions"] == 0)
        #expect((numbers["realmgate_log_contact_seconds"] ?? .infinity) < Double(TestRun.patience))
    }

    @Test("a gateway whose log does not respond is not ready, and is again when it does")
    func silence() throws {
        var configuration = GatewayConfiguration.untimed
        configuration.maximumLogSilence = 0
        let wire = Wire(store: store, router: try Gateway(store: store, configuration: configuration).router)
        let answer = try wire.send(.get, "/readyz")
        #expect(answer.status == 503 && answer.code == "store.unavailable")
        configuration.maximumLogSilence = TestRun.patience
        let patient = Wire(store: store, router: try Gateway(store: store, configuration: configuration).router)
        #expect(try patient.send(.get, "/readyz").status == 200)
    }
}
