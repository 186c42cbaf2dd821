import ObjectModel
import StoreContract

/// The destination of the objects of a file.
protocol CopyTarget {
    /// The schema, which has all classes of the file.
    var schema: Schema { get }

    /// The number of objects of a class, including those that the import created.
    func count(of classID: ClassID) -> Int

    /// The object with a primary key; nil if there is none.
    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey?

    /// Creates an object from one value for each stored property. Throws the errors of `WriteTransaction.create`.
    func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey

    /// Assigns properties; see `WriteTransaction.set`. Returns whether something differed.
    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value], onlyDifferent: Bool) throws -> Bool
}

/// The transaction of a store, which stores the objects.
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

/// A snapshot that checks each object as a store would, and stores none, so that no other write waits for it.
///
/// It applies the rules of all stores, `ValueRules`. It does not look up links, because an import makes them from
/// objects that `create` or `key` returned. The copy itself ensures that primary keys are unique.
final class DryRunTarget: CopyTarget {
    let schema: Schema
    private let snapshot: any Snapshot
    private let rules: ValueRules
    private var created: [ClassID: Int64] = [:]

    /// Greater than all keys of a store: a class has fewer keys than a disk has bytes.
    private static let firstKey: Int64 = 1 << 56

    /// - Parameter schema: the schema after the import.
    init(_ snapshot: any Snapshot, _ schema: Schema) {
        self.snapshot = snapshot
        // Objects of the snapshot keep their keys.
        self.schema = schema.adoptingIdentities(of: snapshot.schema)
        rules = ValueRules(self.schema) { _ in true }
    }

    /// Whether the snapshot has the class.
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
        // The same order as in a store, so that both report the same one of several faults.
        for (id, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let property = objectClass[id] else { continue }
            try rules.check(value, for: property, of: objectClass)
        }
        return !values.isEmpty
    }
}
