import Columnar
import Glibc
import ObjectModel
import StoreContract

/// The change sets of recent versions, kept so that readers that fell behind can catch up.
enum ChangeLog {
    /// `undo` is a section that `UndoRecord` wrote; nil when the changes cannot be taken back.
    static func append(
        _ changes: ChangeSet, undo: [UInt8]?, _ transaction: LMDBTransaction, _ trees: Trees
    ) throws {
        let record = ChangeSetRecord.encode(changes, undo: undo, at: Timestamp.now().seconds)
        try transaction.put(trees.log, Catalogue.versionRecord(changes.version), record)
    }

    /// Drops the oldest entries that are past the limits, at most `budget` of them, so that no commit pays for
    /// many others.
    static func trim(
        _ transaction: LMDBTransaction, _ trees: Trees, newest: Version, limit: EmbeddedStoreOptions, budget: Int
    ) throws {
        let oldestTime = Timestamp.now().seconds - limit.changeLogSeconds
        var expired: [[UInt8]] = []
        try transaction.scan(trees.log, prefix: []) { key, value in
            let age = newest.rawValue - key.bigEndian(at: 0, as: UInt64.self)
            let time = ChangeSetRecord.time(value) ?? 0
            guard expired.count < budget, age >= UInt64(limit.changeLogVersions) || time < oldestTime else {
                return false
            }
            expired.append(Array(key))
            return true
        }
        for key in expired { try transaction.delete(trees.log, key) }
    }

    /// The version before the oldest that the log has; nil when it is empty.
    static func floor(_ transaction: LMDBTransaction, _ trees: Trees) throws -> Version? {
        var oldest: UInt64?
        try transaction.scan(trees.log, prefix: []) { key, _ in
            oldest = key.bigEndian(at: 0, as: UInt64.self)
            return false
        }
        return oldest.map { Version($0 - min(1, $0)) }
    }

    /// Every version after `version`, oldest first; nil when the log no longer holds the first of them, or one of
    /// them is too large to be told.
    static func entries(
        after version: Version, upTo newest: Version, _ transaction: LMDBTransaction, _ trees: Trees
    ) throws -> [ChangeSet]? {
        guard version < newest else { return version == newest ? [] : nil }
        var entries: [ChangeSet] = []
        var damaged = false
        try transaction.scan(trees.log, prefix: [], from: Catalogue.versionRecord(version.next)) { key, value in
            let version = Version(key.bigEndian(at: 0, as: UInt64.self))
            do throws(DamagedRecord) {
                guard let changes = try ChangeSetRecord.decode(value, version: version) else {
                    entries = []
                    return false
                }
                entries.append(changes)
                return true
            } catch {
                damaged = true
                return false
            }
        }
        if damaged { throw DamagedRecord() }
        guard entries.first?.version == version.next, entries.last?.version == newest,
            entries.count == Int(newest.rawValue - version.rawValue)
        else { return nil }
        return entries
    }

    /// The records of every version after `version`, oldest first; nil when the log no longer holds the first of them.
    /// They stay where they are as long as the transaction.
    static func records(
        after version: Version, upTo newest: Version, _ transaction: LMDBTransaction, _ trees: Trees
    ) throws -> [(version: Version, bytes: UnsafeRawBufferPointer)]? {
        guard version <= newest else { return nil }
        var records: [(version: Version, bytes: UnsafeRawBufferPointer)] = []
        try transaction.scan(trees.log, prefix: [], from: Catalogue.versionRecord(version.next)) { key, value in
            let next = Version(key.bigEndian(at: 0, as: UInt64.self))
            guard next.rawValue == version.rawValue + UInt64(records.count) + 1, next <= newest else { return false }
            records.append((next, value))
            return true
        }
        return records.count == Int(newest.rawValue - version.rawValue) ? records : nil
    }
}
