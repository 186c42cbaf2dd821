import ObjectModel
import PostgresTesting
import RepositoryFiles
import StoreContract
import TestBasics

@testable import EmbeddedStore
@testable import PostgresLog
@testable import Projection

/// A realm of its own on the server of the tests, with a store and tables.
final class ProjectedRealm {
    let server: PostgresServer
    let store: EmbeddedStore
    let log: PostgresLog
    let schema: String
    let projector: Projector
    private let directory: TestDirectory

    init(_ model: Schema, readers: [String] = []) throws {
        server = try PostgresServer.shared.get()
        directory = try TestDirectory()
        let name = try RealmName("tables-\(PostgresServer.number())")
        let realms = try LogDirectory(try PostgresAddress(server.url))
        defer { realms.close() }
        try realms.setUp()
        try realms.create(name)
        var options = PostgresLog.Options()
        options.patience = .seconds(TestRun.patience)
        log = try PostgresLog(try PostgresAddress(server.url), realm: name, options: options)
        store = try EmbeddedStore.open(path: directory.file("replica"), schema: model, log: log)
        schema = name.text
        projector = try Projector(store, log, schema: schema, readers: readers)
    }

    deinit { store.close() }

    /// Another projector of the same realm.
    func projector(_ schema: String) throws -> Projector { try Projector(store, log, schema: schema) }

    /// The rows of a question about the tables, with `|` between columns.
    func rows(_ text: String) throws -> [String] {
        let output = try server.sql("set search_path = \"\(schema)\"; " + text)
        return output.isEmpty ? [] : output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The tables whose rows differ from those of another schema.
    func differences(from other: String) throws -> [String] {
        let layout = ProjectionLayout(try store.snapshot().schema)
        return try layout.tables.compactMap { table in
            let columns = table.columns.map { ProjectionSQL.quoted($0.name) }.joined(separator: ", ")
            let (a, b) = map((schema, other)) { "select \(columns) from \"\($0)\".\(ProjectionSQL.quoted(table.name))" }
            let count = try server.sql(
                "select (select count(*) from (\(a) except all \(b)) x) + (select count(*) from (\(b) except all \(a)) y)"
            )
            return count == "0" ? nil : "\(table.name): \(count) rows differ"
        }
    }
}

private func map<A, B>(_ pair: (A, A), _ transform: (A) -> B) -> (B, B) { (transform(pair.0), transform(pair.1)) }
