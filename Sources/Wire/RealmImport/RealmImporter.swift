import ObjectModel
package import RealmFiles
package import StoreContract
import Synchronization

/// Copies the objects of a Realm file into a store, with their classes, in one commit: all of them or none.
package struct RealmImporter: Sendable {
    /// The progress of an import.
    package struct Progress: Sendable {
        /// The class that is being read.
        package internal(set) var className = ""
        /// The number of objects read so far. Objects with links to later objects are read twice.
        package internal(set) var done = 0
        /// The expected number of reads.
        package internal(set) var total = 0
    }

    /// The number of objects between two reports.
    package static let reportInterval = 2000

    /// The number of attempts at an import whose database changes between its preparation and its write.
    package static let maximumAttempts = 5

    private let file: RealmFile
    private let classes: RealmClasses
    private let store: any Store
    private let policy: UpdatePolicy

    /// - Parameter policy: what happens to an object whose primary key the database has already; with `error` nothing is
    ///   imported.
    package init(
        _ file: RealmFile, _ classes: RealmClasses, into store: any Store, _ policy: UpdatePolicy = .error
    ) {
        self.policy = policy
        self.file = file
        self.classes = classes
        self.store = store
    }

    /// Imports everything. Blocks; other writes wait meanwhile. Throws `RealmImportError`, `RealmFileError`, the errors
    /// of the store, and what `progress` throws; then the store is unchanged.
    ///
    /// The classes are merged with those of the newest state, and again in the writer's turn with the state that it sees,
    /// which decides what would be lost. When the two lead to different schemas, because another write came between, the
    /// import begins again; after `maximumAttempts` it throws `schemaReplaced`.
    ///
    /// Cost: reads the file once, and tables with links to later objects twice. Memory: the file, the pages of the
    /// transaction, which are about as many bytes as the objects take in the store, and 24 bytes for each run of object
    /// keys without a gap.
    ///
    /// - Parameter progress: called after every `reportInterval` objects, on the store's thread.
    package func run(progress: @escaping @Sendable (Progress) throws -> Void = { _ in }) throws -> RealmImportReport {
        var attempt = 1
        while true {
            let prepared = try store.snapshot()
            let merged = try MergedSchema(adding: classes, to: prepared)
            do {
                return try runOnce(merged, progress)
            } catch let error as StoreError where Self.dependsOnSchema(error.code) {
                // The store refuses a schema before the turn of the import when that schema no longer fits its state.
                guard try error.code == .schemaReplaced || store.snapshot().version != prepared.version else {
                    throw error
                }
                guard attempt < Self.maximumAttempts else { throw StoreError.schemaReplaced }
                attempt += 1
            }
        }
    }

    private func runOnce(
        _ merged: MergedSchema, _ progress: @escaping @Sendable (Progress) throws -> Void
    ) throws -> RealmImportReport {
        let report = Mutex(RealmImportReport())
        let work: @Sendable (any MigrationTransaction) throws -> Void = {
            [file, classes, policy, schema = merged.schema] transaction in
            let present = try MergedSchema(adding: classes, to: transaction.old)
            guard present.schema == schema else { throw StoreError.schemaReplaced }
            var copy = ObjectCopy(file, classes, TransactionTarget(transaction: transaction), policy, progress)
            var done = try copy.run()
            try file.checkUnchanged()
            done.notes += present.notes
            report.withLock { [done] in $0 = done }
        }
        let version = try store.replaceSchema(
            with: merged.schema, migration: Migration(addsObjects: true, block: work))
        return report.withLock { report in
            report.version = version
            return report
        }
    }

    /// Finds what `run` would report for a snapshot, without a write: converts each object and checks it by the rules
    /// of stores. Returns the report of the import, without a version, in which every existing object counts as
    /// changed.
    ///
    /// Throws `RealmImportError` and `RealmFileError` as `run` does, and what `progress` throws. Cost: reads the file
    /// as `run` does, and keeps the snapshot's version meanwhile. No other write waits.
    package static func rehearse(
        _ file: RealmFile, _ classes: RealmClasses, into snapshot: any Snapshot, _ policy: UpdatePolicy = .error,
        progress: @escaping (Progress) throws -> Void = { _ in }
    ) throws -> RealmImportReport {
        let merged = try MergedSchema(adding: classes, to: snapshot)
        var copy = ObjectCopy(file, classes, DryRunTarget(snapshot, merged.schema), policy, progress)
        var report = try copy.run()
        report.notes += merged.notes
        return report
    }

    private static func dependsOnSchema(_ code: StoreError.Code) -> Bool {
        [.schemaReplaced, .schemaVersionTooLow, .migrationRequired, .schemaInvalid].contains(code)
    }
}
