import ObjectCoding
import ObjectModel
import StoreContract
import Transfer

/// Loads the demo's classes and objects from a directory with `schema.json` and a file `<class>s.ndjson` for each.
struct DemoLoader {
    let directory: String
    let store: any Store
    let report: (String) -> Void

    /// The files in the order that links require.
    private static let files = [("Airport", "airports.ndjson"), ("Flight", "flights.ndjson")]

    /// Loads missing classes and objects. Does nothing for a database with other classes.
    func run() throws {
        let present = try store.snapshot().schema
        let names = Self.files.map(\.0)
        guard present.classes.isEmpty || names.allSatisfy({ present[$0] != nil }) else {
            report("The database has classes of its own, so the demo was not loaded into it.")
            return
        }
        if present.classes.isEmpty { _ = try SchemaFile.apply(directory + "/schema.json", to: store) }
        for (name, file) in Self.files {
            try load(name, from: directory + "/" + file)
        }
    }

    private func load(_ name: String, from path: String) throws {
        let snapshot = try store.snapshot()
        let objectClass = try snapshot.schema.named(name)
        guard snapshot.count(of: objectClass.id) == 0 else { return }
        let source = try ByteSource(path: path)
        var rows = NDJSONRowSource(source, class: objectClass, schema: snapshot.schema)
        let importer = ObjectImporter(store: store, objectClass: objectClass, schema: snapshot.schema, policy: .error)
        var progress = ProgressLine(of: source.size)
        let outcome = try importer.run(&rows) { done in
            progress.show("Loading the demo: \(grouped(done.created)) objects of \(name)", at: done.bytes)
        }
        progress.finish()
        if let fault = outcome.faults.first {
            throw CommandFailure("The demo's file '\(path)' is damaged: line \(fault.line): \(fault.message)")
        }
        report("Loaded the demo: \(grouped(outcome.created)) objects of \(name).")
    }
}
