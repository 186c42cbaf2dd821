import StoredRecords
package import LMDBStorage
package import Columnar
package import ObjectModel
package import QueryExecution
package import QueryOperators
package import QueryLanguage
package import StoreContract
import Synchronization

/// One version of the file, read in place from the map. Safe to use from several threads: LMDB calls take a lock, and
/// the addresses that they return stay valid until the read transaction ends with this object.
package final class EmbeddedSnapshot: ExecutedSnapshot {
    package let version: Version
    package let tag: HistoryTag
    package let schema: Schema
    package let clusterCapacity: Int

    package let classes: [ClassID: ClassState]
    package let path: String
    package let trees: Trees
    private let transaction: Mutex<LMDBTransaction>
    private let resolved = ResolvedLeaves()
    /// The directories by class number.
    private let directories: [Published<ClassDirectory>?]
    /// The same, to be read without counting references: those counters are shared by all threads that read the class.
    private let borrowedDirectories: [Borrowed<Published<ClassDirectory>>?]
    /// The first key that no object has had, by class number.
    private let nextKeys: [Int64]

    package init(_ transaction: LMDBTransaction, _ trees: Trees, _ catalogue: Catalogue, path: String) {
        version = catalogue.version
        tag = catalogue.history.tag
        schema = catalogue.schema
        classes = catalogue.classes
        clusterCapacity = catalogue.capacity
        self.path = path
        self.trees = trees
        self.transaction = Mutex(transaction)
        var directories = [Published<ClassDirectory>?](repeating: nil, count: Int(catalogue.schema.nextClassID))
        var nextKeys = [Int64](repeating: 0, count: directories.count)
        for objectClass in catalogue.schema.classes {
            let state = catalogue.classes[objectClass.id] ?? ClassState()
            let clusterCount = state.clusterCount(capacity: clusterCapacity)
            directories[Int(objectClass.id.rawValue)] = Published(patience: clusterCount <= 4 ? 0 : clusterCount)
            nextKeys[Int(objectClass.id.rawValue)] = state.nextKey
        }
        self.directories = directories
        borrowedDirectories = directories.map { $0.map { Borrowed($0) } }
        self.nextKeys = nextKeys
    }

    // MARK: Objects

    package func count(of classID: ClassID) -> Int { objectCount(of: classID) }

    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        guard let (cluster, slot) = location(of: key, in: classID) else { return false }
        return try liveMask(of: classID, cluster: cluster)?.isLive(slot) ?? false
    }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        guard let property = try objectClass(classID).primaryKeyProperty else { return nil }
        return try lookUp(primaryKey, in: classID, property.id)?.first
    }

    package func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try value(classID, key, property, wanting: { _ in })
    }

    /// - Parameter want: called with the size in bytes of a value that is stored outside its leaf, before it is read.
    package func value(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, wanting want: (() throws -> Int) throws -> Void
    ) throws -> Value {
        guard let (cluster, slot) = location(of: key, in: classID) else { throw absence(of: property, classID, key) }
        let leaf: Leaf
        if let directory = try directory(of: classID) {
            leaf = try directory.with { directory in
                guard let mask = directory.liveMask(cluster), mask.isLive(slot), directory.hasColumn(property) else {
                    throw absence(of: property, classID, key)
                }
                guard let stored = try? directory.leaf(cluster, property) else { throw StoreError.damaged(path) }
                return stored
            }
        } else {
            guard schema[classID]?[property]?.leafKind != nil,
                try liveMask(of: classID, cluster: cluster)?.isLive(slot) == true
            else { throw absence(of: property, classID, key) }
            leaf = try storedLeaf(of: classID, cluster: cluster, property)
        }
        guard leaf.isOverflow(slot) else { return leaf.value(at: slot) }
        let address = OverflowTree.Address(classID: classID, property: property, key: key)
        try want { try overflowBytes(address, leaf, slot) }
        return try overflow(address) { try $0.value($1, leaf.kind) }
    }

    /// The error for a value that does not exist.
    private func absence(of property: PropertyID, _ classID: ClassID, _ key: ObjectKey) -> StoreError {
        guard let objectClass = schema[classID] else { return StoreError.unknownClass(classID) }
        guard objectClass[property]?.leafKind != nil else {
            return StoreError.unknownProperty(property, in: objectClass)
        }
        return StoreError.notFound(key, in: objectClass)
    }

    // MARK: Queries

    package var executor: QueryExecutor { QueryExecutor(self) }

    package func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] {
        // Throws for a property that is not a collection.
        _ = try elementCount(object.classID, object.key, property)
        let base = try objectClass(object.classID)[property]?.type.base ?? .mixed
        return try executor.aggregate(object, property, of: base, functions)
    }

    // MARK: Support

    /// The cluster and slot of a key that existed at this version.
    package func location(of key: ObjectKey, in classID: ClassID) -> (cluster: Int, slot: Int)? {
        let number = Int(classID.rawValue)
        guard key.rawValue >= 0, number < nextKeys.count, key.rawValue < nextKeys[number] else { return nil }
        return (Int(key.rawValue) / clusterCapacity, Int(key.rawValue) % clusterCapacity)
    }

    package func objectClass(_ classID: ClassID) throws -> ClassSchema {
        guard let objectClass = schema[classID] else { throw StoreError.unknownClass(classID) }
        return objectClass
    }

    package func reading<R>(_ body: (LMDBTransaction) throws -> R) throws -> R {
        do {
            return try transaction.withLock { transaction in try Protected(body(transaction)) }.value
        } catch let error as LMDBError {
            throw error.storeError(path: path)
        } catch is LeafError {
            throw StoreError.damaged(path)
        } catch is DamagedRecord {
            throw StoreError.damaged(path)
        }
    }

    /// Reads values outside the leaves.
    func overflow<R>(
        _ address: OverflowTree.Address, _ body: (OverflowTree, OverflowTree.Address) throws -> R
    ) throws -> R {
        try reading { try body(OverflowTree(transaction: $0, trees: trees), address) }
    }
}

// MARK: - Columns

extension EmbeddedSnapshot: ColumnSource {
    package func objectCount(of classID: ClassID) -> Int { classes[classID]?.objectCount ?? 0 }

    package func clusterCount(of classID: ClassID) -> Int {
        classes[classID]?.clusterCount(capacity: clusterCapacity) ?? 0
    }

    package func liveMask(of classID: ClassID, cluster: Int) throws -> LiveMask? {
        if let directory = try directory(of: classID) { return directory.with { $0.liveMask(cluster) } }
        let key = LeafAddress(classID: classID, cluster: cluster).key(FileFormat.liveMaskColumn)
        return try reading { transaction in
            try transaction.get(trees.leaves, key).map { try LiveMask(validating: $0) }
        }
    }

    package func leaf(of classID: ClassID, cluster: Int, _ property: PropertyID) throws -> Leaf {
        let leaf = try storedLeaf(of: classID, cluster: cluster, property)
        return leaf.hasOverflow ? try resolving(leaf, of: classID, cluster: cluster, property) : leaf
    }

    package func forEachLeaf(
        of classID: ClassID, _ property: PropertyID, in clusters: Range<Int>, _ body: (LiveMask, Leaf) throws -> Void
    ) throws {
        var rest = clusters
        while let cluster = rest.first {
            if let directory = try directory(of: classID) {
                // Locked once for the rest.
                for cluster in rest {
                    guard let live = directory.with({ $0.liveMask(cluster) }) else { continue }
                    guard let leaf = try? directory.with({ try $0.leaf(cluster, property) }) else {
                        throw StoreError.damaged(path)
                    }
                    try body(
                        live, leaf.hasOverflow ? try resolving(leaf, of: classID, cluster: cluster, property) : leaf)
                }
                return
            }
            rest.removeFirst()
            guard let live = try liveMask(of: classID, cluster: cluster) else { continue }
            try body(live, try leaf(of: classID, cluster: cluster, property))
        }
    }

    /// The leaf with the addresses of its overflow values.
    private func resolving(
        _ leaf: Leaf, of classID: ClassID, cluster: Int, _ property: PropertyID
    ) throws -> Leaf {
        try resolved.leaf(LeafAddress(classID: classID, cluster: cluster), property) {
            let first = cluster * clusterCapacity
            return (
                leaf,
                try leaf.overflowSlots.map { slot in
                    let key = ObjectKey(Int64(first + slot))
                    let address = OverflowTree.Address(classID: classID, property: property, key: key)
                    return try overflow(address) { try $0.bytes($1) }
                }
            )
        }
    }

    /// The leaf as stored, without its overflow values.
    @inline(__always)
    func storedLeaf(of classID: ClassID, cluster: Int, _ property: PropertyID) throws -> Leaf {
        if let directory = try directory(of: classID) {
            guard let leaf = try? directory.with({ try $0.leaf(cluster, property) }) else {
                throw StoreError.damaged(path)
            }
            return leaf
        }
        guard let kind = schema[classID]?[property]?.leafKind else { throw StoreError.damaged(path) }
        let key = LeafAddress(classID: classID, cluster: cluster).key(property)
        return try reading { transaction in
            guard let bytes = try transaction.get(trees.leaves, key) else { throw StoreError.damaged(path) }
            return try Leaf(validating: bytes, kind: kind)
        }
    }

    package func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] { try backlinks(to: target, from: origin, property, upTo: .max) }

    /// The backlinks, at most `limit` of them.
    package func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID, upTo limit: Int
    ) throws -> [ObjectKey] {
        let isMixed = schema[origin]?[property]?.type.isMixed == true
        let prefix = TreeKey.backlinks(
            from: origin, property, to: target.key, targetClass: isMixed ? target.classID : nil
        ).bytes
        return try reading { try $0.origins(trees.backlinks, prefix: prefix, upTo: limit) }
    }

    /// The class's directory, which lives as long as the snapshot, building it if it is due; nil while single look-ups are
    /// cheaper.
    @inline(__always)
    private func directory(of classID: ClassID) throws -> Borrowed<ClassDirectory>? {
        let number = Int(classID.rawValue)
        guard number < borrowedDirectories.count, let slot = borrowedDirectories[number] else { return nil }
        return try slot.with { $0.borrowed } ?? newDirectory(of: classID)
    }

    private func newDirectory(of classID: ClassID) throws -> Borrowed<ClassDirectory>? {
        guard let slot = directories[Int(classID.rawValue)], slot.isDue() else { return nil }
        _ = slot.publish(try buildDirectory(of: classID))
        return slot.borrowed
    }

    private func buildDirectory(of classID: ClassID) throws -> ClassDirectory {
        let properties = try objectClass(classID).storedProperties
        var columns: [Int] = []
        var kinds: [LeafKind] = []
        for property in properties {
            guard let kind = property.leafKind else { continue }
            let number = Int(property.id.rawValue)
            while columns.count <= number { columns.append(-1) }
            columns[number] = kinds.count
            kinds.append(kind)
        }
        let clusterCount = clusterCount(of: classID)
        var masks = [LiveMask?](repeating: nil, count: clusterCount)
        var leaves = [ClassDirectory.MappedBytes](
            repeating: ClassDirectory.MappedBytes(), count: clusterCount * kinds.count)
        var prefix = TreeKey(capacity: 4)
        prefix.append(classID.rawValue)
        try reading { transaction in
            var fault: LeafError?
            try transaction.scan(trees.leaves, prefix: prefix.bytes) { key, bytes in
                let cluster = Int(key.bigEndian(at: 4, as: UInt32.self))
                let number = Int(key.bigEndian(at: 8, as: UInt16.self))
                guard cluster < clusterCount else { return true }
                do throws(LeafError) {
                    if number == Int(FileFormat.liveMaskColumn.rawValue) {
                        masks[cluster] = try LiveMask(validating: bytes)
                    } else if number < columns.count, columns[number] >= 0 {
                        leaves[cluster * kinds.count + columns[number]] = ClassDirectory.MappedBytes(bytes)
                    }
                    return true
                } catch {
                    fault = error
                    return false
                }
            }
            if let fault { throw fault }
        }
        return ClassDirectory(liveMasks: masks, leaves: leaves, kinds: kinds, columns: columns)
    }
}

/// Carries a value out of a lock. Results of `EmbeddedSnapshot.reading` do not refer to the transaction object: they
/// are values, or pointers into the map, which any thread may read.
private struct Protected<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

extension EmbeddedSnapshot {
    /// See `Store.asOf`. The log is read as of this version. The result keeps this version pinned.
    package func asOf(_ version: Version) throws -> AsOfState? {
        // The records are borrowed from the map, so that they can be decoded while others read.
        guard let records = try reading({ try ChangeLog.records(after: version, upTo: self.version, $0, trees) })
        else { return nil }
        do {
            guard
                let past = try reading({ transaction in
                    try ReplicaRecord(transaction, trees.meta) == nil
                        ? tag : try ChangeLog.tag(of: version, transaction, trees)
                })
            else { return nil }
            var versions: [(changes: ChangeSet, undo: [UndoStep])] = []
            // The newest first: a changed schema, or missing old values, end it early.
            for record in records.reversed() {
                guard let decoded = try ChangeSetRecord.decodeWithUndo(record.bytes, version: record.version),
                    !decoded.changes.schemaChanged
                else { return nil }
                versions.append(decoded)
            }
            versions.reverse()
            let changes = try AsOfChanges(
                since: version, versions, schema: schema, clusterCapacity: clusterCapacity)
            return AsOfState(
                reads: AsOfReads(version, past, AsOfSource(self, self, changes)), changes: changes.merged)
        } catch is DamagedRecord {
            throw StoreError.damaged(path)
        } catch is LeafError {
            throw StoreError.damaged(path)
        }
    }
}
