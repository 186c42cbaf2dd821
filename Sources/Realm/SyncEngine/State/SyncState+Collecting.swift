import Foundation
import JSONCoding
import ObjectModel
import StoreContract

extension SyncState {
    /// The maximum number of operations in an upload; the gateway's limit is 10,000.
    private static let largest = 5_000

    /// Turns the local commits since the last call into uploads. Called at the beginning of each write transaction,
    /// which shows the state after those commits. Returns false if the change log no longer contains them.
    mutating func collect(_ store: any Store, _ transaction: any WriteTransaction) throws -> Bool {
        let last = Version(transaction.version.rawValue - 1)
        guard last > scanned else { return true }
        guard let commits = try store.changes(after: scanned) else { return false }
        var merged = ChangeSet(version: scanned)
        for commit in commits where commit.version <= last { merged.merge(commit) }
        guard !merged.classes.isEmpty else { return true }
        let isAdding = merged.classes.values.allSatisfy { $0.deletions.isEmpty && $0.modifications.isEmpty }
        var changes = LocalChangeEncoder(
            transaction, Set(queries.map(\.className)).union(memberClasses.values).union(writeOnly),
            before: isAdding ? nil : try? store.asOf(scanned, before: store.snapshot())?.reads)
        try changes.read(merged)
        let deleted = try changes.deletedKeys.isEmpty ? [] : names(changes.deletedKeys, changes.before, transaction)
        let operations = try changes.operations(deleting: deleted) { object, property in
            if case .object(let values)? = unresolved[object] { values[property] } else { nil }
        }
        guard !operations.isEmpty else { return true }
        for start in stride(from: 0, to: operations.count, by: Self.largest) {
            let part = Array(operations[start..<min(start + Self.largest, operations.count)])
            var upload = Upload(number: number(), idempotencyKey: UUID().uuidString, operations: part, touched: [:])
            for operation in part { upload.touched[operation.object] = changes.touched[operation.object] }
            add(upload)
        }
        for (object, touch) in changes.touched { try forgetLinks(object, touch, transaction) }
        return true
    }

    /// Removes recorded links after local changes: an assigned property no longer links to missing objects, and a
    /// created object may be a missing one.
    private mutating func forgetLinks(
        _ object: SyncObject, _ touch: Upload.Touch, _ transaction: any WriteTransaction
    ) throws {
        switch touch {
        case .created: try resolve(waitingFor: object, transaction)
        case .deleted: unresolved[object] = nil
        case .modified(let names):
            for name in names where transaction.schema[object.className]?[name]?.type.collection == .single {
                note(nil, name, of: object)
            }
        }
    }

    /// Returns the identities of deleted objects.
    private func names(
        _ objects: [ObjectReference], _ before: (any ObjectReads)?, _ transaction: any WriteTransaction
    ) throws -> [SyncObject] {
        if let before {
            return try objects.compactMap { try before.exists($0) ? before.name(of: $0) : nil }
        }
        // Without the earlier state: the members that are neither here nor known to be deleted.
        var found: Set<SyncObject> = []
        for classID in Set(objects.map(\.classID)) {
            guard let className = transaction.schema[classID]?.name else { continue }
            for (number, list) in members where memberClasses[number] == className {
                for member in list.numbers {
                    let object = SyncObject(className, reported[className].key(member))
                    guard try transaction.key(of: classID, primaryKey: object.key) == nil else { continue }
                    if pending(object, at: 0) != .deleted { found.insert(object) }
                }
            }
        }
        return Array(found)
    }
}
