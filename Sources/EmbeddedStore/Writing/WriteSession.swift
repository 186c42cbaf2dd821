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
    var schema: Schema
    var version: Version
    private(set) var classes: [ClassID: ClassState]
    private var dirtyClasses: Set<ClassID> = []
    private var clusters: [LeafAddress: OpenCluster] = [:]

    /// Decoded clusters that are kept before all are written out: bounds the memory of a bulk load to some tens
    /// of megabytes.
    private static let openClusterLimit = 256

    init(_ transaction: LMDBTransaction, _ trees: Trees, _ catalogue: Catalogue, path: String) {
        self.transaction = transaction
        self.trees = trees
        self.path = path
        capacity = catalogue.capacity
        schema = catalogue.schema
        version = catalogue.version
        classes = catalogue.classes
    }

    // MARK: Reading

    func state(_ classID: ClassID) -> ClassState { classes[classID] ?? ClassState() }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        guard key.rawValue >= 0, key.rawValue < state(classID).nextKey else { return false }
        let (address, slot) = place(classID, key)
        return try cluster(address).liveMask.isLive(slot)
    }

    /// The stored value; the object must exist and the property must have a column.
    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema) throws -> Value {
        let (address, slot) = place(classID, key)
        return try cluster(address).value(property.id, slot) { try openLeaf(address, property) }
    }

    /// The objects whose indexed property equals `value`, ascending.
    func lookUp(_ value: Value, _ classID: ClassID, _ property: PropertySchema) throws -> [ObjectKey] {
        guard let encoded = IndexKey.encode(value) else { return [] }
        var prefix = TreeKey.index(of: classID, property.id)
        prefix.append(contentsOf: encoded)
        let keys = try keys(in: trees.index, prefix: prefix.bytes)
        return IndexKey.isExact(value) ? keys : try keys.filter { try self.value(classID, $0, property) == value }
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

    /// Appends an object with a value for every stored property of its class, in order.
    func append(_ classID: ClassID, _ properties: [PropertySchema], _ values: [Value]) throws -> ObjectKey {
        if clusters.count > Self.openClusterLimit { try writeOutClusters() }
        var state = state(classID)
        let key = ObjectKey(state.nextKey)
        let (address, _) = place(classID, key)
        // The cluster must be looked up before the counter moves, because it tells new clusters from stored
        // ones by the counter.
        let cluster = try cluster(address)
        state.nextKey += 1
        state.objectCount += 1
        setState(classID, state)
        cluster.appendSlot()
        for (property, value) in zip(properties, values) {
            try cluster.change(property.id, open: { try openLeaf(address, property) }) { try $0.append(value) }
            try addReferences(classID, key, property, value)
        }
        return key
    }

    /// Takes an object out: its slot stays, dead, so keys are never reused. Links to it must have been cleared
    /// before.
    func remove(_ classID: ClassID, _ key: ObjectKey, _ properties: [PropertySchema]) throws {
        let (address, slot) = place(classID, key)
        for property in properties { try assign(classID, key, property, .null, isRemoval: true) }
        try cluster(address).removeSlot(slot)
        var state = state(classID)
        state.objectCount -= 1
        setState(classID, state)
    }

    /// Puts a removed object back with the values that it had.
    func restore(_ classID: ClassID, _ key: ObjectKey, _ properties: [PropertySchema], _ values: [Value]) throws {
        let (address, slot) = place(classID, key)
        try cluster(address).restoreSlot(slot)
        var state = state(classID)
        state.objectCount += 1
        setState(classID, state)
        for (property, value) in zip(properties, values) {
            try setLeaf(address, slot, property, value)
            try addReferences(classID, key, property, value)
        }
    }

    func assign(_ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema, _ value: Value) throws {
        try assign(classID, key, property, value, isRemoval: false)
    }

    private func assign(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema, _ value: Value, isRemoval: Bool
    ) throws {
        if clusters.count > Self.openClusterLimit { try writeOutClusters() }
        let (address, slot) = place(classID, key)
        if isReferenced(property, classID) {
            let old = try self.value(classID, key, property)
            if isRemoval || old != value {
                try removeReferences(classID, key, property, old)
                if !isRemoval { try addReferences(classID, key, property, value) }
            }
        }
        try setLeaf(address, slot, property, value)
    }

    private func setLeaf(_ address: LeafAddress, _ slot: Int, _ property: PropertySchema, _ value: Value) throws {
        try cluster(address).change(property.id, open: { try openLeaf(address, property) }) { try $0.set(slot, value) }
    }

    func setState(_ classID: ClassID, _ state: ClassState) {
        classes[classID] = state
        dirtyClasses.insert(classID)
    }

    func forget(_ classID: ClassID) throws {
        classes[classID] = nil
        dirtyClasses.remove(classID)
        clusters = clusters.filter { $0.key.classID != classID }
        var key = TreeKey(capacity: 4)
        key.append(classID.rawValue)
        try transaction.delete(trees.classes, key.bytes)
    }

    // MARK: Indexes and backlinks

    private func isReferenced(_ property: PropertySchema, _ classID: ClassID) -> Bool {
        property.isIndexed || property.leafKind == .link || schema[classID]?.primaryKey == property.name
    }

    func addReferences(_ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema, _ value: Value) throws {
        for (tree, entry) in references(classID, key, property, value) { try transaction.put(tree, entry, []) }
    }

    func removeReferences(_ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema, _ value: Value) throws {
        for (tree, entry) in references(classID, key, property, value) { try transaction.delete(tree, entry) }
    }

    private func references(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema, _ value: Value
    ) -> [(LMDBDatabase, [UInt8])] {
        if case .link(let target) = value {
            var entry = TreeKey.backlinks(from: classID, property.id, to: target)
            entry.append(key)
            return [(trees.backlinks, entry.bytes)]
        }
        guard property.leafKind != .link, isReferenced(property, classID), let encoded = IndexKey.encode(value) else {
            return []
        }
        var entry = TreeKey.index(of: classID, property.id)
        entry.append(contentsOf: encoded)
        entry.append(key)
        return [(trees.index, entry.bytes)]
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

    private func place(_ classID: ClassID, _ key: ObjectKey) -> (LeafAddress, slot: Int) {
        let number = Int(key.rawValue)
        return (LeafAddress(classID: classID, cluster: number / capacity), number % capacity)
    }

    private func cluster(_ address: LeafAddress) throws -> OpenCluster {
        if let open = clusters[address] { return open }
        let opened: OpenCluster
        if let bytes = try transaction.get(trees.leaves, address.key(FileFormat.liveMaskColumn)) {
            opened = OpenCluster(liveMask: MutableLiveMask(decoding: try LiveMask(validating: bytes)))
        } else {
            opened = OpenCluster(liveMask: MutableLiveMask())
        }
        clusters[address] = opened
        return opened
    }

    private func openLeaf(_ address: LeafAddress, _ property: PropertySchema) throws -> MutableLeaf {
        guard let kind = property.leafKind else { throw StoreError.damaged(path) }
        guard let bytes = try transaction.get(trees.leaves, address.key(property.id)) else {
            // Only a cluster that was never written has no leaf; any other missing leaf is damage.
            guard try transaction.get(trees.leaves, address.key(FileFormat.liveMaskColumn)) == nil else {
                throw StoreError.damaged(path)
            }
            return MutableLeaf(kind: kind)
        }
        return MutableLeaf(decoding: try Leaf(validating: bytes, kind: kind))
    }

    // MARK: Writing out

    /// Writes the decoded clusters' changes and the class counters into the transaction.
    func flush() throws {
        for (address, cluster) in clusters.sorted(by: {
            ($0.key.classID, $0.key.cluster) < ($1.key.classID, $1.key.cluster)
        })
        where cluster.isDirty {
            try cluster.writeDirty { column, bytes in try transaction.put(trees.leaves, address.key(column), bytes) }
        }
        for classID in dirtyClasses {
            var key = TreeKey(capacity: 4)
            key.append(classID.rawValue)
            try transaction.put(trees.classes, key.bytes, state(classID).record)
        }
        dirtyClasses.removeAll()
    }

    private func writeOutClusters() throws {
        try flush()
        clusters.removeAll(keepingCapacity: true)
    }
}
