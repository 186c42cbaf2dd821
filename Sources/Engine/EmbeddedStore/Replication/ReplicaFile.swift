import StorageEngine
import LMDBStorage
import Columnar
import Glibc
import ObjectModel
import StoreContract

/// The opening and closing of a replica's file.
enum ReplicaFile {
    /// Opens the replica at `path`, or makes an empty one. Returns nil, with the file closed, when it is of another log
    /// or has lost commits in a crash of the machine: then it is to be discarded.
    ///
    /// - Parameter isChecked: whether the caller has just checked its pages.
    static func open(
        path: String, schema: Schema, log: Int64, options: EmbeddedStoreOptions, isChecked: Bool = false
    ) throws -> StoreFile? {
        var options = options
        options.isUnsynced = true
        options.hasCheckedPages = isChecked
        do {
            return try opened(path, schema, log, options)
        } catch let error as LMDBError {
            throw error.storeError(path: path)
        } catch is DamagedRecord {
            throw StoreError.damaged(path)
        }
    }

    /// Nil when the file is to be deleted.
    private static func opened(
        _ path: String, _ schema: Schema, _ log: Int64, _ options: EmbeddedStoreOptions
    ) throws -> StoreFile? {
        let file = try StoreFile(path: path, schema: schema, options: options)
        let transaction = try file.environment.begin(readOnly: false)
        defer { transaction.abort() }
        let catalogue = try file.catalogue(transaction, file.trees)
        if var record = try ReplicaRecord(transaction, file.trees.meta) {
            guard record.log == log, record.isWhole else { return nil }
            record.run = ReplicaRecord.presentRun
            try record.put(in: transaction, file.trees.meta)
        } else {
            // A file with nothing in it may have been made for this, by a program that was killed.
            guard catalogue.version == LogPosition.start.version else {
                throw StoreError(
                    .invalidFile,
                    "'\(path)' is a database of its own, not a replica of a log. Give another path for the replica.")
            }
            try HistoryRecord(tag: LogPosition.start.tag).put(in: transaction, file.trees.meta)
            try ReplicaRecord(log: log, run: ReplicaRecord.presentRun).put(in: transaction, file.trees.meta)
        }
        try transaction.commit()
        // The record must be on disk before commits are not.
        try file.environment.sync()
        return file
    }

    /// Whether the file at `path` is one of this program whose pages are not sound. False while another program has it
    /// open, and where there is none.
    static func isDamaged(_ path: String) -> Bool {
        guard FileIdentity(path: path) != nil, let presence = try? FilePresence.acquireExclusivelySoon(path),
            let found = try? PageCheck(presence, path: path).run({ PageVerifier($0) })
        else { return false }
        return !found.isForeign && !found.faults.isEmpty
    }

    /// Deletes a replica that no program has open.
    static func discard(_ path: String) throws {
        try withExclusive(path) {
            guard unlink(path) == 0 else { throw LMDBError(code: errno, action: "Deleting").storeError(path: path) }
        }
    }

    /// Renames a damaged file, because it may not have been a replica. An earlier one of that name is replaced.
    static func setAside(_ path: String) throws {
        try withExclusive(path) {
            guard rename(path, path + damagedSuffix) == 0 else {
                throw LMDBError(code: errno, action: "Renaming").storeError(path: path)
            }
        }
    }

    static let damagedSuffix = ".damaged"

    private static func withExclusive(_ path: String, _ body: () throws -> Void) throws {
        if let presence = try FilePresence.acquireExclusivelySoon(path) {
            return try withExtendedLifetime(presence) {
                try body()
                unlink(path + "-lock")
            }
        }
        throw StoreError(
            .busy, "The replica '\(path)' must be replaced, but another program has it open. Close that program.")
    }

    /// Records that all pages are on disk. A failure only costs the replica.
    static func finish(_ file: StoreFile) {
        guard let environment = try? file.environment, let trees = try? file.trees,
            (try? environment.sync()) != nil, let transaction = try? environment.begin(readOnly: false)
        else { return }
        defer { transaction.abort() }
        guard var record = try? ReplicaRecord(transaction, trees.meta) else { return }
        record.run = 0
        guard (try? record.put(in: transaction, trees.meta)) != nil, (try? transaction.commit()) != nil else { return }
        try? environment.sync()
    }
}

extension StoreFile {
    /// The newest version and its tag. Cost: a read transaction.
    var position: LogPosition {
        get throws {
            let snapshot = try snapshot().snapshot
            return LogPosition(snapshot.version, snapshot.tag)
        }
    }
}
