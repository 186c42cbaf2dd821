import ObjectModel
import StoreContract

/// What the objects of a file are copied into.
protocol CopyTarget {
    /// Has all classes of the file.
    var schema: Schema { get }

    /// The number of objects of a class, those that were created included.
    func count(of classID: ClassID) -> Int

    /// The object with a primary key; nil if there is none.
    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey?

    /// Creates an object from one value for each stored property. Throws the errors of `WriteTransaction.create`.
    func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey

    /// Assigns properties; see `WriteTransaction.set`. Returns whether something differed.
    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value], onlyDifferent: Bool) throws -> Bool
}

/// The transaction of a store, which keeps what it is given.
struct TransactionTarget: CopyTarget {
    let transaction: any MigrationTransaction

    var schema: Schema { transaction.schema }

    func count(of classID: ClassID) -> Int { transaction.count(of: classID) }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try transaction.key(of: classID, primaryKey: primaryKey)
    }

    func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey { try transaction.create(classID, row: row) }

    func set(
        _ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value], onlyDifferent: Bool
    ) throws -> Bool {
        try transaction.set(classID, key, values, onlyDifferent: onlyDifferent)
    }
}

/// A snapshot, which says what a store would say to each object and keeps none, so that no other write waits for it.
///
/// The rules are those of all stores, `ValueRules`. Links are not looked up: an import makes them from objects that
/// `create` or `key` gave it. That primary keys are unique is what the copy itself makes sure of.
final class DryRunTarget: CopyTarget {
    let schema: Schema
    private let snapshot: any Snapshot
    private let rules: ValueRules
    private var created: [ClassID: Int64] = [:]

    /// Beyond all keys of a store, of which a class has fewer than bytes are on a disk.
    private static let firstKey: Int64 = 1 << 56

    /// - Parameter schema: that of the snapshot after the import.
    init(_ snapshot: any Snapshot, _ schema: Schema) {
        self.snapshot = snapshot
        // What the snapshot has keeps its numbers.
        self.schema = schema.adoptingIdentities(of: snapshot.schema)
        rules = ValueRules(self.schema) { _ in true }
    }

    /// Whether the snapshot knows the class.
    private func isPresent(_ classID: ClassID) -> Bool { snapshot.schema[classID] != nil }

    func count(of classID: ClassID) -> Int {
        (isPresent(classID) ? snapshot.count(of: classID) : 0) + Int(created[classID] ?? 0)
    }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        isPresent(classID) ? try snapshot.key(of: classID, primaryKey: primaryKey) : nil
    }

    func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey {
        let properties = schema[classID]?.storedProperties ?? []
        guard let objectClass = schema[classID], properties.count == row.count else {
            throw StoreError.wrongRowLength(row.count, of: schema[classID])
        }
        for (property, value) in zip(properties, row) { try rules.check(value, for: property, of: objectClass) }
        let number = created[classID, default: 0]
        created[classID] = number + 1
        return ObjectKey(Self.firstKey + number)
    }

    func set(
        _ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value], onlyDifferent: Bool
    ) throws -> Bool {
        guard let objectClass = schema[classID] else { return false }
        // In the order of a store, so that both report the same one of several faults.
        for (id, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let property = objectClass[id] else { continue }
            try rules.check(value, for: property, of: objectClass)
        }
        return !values.isEmpty
    }
}
