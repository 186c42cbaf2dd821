package import LMDBStorage
import Columnar
package import ObjectModel

/// The history that the versions of a file belong to.
///
/// A tag is drawn when a file is created and when a backup is restored. A copy keeps the tag of its original, whose
/// states it has. Versions written to a copy differ from later ones of the original, so the first commit to it draws a
/// new tag. Compaction changes no state, and keeps the tag.
package struct HistoryRecord: Equatable, Sendable {
    package var tag: HistoryTag
    /// Whether the file is a copy that has not been written to.
    package var isCopy: Bool

    package init(tag: HistoryTag, isCopy: Bool = false) {
        self.tag = tag
        self.isCopy = isCopy
    }

    private static let length = 9

    /// The record of a new history.
    package static func new() -> HistoryRecord { HistoryRecord(tag: .random()) }

    /// The record for the versions that are made next.
    package var continued: HistoryRecord { isCopy ? .new() : self }

    /// The record for a copy of the file.
    package var copied: HistoryRecord { HistoryRecord(tag: tag, isCopy: true) }
}

extension HistoryRecord {
    /// Throws `LMDBError`, and `DamagedRecord` when there is none.
    package init(_ transaction: LMDBTransaction, _ meta: LMDBDatabase) throws {
        guard let bytes = try transaction.get(meta, FileFormat.historyKey), bytes.count == Self.length else {
            throw DamagedRecord()
        }
        self.init(tag: HistoryTag(rawValue: bytes.bigEndian(at: 0)), isCopy: bytes[8] != 0)
    }

    /// Adds the record to a file. A file from before there were such records begins a history.
    package static func ensure(in transaction: LMDBTransaction, _ meta: LMDBDatabase) throws {
        guard try transaction.get(meta, FileFormat.historyKey) == nil else { return }
        try HistoryRecord.new().put(in: transaction, meta)
    }

    package func put(in transaction: LMDBTransaction, _ meta: LMDBDatabase) throws {
        var record = TreeKey(capacity: Self.length)
        record.append(tag.rawValue)
        record.append(UInt8(isCopy ? 1 : 0))
        try transaction.put(meta, FileFormat.historyKey, record.bytes)
    }

    /// Changes the record of a file that nobody else has open, durably. Throws `LMDBError`, `DamagedRecord`.
    package static func change(
        of path: String, _ presence: FilePresence, _ change: (HistoryRecord) -> HistoryRecord
    ) throws {
        // Room for the few pages of the record.
        let environment = try LMDBEnvironment(
            path: path, presence, mapSize: presence.fileSize + 1 << 20, maximumReaders: 1, isPrivate: true)
        let transaction = try environment.begin(readOnly: false)
        defer { transaction.abort() }
        guard let meta = try transaction.database(FileFormat.metaTree, create: false) else { throw DamagedRecord() }
        try ensure(in: transaction, meta)
        try change(HistoryRecord(transaction, meta)).put(in: transaction, meta)
        // A copy of a replica is a store of its own.
        try transaction.delete(meta, FileFormat.replicaKey)
        try transaction.commit()
    }
}
