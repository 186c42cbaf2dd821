import StoredRecords
package import LMDBStorage
import Columnar
import Glibc
package import ObjectModel
import StoreContract

/// The change sets of recent versions, kept so that readers that are behind can catch up.
package enum ChangeLog {
    /// The sizes that the log may have; beyond them the oldest versions are dropped, but never the newest.
    package struct Limits {
        package let versions: Int
        package let seconds: Int64
        package let bytes: Int

        package init(versions: Int, seconds: Int64, bytes: Int) {
            self.versions = versions
            self.seconds = seconds
            self.bytes = bytes
        }
    }

    /// `undo` is a section that `UndoRecord` wrote; nil when the changes cannot be undone. `tag` is given when versions
    /// have tags of their own.
    package static func append(
        _ changes: ChangeSet, undo: [UInt8]?, tag: HistoryTag?, _ transaction: LMDBTransaction, _ trees: Trees
    ) throws {
        let record = ChangeSetRecord.encode(changes, undo: undo, tag: tag, at: Timestamp.now().seconds)
        try transaction.put(trees.log, Catalogue.versionRecord(changes.version), record)
    }

    /// Drops the oldest entries beyond the limits, at most `budget` of them, so that no commit pays for many others.
    package static func trim(
        _ transaction: LMDBTransaction, _ trees: Trees, newest: Version, limits: Limits, pageSize: Int,
        budget: Int
    ) throws {
        let oldestTime = Timestamp.now().seconds - limits.seconds
        var expired: [[UInt8]] = []
        try transaction.scan(trees.log, prefix: []) { key, value in
            let age = newest.rawValue - key.bigEndian(at: 0, as: UInt64.self)
            let time = ChangeSetRecord.time(value) ?? 0
            guard expired.count < budget, age >= UInt64(limits.versions) || time < oldestTime else {
                return false
            }
            expired.append(Array(key))
            return true
        }
        for key in expired { try transaction.delete(trees.log, key) }
        try shorten(
            transaction, trees, to: limits.bytes / pageSize, newest: newest,
            budget: budget - expired.count)
    }

    /// Drops the oldest entries, at most `budget` of them and never the newest, until the log has at most `pages`
    /// pages. Cost: constant while it has no more.
    private static func shorten(
        _ transaction: LMDBTransaction, _ trees: Trees, to pages: Int, newest: Version, budget: Int
    ) throws {
        var budget = budget
        while budget > 0, try transaction.pageCount(trees.log) > pages {
            var oldest: [UInt8]?
            try transaction.scan(trees.log, prefix: []) { key, _ in
                oldest = Array(key)
                return false
            }
            guard let oldest, oldest != Catalogue.versionRecord(newest) else { return }
            try transaction.delete(trees.log, oldest)
            budget -= 1
        }
    }

    /// Removes the undo data: the old values of changed and deleted properties. Returns whether there was any.
    package static func dropUndo(_ transaction: LMDBTransaction, _ trees: Trees) throws -> Bool {
        var shortened: [(key: [UInt8], record: [UInt8])] = []
        try transaction.scan(trees.log, prefix: []) { key, value in
            // Unreadable records are left to the file check.
            if let length = (try? ChangeSetRecord.lengthWithoutUndo(value)) ?? nil {
                shortened.append((Array(key), Array(value.prefix(length))))
            }
            return true
        }
        for (key, record) in shortened { try transaction.put(trees.log, key, record) }
        return !shortened.isEmpty
    }

    /// The version before the oldest one in the log; nil when it is empty.
    package static func floor(_ transaction: LMDBTransaction, _ trees: Trees) throws -> Version? {
        var oldest: UInt64?
        try transaction.scan(trees.log, prefix: []) { key, _ in
            oldest = key.bigEndian(at: 0, as: UInt64.self)
            return false
        }
        return oldest.map { Version($0 - min(1, $0)) }
    }

    /// The tag of a version of a replica, whose versions have tags of their own; nil when the log no longer holds it.
    package static func tag(of version: Version, _ transaction: LMDBTransaction, _ trees: Trees) throws -> HistoryTag? {
        if version == LogPosition.start.version { return LogPosition.start.tag }
        return try transaction.get(trees.log, Catalogue.versionRecord(version)).flatMap { ChangeSetRecord.tag($0) }
    }

    /// Every version after `version`, oldest first; nil when the log no longer holds the first of them, or one of them
    /// is too large to decode.
    package static func entries(
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
    /// Their addresses stay valid as long as the transaction.
    package static func records(
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
    /// The newest records without a gap up to `newest`, oldest first; none when the log does not end with it. Their
    /// addresses stay valid as long as the transaction.
    package static func records(
        upTo newest: Version, _ transaction: LMDBTransaction, _ trees: Trees
    ) throws -> [(version: Version, bytes: UnsafeRawBufferPointer)] {
        var records: [(version: Version, bytes: UnsafeRawBufferPointer)] = []
        try transaction.scan(trees.log, prefix: []) { key, value in
            let version = Version(key.bigEndian(at: 0, as: UInt64.self))
            guard version <= newest else { return false }
            if let last = records.last, last.version.next != version { records.removeAll() }
            records.append((version, value))
            return true
        }
        return records.last?.version == newest ? records : []
    }
}
