import JSONCoding
import ObjectCoding
import ObjectModel
package import StoreContract

/// Loads the demo's classes and objects from a directory with `schema.json` and a file `<class>s.ndjson` for each.
package struct DemoLoader: Sendable {
    private let directory: String
    private let store: any Store

    /// The files in the order that links require.
    private static let files = [("Airport", "airports.ndjson"), ("Flight", "flights.ndjson")]
    private static let schemaLimit = 1 << 20

    /// How much of the demo is loaded.
    package struct Progress: Hashable, Sendable {
        /// The class that is being loaded; empty before the first.
        package var className = ""
        /// The objects of that class so far.
        package var created = 0
        /// The objects of all classes so far.
        package var objects = 0
        /// The bytes of all files that have been read, and their sum.
        package var bytes = 0
        package var total = 0
        /// Whether all objects of the class are loaded.
        package var isComplete = false

        package init() {}
    }

    package init(directory: String, store: any Store) {
        self.directory = directory
        self.store = store
    }

    /// Loads missing classes, and the objects of those that are empty. Returns false, and does nothing, for a database
    /// with other classes. Blocks. Throws `TransferError` for damaged files, and the errors of the store; what was
    /// loaded before remains.
    ///
    /// - Parameters:
    ///   - check: called for each block of the files; if it throws, loading ends.
    ///   - progress: called after each commit, and when a class is complete.
    package func run(
        check: @escaping @Sendable () throws -> Void = {}, progress: (Progress) throws -> Void
    ) throws -> Bool {
        let present = try store.snapshot().schema
        guard present.classes.isEmpty || Self.files.allSatisfy({ present[$0.0] != nil }) else { return false }
        if present.classes.isEmpty { try makeClasses() }
        var done = Progress()
        done.total = try Self.files.reduce(0) { try $0 + (ByteSource(path: path($1.1)).size ?? 0) }
        for (name, file) in Self.files { try load(name, path(file), &done, check, progress) }
        return true
    }

    private func path(_ file: String) -> String { directory + "/" + file }

    private func makeClasses() throws {
        let bytes = try ByteSource(path: path("schema.json")).readAll(limit: Self.schemaLimit)
        let document: SchemaDocument
        do {
            document = try SchemaDocument(try JSONValue.parse(bytes))
        } catch {
            throw TransferError("The demo's file '\(path("schema.json"))' is damaged: \(error)")
        }
        try store.replaceSchema(with: document.schema, migration: Migration(steps: document.steps))
    }

    private func load(
        _ name: String, _ path: String, _ done: inout Progress, _ check: @escaping @Sendable () throws -> Void,
        _ progress: (Progress) throws -> Void
    ) throws {
        let snapshot = try store.snapshot()
        let objectClass = try snapshot.schema.named(name)
        let source = try ByteSource(path: path)
        let before = done
        done.className = name
        done.bytes = before.bytes + (source.size ?? 0)
        guard snapshot.count(of: objectClass.id) == 0 else { return }
        source.check = { _ in try check() }
        var rows = NDJSONRowSource(source, class: objectClass, schema: snapshot.schema)
        let importer = ObjectImporter(store: store, objectClass: objectClass, schema: snapshot.schema, policy: .error)
        let outcome: ObjectImporter.Outcome
        do {
            outcome = try importer.run(&rows) { reached in
                done.created = reached.created
                done.objects = before.objects + reached.created
                done.bytes = before.bytes + reached.bytes
                done.isComplete = false
                try progress(done)
            }
        } catch let failure as ObjectImporter.Failure {
            throw failure.cause
        }
        if let fault = outcome.faults.first {
            throw TransferError("The demo's file '\(path)' is damaged: line \(fault.line): \(fault.message)")
        }
        done.isComplete = true
        try progress(done)
    }
}
