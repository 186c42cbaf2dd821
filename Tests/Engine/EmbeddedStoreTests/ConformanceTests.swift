import EmbeddedTesting
import EmbeddedStore
import Foundation
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("The embedded store keeps the contract of all stores")
struct ConformanceTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    /// Makes a new file for each store that the suite requests, with the smallest clusters.
    private func make(_ schema: Schema) throws -> any Store {
        try EmbeddedStore.open(
            path: directory.path + "/\(UUID())", schema: schema, options: smallClusters())
    }

    @Test("object keys") func objectKeys() throws { try StoreConformance.objectKeys(make) }
    @Test("primary keys") func primaryKeys() throws { try StoreConformance.primaryKeys(make) }
    @Test("values") func values() throws { try StoreConformance.values(make) }
    @Test("links") func links() throws { try StoreConformance.links(make) }
    @Test("rollback") func rollback() throws { try StoreConformance.rollback(make) }
    @Test("snapshot isolation") func snapshotIsolation() throws { try StoreConformance.snapshotIsolation(make) }
    @Test("versions") func versions() throws { try StoreConformance.versions(make) }
    @Test("change sets") func changeSets() throws { try StoreConformance.changeSets(make) }
    @Test("concurrent submitters") func concurrentSubmitters() throws {
        try StoreConformance.concurrentSubmitters(make)
    }
    @Test("replacing the schema") func replaceSchema() throws { try StoreConformance.replaceSchema(make) }
    @Test("closing") func closing() throws { try StoreConformance.closing(make) }

    @Test("rows read through a sink, in random schemas")
    func rows() throws { try StoreConformance.rows(make, seed: seed("rows")) }

    @Test("random histories agree with the model", arguments: 0..<2 * TestRun.length)
    func randomHistory(_ run: Int) throws {
        try StoreConformance.randomHistory(make, seed: seed("history \(run)"), steps: 150)
    }

    @Test("random histories of every kind of data agree with the model", arguments: 0..<2 * TestRun.length)
    func randomHistoryOfEverything(_ run: Int) throws {
        try StoreConformance.randomHistory(
            make, seed: seed("history of everything \(run)"), steps: 100, kinds: .all, compareEvery: 5)
    }

    @Test("random queries agree with the reference evaluator", arguments: 0..<3 * TestRun.length)
    func randomQueries(_ run: Int) throws {
        try StoreConformance.randomQueries(make, seed: seed("queries \(run)"), steps: 25)
    }

    @Test(
        "earlier versions are what the model was then, also after the file was opened again",
        arguments: 0..<2 * TestRun.length)
    func past(_ run: Int) throws {
        let path = directory.path + "/past"
        try StoreConformance.past(
            { try EmbeddedStore.open(path: path, schema: $0, options: smallClusters()) }, seed: seed("past \(run)"),
            steps: 40,
            reopen: { store in
                store.close()
                return try EmbeddedStore.open(path: path, options: smallClusters())
            })
    }

    @Test("each version has one mark, also after the file was opened again", arguments: 0..<2 * TestRun.length)
    func marks(_ run: Int) throws {
        let path = directory.path + "/marks"
        try StoreConformance.marks(
            { try EmbeddedStore.open(path: path, schema: $0, options: smallClusters()) }, seed: seed("marks \(run)"),
            reopen: { store in
                store.close()
                return try EmbeddedStore.open(path: path, options: smallClusters())
            })
    }

    @Test("every kind of data", arguments: StoreConformance.dataModelTopics(seed: seed))
    func dataModel(_ topic: StoreConformance.Topic) throws { try topic.run(make) }

    @Test("every type, after the file was closed and opened again")
    func reopening() throws {
        let path = directory.path + "/reopened"
        try StoreConformance.everyType(
            { try EmbeddedStore.open(path: path, schema: $0, options: smallClusters()) }, seed: seed("reopening"),
            reopen: { try EmbeddedStore.open(path: path, options: smallClusters()) })
    }

    @Test(
        "writes that threads hold open, and versions that are asked for again",
        arguments: StoreConformance.interactiveTopics(seed: seed) + StoreConformance.versionTopics(seed: seed))
    func interactive(_ topic: StoreConformance.Topic) throws { try topic.run(make) }
}

/// The seed for that purpose, printed so that a failure can be repeated.
func seed(_ purpose: String) -> UInt64 {
    let seed = TestSeed.of(purpose)
    print("embedded store \(purpose) seed \(seed)")
    return seed
}
