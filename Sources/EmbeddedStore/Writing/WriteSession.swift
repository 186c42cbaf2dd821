import Columnar
import ObjectModel
import QueryLanguage
import StoreContract

/// The state of one LMDB write transaction, shared by the members of a group commit: decoded clusters, indexes
/// and backlinks kept in step, and class counters. It knows no rules, only how data lies; the rules are
/// `MemberTransaction`'s.
final class WriteSession {
    let transaction: LMDBTransaction
    let trees: Trees
    let path: String
    let capacity: Int
    /// Write everything out before replacing it: decoded clusters and open classes belong to the old one.
    var schema: Schema {
        didSet {
            openClasses = Self.places(for: schema)
        }
    }
    var version: Version
    /// The counters as the transaction holds them; those of open classes may be newer.
    private var classes: [ClassID: ClassState]
    /// By class number.
    private var openClasses: [OpenClass?]
    private var clusters: [LeafAddress: OpenCluster] = [:]
    /// The cluster that was used last: neighbouring changes mostly go to the same one.
    private var current: (address: LeafAddress, cluster: OpenCluster)?
    private let indexCursor: LMDBCursor
    /// Why the transaction must not be committed: a change broke off in the middle, so leaves, indexes and counters may
    /// disagree. It counts even when the work that was told of it went on.
    private(set) var failure: (any Error)?

    /// Decoded clusters that are kept before all are written out: bounds the memory of a bulk load to some tens
    /// of megabytes.
    private static let openClusterLimit = 256

    init(_ transaction: LMDBTransaction, _ trees: Trees, _ catalogue: Catalogue, path: String) throws {
        indexCursor = try LMDBCursor(transaction, trees.index)
        self.transaction = transaction
        self.trees = trees
        self.path = path
        capacity = catalogue.capacity
        schema = catalogue.schema
        version = catalogue.version
        classes = catalogue.classes
        openClasses = Self.places(for: catalogue.schema)
    }

    private static func places(for schema: Schema) -> [OpenClass?] {
        Array(repeating: nil, count: Int(schema.nextClassID))
    }

    // MARK: Reading

    /// The class as the writer needs it; nil when the schema does not have it.
    func objectClass(_ classID: ClassID) -> OpenClass? {
        let number = Int(classID.rawValue)
        guard number < openClasses.count else { return nil }
        if let open = openClasses[number] { return open }
        guard let opened = schema[classID].map({ OpenClass($0, classes[classID] ?? ClassState()) }) else { return nil }
        openClasses[number] = opened
        return opened
    }

    func exists(_ objectClass: OpenClass, _ key: ObjectKey) throws -> Bool {
        guard key.rawValue >= 0, key.rawValue < objectClass.state.nextKey else { return false }
        let (address, slot) = place(objectClass, key)
        return try cluster(address, objectClass).liveMask.isLive(slot)
    }

    /// The stored value; the object must exist.
    func value(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout) throws -> Value {
        let (address, slot) = place(objectClass, key)
        return try cluster(address, objectClass).value(column.position, slot) { try openLeaf(address, column) }
    }

    /// The first object whose indexed property equals `value`.
    func lookUp(_ value: Value, _ objectClass: OpenClass, _ column: ColumnLayout) throws -> ObjectKey? {
        guard let encoded = IndexKey.encode(value) else { return nil }
        var prefix = TreeKey.entries(of: objectClass.schema.id, column.id)
        prefix.append(contentsOf: encoded)
        if IndexKey.isExact(value) { return try indexCursor.first(prefix: prefix.bytes)?.trailingObjectKey }
        return try keys(in: trees.index, prefix: prefix.bytes).first {
            try self.value(objectClass, $0, column) == value
        }
    }

    func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        try keys(in: trees.backlinks, prefix: TreeKey.backlinks(from: origin, property, to: key).bytes)
    }

    /// A view for queries that shows everything done so far; valid until the next change.
    func queryView() throws -> EmbeddedSnapshot {
        try wholly { try flush() }
        let catalogue = Catalogue(version: version, schema: schema, classes: classes, capacity: capacity)
        return EmbeddedSnapshot(transaction, trees, catalogue, path: path)
    }

    // MARK: Changing

    /// Appends an object with a value for every column of its class, in order.
    func append(_ objectClass: OpenClass, _ values: [Value]) throws -> ObjectKey {
        try wholly {
            if clusters.count > Self.openClusterLimit { try writeOutClusters() }
            let key = ObjectKey(objectClass.state.nextKey)
            objectClass.state.nextKey += 1
            objectClass.state.objectCount += 1
            let (address, _) = place(objectClass, key)
            let cluster = try cluster(address, objectClass)
            cluster.appendSlot()
            for column in objectClass.columns {
                let value = values[column.position]
                try cluster.append(value, column.position) { try openLeaf(address, column) }
                try addReferences(objectClass, key, column, value)
            }
            return key
        }
    }

    /// Takes an object out: its slot stays, dead, so keys are never reused. Links to it must have been cleared
    /// before.
    func remove(_ objectClass: OpenClass, _ key: ObjectKey) throws {
        try wholly {
            let (address, slot) = place(objectClass, key)
            for column in objectClass.columns {
                if column.isIndexed || column.isLink {
                    try removeReferences(objectClass, key, column, try value(objectClass, key, column))
                }
                try setLeaf(address, slot, objectClass, column, .null)
            }
            try cluster(address, objectClass).removeSlot(slot)
            objectClass.state.objectCount -= 1
        }
    }

    /// Puts a removed object back with the values that it had.
    func restore(_ objectClass: OpenClass, _ key: ObjectKey, _ values: [Value]) throws {
        try wholly {
            let (address, slot) = place(objectClass, key)
            try cluster(address, objectClass).restoreSlot(slot)
            objectClass.state.objectCount += 1
            for column in objectClass.columns {
                try setLeaf(address, slot, objectClass, column, values[column.position])
                try addReferences(objectClass, key, column, values[column.position])
            }
        }
    }

    func assign(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        try wholly {
            if clusters.count > Self.openClusterLimit { try writeOutClusters() }
            let (address, slot) = place(objectClass, key)
            if column.isIndexed || column.isLink {
                let old = try self.value(objectClass, key, column)
                if old != value {
                    try removeReferences(objectClass, key, column, old)
                    try addReferences(objectClass, key, column, value)
                }
            }
            try setLeaf(address, slot, objectClass, column, value)
        }
    }

    /// Runs a change that must be done to its end; see `failure`.
    private func wholly<R>(_ change: () throws -> R) throws -> R {
        do {
            return try change()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    private func setLeaf(
        _ address: LeafAddress, _ slot: Int, _ objectClass: OpenClass, _ column: ColumnLayout, _ value: Value
    ) throws {
        try cluster(address, objectClass).set(slot, value, column.position) { try openLeaf(address, column) }
    }

    /// Drops the counters of a class that the schema no longer has.
    func forget(_ classID: ClassID) throws {
        classes[classID] = nil
        var key = TreeKey(capacity: 4)
        key.append(classID.rawValue)
        try transaction.delete(trees.classes, key.bytes)
    }

    // MARK: Indexes and backlinks

    func addReferences(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        guard let (tree, entry) = reference(objectClass, key, column, value) else { return }
        try transaction.put(tree, entry, [])
    }

    func removeReferences(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        guard let (tree, entry) = reference(objectClass, key, column, value) else { return }
        try transaction.delete(tree, entry)
    }

    /// The entry that a value has in the backlinks or the index.
    private func reference(
        _ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value
    ) -> (LMDBDatabase, [UInt8])? {
        if case .link(let target) = value {
            var entry = TreeKey.backlinks(from: objectClass.schema.id, column.id, to: target)
            entry.append(key)
            return (trees.backlinks, entry.bytes)
        }
        guard column.isIndexed, !column.isLink, let encoded = IndexKey.encode(value) else { return nil }
        var entry = TreeKey.entries(of: objectClass.schema.id, column.id)
        entry.append(contentsOf: encoded)
        entry.append(key)
        return (trees.index, entry.bytes)
    }

    private func keys(in tree: LMDBDatabase, prefix: [UInt8]) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try transaction.scan(tree, prefix: prefix) { key, _ in
            keys.append(key.trailingObjectKey)
            return true
        }
        return keys
    }

    // MARK: Clusters

    private func place(_ objectClass: OpenClass, _ key: ObjectKey) -> (LeafAddress, slot: Int) {
        let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: capacity)
        return (LeafAddress(classID: objectClass.schema.id, cluster: cluster), slot)
    }

    private func cluster(_ address: LeafAddress, _ objectClass: OpenClass) throws -> OpenCluster {
        if let current, current.address == address { return current.cluster }
        let cluster: OpenCluster
        if let open = clusters[address] {
            cluster = open
        } else {
            var mask = MutableLiveMask()
            if let bytes = try transaction.get(trees.leaves, address.key(FileFormat.liveMaskColumn)) {
                mask = MutableLiveMask(decoding: try LiveMask(validating: bytes))
            }
            cluster = OpenCluster(liveMask: mask, columnCount: objectClass.columns.count)
            clusters[address] = cluster
        }
        current = (address, cluster)
        return cluster
    }

    private func openLeaf(_ address: LeafAddress, _ column: ColumnLayout) throws -> MutableLeaf {
        guard let bytes = try transaction.get(trees.leaves, address.key(column.id)) else {
            // Only a cluster that was never written has no leaf; any other missing leaf is damage.
            guard try transaction.get(trees.leaves, address.key(FileFormat.liveMaskColumn)) == nil else {
                throw StoreError.damaged(path)
            }
            return MutableLeaf(kind: column.kind)
        }
        return MutableLeaf(decoding: try Leaf(validating: bytes, kind: column.kind))
    }

    // MARK: Writing out

    /// Writes the decoded clusters' changes and the class counters into the transaction.
    func flush() throws {
        let dirty = clusters.filter { $0.value.isDirty }.sorted {
            ($0.key.classID, $0.key.cluster) < ($1.key.classID, $1.key.cluster)
        }
        for (address, cluster) in dirty {
            guard let objectClass = objectClass(address.classID) else { continue }
            try cluster.writeDirty { column, bytes in
                let id = column.map { objectClass.columns[$0].id } ?? FileFormat.liveMaskColumn
                try transaction.put(trees.leaves, address.key(id), bytes)
            }
        }
        for case let open? in openClasses where open.isDirty {
            var key = TreeKey(capacity: 4)
            key.append(open.schema.id.rawValue)
            try transaction.put(trees.classes, key.bytes, open.state.record)
            classes[open.schema.id] = open.state
            open.isDirty = false
        }
    }

    /// Writes everything and forgets the decoded clusters: to bound memory, and before columns come or go.
    func writeOutClusters() throws {
        try flush()
        clusters.removeAll(keepingCapacity: true)
        current = nil
    }
}
