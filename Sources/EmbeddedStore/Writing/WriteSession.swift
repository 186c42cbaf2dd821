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
    var schema: Schema { didSet { layouts.removeAll() } }
    var version: Version
    private(set) var classes: [ClassID: ClassState]
    private var dirtyClasses: Set<ClassID> = []
    private var clusters: [LeafAddress: OpenCluster] = [:]
    /// The cluster that was used last: neighbouring changes mostly go to the same one.
    private var current: (address: LeafAddress, cluster: OpenCluster)?
    private var layouts: [ClassID: ClassLayout] = [:]
    private let indexCursor: LMDBCursor

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
    }

    // MARK: Reading

    /// The class as the writer needs it; nil when the schema does not have it.
    func layout(_ classID: ClassID) -> ClassLayout? {
        if let known = layouts[classID] { return known }
        guard let layout = schema[classID].map({ ClassLayout($0) }) else { return nil }
        layouts[classID] = layout
        return layout
    }

    func state(_ classID: ClassID) -> ClassState { classes[classID] ?? ClassState() }

    func exists(_ layout: ClassLayout, _ key: ObjectKey) throws -> Bool {
        guard key.rawValue >= 0, key.rawValue < state(layout.schema.id).nextKey else { return false }
        let (address, slot) = place(layout, key)
        return try cluster(address, layout).liveMask.isLive(slot)
    }

    /// The stored value; the object must exist.
    func value(_ layout: ClassLayout, _ key: ObjectKey, _ column: ColumnLayout) throws -> Value {
        let (address, slot) = place(layout, key)
        return try cluster(address, layout).value(column.position, slot) { try openLeaf(address, column) }
    }

    /// The first object whose indexed property equals `value`.
    func lookUp(_ value: Value, _ layout: ClassLayout, _ column: ColumnLayout) throws -> ObjectKey? {
        guard let encoded = IndexKey.encode(value) else { return nil }
        var prefix = TreeKey.index(of: layout.schema.id, column.id)
        prefix.append(contentsOf: encoded)
        if IndexKey.isExact(value) { return try indexCursor.first(prefix: prefix.bytes)?.trailingObjectKey }
        return try keys(in: trees.index, prefix: prefix.bytes).first { try self.value(layout, $0, column) == value }
    }

    func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        try keys(in: trees.backlinks, prefix: TreeKey.backlinks(from: origin, property, to: key).bytes)
    }

    /// A view for queries that shows everything done so far; valid until the next change.
    func queryView() throws -> EmbeddedSnapshot {
        try flush()
        let catalogue = Catalogue(version: version, schema: schema, classes: classes, capacity: capacity)
        return EmbeddedSnapshot(transaction, trees, catalogue, path: path)
    }

    // MARK: Changing

    /// Appends an object with a value for every column of its class, in order.
    func append(_ layout: ClassLayout, _ values: [Value]) throws -> ObjectKey {
        if clusters.count > Self.openClusterLimit { try writeOutClusters() }
        let classID = layout.schema.id
        var state = state(classID)
        let key = ObjectKey(state.nextKey)
        state.nextKey += 1
        state.objectCount += 1
        let (address, _) = place(layout, key)
        let cluster = try cluster(address, layout)
        setState(classID, state)
        cluster.appendSlot()
        for column in layout.columns {
            let value = values[column.position]
            try cluster.append(value, column.position) { try openLeaf(address, column) }
            try addReferences(layout, key, column, value)
        }
        return key
    }

    /// Takes an object out: its slot stays, dead, so keys are never reused. Links to it must have been cleared
    /// before.
    func remove(_ layout: ClassLayout, _ key: ObjectKey) throws {
        let (address, slot) = place(layout, key)
        for column in layout.columns {
            if column.isIndexed || column.isLink {
                try removeReferences(layout, key, column, try value(layout, key, column))
            }
            try setLeaf(address, slot, layout, column, .null)
        }
        try cluster(address, layout).removeSlot(slot)
        var state = state(layout.schema.id)
        state.objectCount -= 1
        setState(layout.schema.id, state)
    }

    /// Puts a removed object back with the values that it had.
    func restore(_ layout: ClassLayout, _ key: ObjectKey, _ values: [Value]) throws {
        let (address, slot) = place(layout, key)
        try cluster(address, layout).restoreSlot(slot)
        var state = state(layout.schema.id)
        state.objectCount += 1
        setState(layout.schema.id, state)
        for column in layout.columns {
            try setLeaf(address, slot, layout, column, values[column.position])
            try addReferences(layout, key, column, values[column.position])
        }
    }

    func assign(_ layout: ClassLayout, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        if clusters.count > Self.openClusterLimit { try writeOutClusters() }
        let (address, slot) = place(layout, key)
        if column.isIndexed || column.isLink {
            let old = try self.value(layout, key, column)
            if old != value {
                try removeReferences(layout, key, column, old)
                try addReferences(layout, key, column, value)
            }
        }
        try setLeaf(address, slot, layout, column, value)
    }

    private func setLeaf(
        _ address: LeafAddress, _ slot: Int, _ layout: ClassLayout, _ column: ColumnLayout, _ value: Value
    ) throws {
        try cluster(address, layout).set(slot, value, column.position) { try openLeaf(address, column) }
    }

    func setState(_ classID: ClassID, _ state: ClassState) {
        classes[classID] = state
        dirtyClasses.insert(classID)
    }

    func forget(_ classID: ClassID) throws {
        try writeOutClusters()
        classes[classID] = nil
        dirtyClasses.remove(classID)
        var key = TreeKey(capacity: 4)
        key.append(classID.rawValue)
        try transaction.delete(trees.classes, key.bytes)
    }

    // MARK: Indexes and backlinks

    func addReferences(_ layout: ClassLayout, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        guard let (tree, entry) = reference(layout, key, column, value) else { return }
        try transaction.put(tree, entry, [])
    }

    func removeReferences(_ layout: ClassLayout, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        guard let (tree, entry) = reference(layout, key, column, value) else { return }
        try transaction.delete(tree, entry)
    }

    /// The entry that a value has in the backlinks or the index.
    private func reference(
        _ layout: ClassLayout, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value
    ) -> (LMDBDatabase, [UInt8])? {
        if case .link(let target) = value {
            var entry = TreeKey.backlinks(from: layout.schema.id, column.id, to: target)
            entry.append(key)
            return (trees.backlinks, entry.bytes)
        }
        guard column.isIndexed, !column.isLink, let encoded = IndexKey.encode(value) else { return nil }
        var entry = TreeKey.index(of: layout.schema.id, column.id)
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

    private func place(_ layout: ClassLayout, _ key: ObjectKey) -> (LeafAddress, slot: Int) {
        let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: capacity)
        return (LeafAddress(classID: layout.schema.id, cluster: cluster), slot)
    }

    private func cluster(_ address: LeafAddress, _ layout: ClassLayout) throws -> OpenCluster {
        if let current, current.address == address { return current.cluster }
        let cluster: OpenCluster
        if let open = clusters[address] {
            cluster = open
        } else {
            var mask = MutableLiveMask()
            if let bytes = try transaction.get(trees.leaves, address.key(FileFormat.liveMaskColumn)) {
                mask = MutableLiveMask(decoding: try LiveMask(validating: bytes))
            }
            cluster = OpenCluster(liveMask: mask, columnCount: layout.columns.count)
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
            guard let layout = layout(address.classID) else { continue }
            try cluster.writeDirty { column, bytes in
                let id = column.map { layout.columns[$0].id } ?? FileFormat.liveMaskColumn
                try transaction.put(trees.leaves, address.key(id), bytes)
            }
        }
        for classID in dirtyClasses {
            var key = TreeKey(capacity: 4)
            key.append(classID.rawValue)
            try transaction.put(trees.classes, key.bytes, state(classID).record)
        }
        dirtyClasses.removeAll()
    }

    /// Writes everything and forgets the decoded clusters: to bound memory, and before columns come or go.
    func writeOutClusters() throws {
        try flush()
        clusters.removeAll(keepingCapacity: true)
        current = nil
    }
}
