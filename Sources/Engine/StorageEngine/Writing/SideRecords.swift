import StoredRecords
import LMDBStorage
import Columnar
package import ObjectModel
import StoreContract

/// Records beside the objects, each kept until its expiry.
struct SideRecords {
    let transaction: LMDBTransaction
    let trees: Trees

    /// The maximum number of expired records that one new one deletes: more than are added, so that they do not
    /// accumulate.
    private static let forgottenAtOnce = 8

    /// The bytes under a key and the second of their expiry, even if that has passed.
    func find(_ key: [UInt8]) throws -> (bytes: [UInt8], expiry: UInt64)? {
        guard let found = try transaction.get(trees.records, Self.recordKey(of: key)) else { return nil }
        guard found.count >= 8 else { throw DamagedRecord() }
        return (Array(found.dropFirst(8)), found.bigEndian(at: 0))
    }

    /// Replaces the bytes under the key; nil deletes them.
    func put(_ record: (bytes: [UInt8], expiry: UInt64)?, under key: [UInt8]) throws {
        if let old = try transaction.get(trees.records, Self.recordKey(of: key)) {
            try transaction.delete(trees.records, Self.reminder(of: key, old.bigEndian(at: 0)))
            if record == nil { try transaction.delete(trees.records, Self.recordKey(of: key)) }
        }
        guard let record else { return }
        var value = TreeKey(capacity: 8 + record.bytes.count)
        value.append(record.expiry)
        value.append(contentsOf: record.bytes)
        try transaction.put(trees.records, Self.recordKey(of: key), value.bytes)
        try transaction.put(trees.records, Self.reminder(of: key, record.expiry), [])
    }

    /// The keys of a few of the records that expired first, all before a time.
    func expired(before time: UInt64) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try transaction.scan(trees.records, prefix: [1]) { key, _ in
            guard keys.count < Self.forgottenAtOnce, key.count > 9, key.bigEndian(at: 1, as: UInt64.self) < time else {
                return false
            }
            keys.append(Array(key.dropFirst(9)))
            return true
        }
        return keys
    }

    private static func recordKey(of key: [UInt8]) -> [UInt8] { [0] + key }

    private static func reminder(of key: [UInt8], _ expiry: UInt64) -> [UInt8] {
        var reminder = TreeKey(capacity: 9 + key.count)
        reminder.append(UInt8(1))
        reminder.append(expiry)
        reminder.append(contentsOf: key)
        return reminder.bytes
    }
}

extension MemberTransaction {
    package func sideRecord(_ key: [UInt8], at time: Timestamp) throws -> [UInt8]? {
        guard let found = try records.find(key), found.expiry > UInt64(clamping: time.seconds) else { return nil }
        return found.bytes
    }

    package func keep(_ record: [UInt8], under key: [UInt8], until expiry: Timestamp, at time: Timestamp) throws {
        try StoreError.check(recordKey: key)
        for old in try records.expired(before: UInt64(clamping: time.seconds)) { try exchangeRecord(old, for: nil) }
        try exchangeRecord(key, for: (record, UInt64(clamping: expiry.seconds)))
    }

    package func exchangeRecord(_ key: [UInt8], for record: (bytes: [UInt8], expiry: UInt64)?) throws {
        let old = try records.find(key)
        self.record(.recordStored(key, oldBytes: old?.bytes, oldExpiry: old?.expiry ?? 0))
        session.redo?.append(
            record.map { .recordStored(key, bytes: $0.bytes, expiry: $0.expiry) } ?? .forgotten(key))
        try records.put(record, under: key)
    }

    var records: SideRecords { SideRecords(transaction: session.transaction, trees: session.trees) }
}
