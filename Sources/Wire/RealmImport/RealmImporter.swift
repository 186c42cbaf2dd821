import ObjectModel
package import RealmFiles
package import StoreContract
import Synchronization

/// Copies the objects of a Realm file into a store, with their classes, in one commit: all of them or none.
package struct RealmImporter: Sendable {
    /// How far an import is.
    package struct Progress: Sendable {
        /// The class that is being read.
        package internal(set) var className = ""
        /// The objects that were read. Those whose links waited for later objects are read twice.
        package internal(set) var done = 0
        /// How many there will be, as far as that is known.
        package internal(set) var total = 0
    }

    /// How many objects there are between two reports.
    package static let reportInterval = 2000

    private let file: RealmFile
    private let classes: RealmClasses
    private let store: any Store
    private let policy: UpdatePolicy

    /// - Parameter policy: what becomes of an object whose primary key the database has already: with `error` nothing is
    ///   imported.
    package init(
        _ file: RealmFile, _ classes: RealmClasses, into store: any Store, _ policy: UpdatePolicy = .error
    ) {
        self.policy = policy
        self.file = file
        self.classes = classes
        self.store = store
    }

    /// Imports everything. Blocks, and other writes wait meanwhile. Throws `RealmImportFault`, `RealmFileFault`, the
    /// errors of the store, and what `progress` throws; the store is as before then.
    ///
    /// Cost: reads the file once, and tables with links to later objects twice. Memory: the file, the pages of the
    /// transaction, which are about as many bytes as the objects take in the store, and 24 bytes for each run of object
    /// keys without a gap.
    ///
    /// - Parameter progress: called after every `reportInterval` objects, on the store's thread.
    package func run(progress: @escaping @Sendable (Progress) throws -> Void = { _ in }) throws -> RealmImportReport {
        let snapshot = try store.snapshot()
        let before = snapshot.schema
        let schema = try MergedSchema(adding: classes.schema, to: before, classes.style) { name in
            before[name].map { snapshot.count(of: $0.id) > 0 } ?? false
        }.schema
        let report = Mutex(RealmImportReport())
        let version = try store.replaceSchema(
            with: schema,
            migration: Migration(addsObjects: true) { [file, classes, policy] transaction in
                // The classes were merged with those of another state otherwise.
                guard transaction.old.schema == before else { throw StoreError.schemaReplaced }
                var copy = ObjectCopy(file, classes, transaction, policy, progress)
                let done = try copy.run()
                try file.checkUnchanged()
                report.withLock { $0 = done }
            })
        return report.withLock { report in
            report.version = version
            return report
        }
    }
}
