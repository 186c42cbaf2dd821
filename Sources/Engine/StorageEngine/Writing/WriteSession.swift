package import StoredRecords
package import LMDBStorage
import Columnar
package import ObjectModel
import QueryLanguage
import StoreContract

/// The state of one LMDB write transaction, shared by the members of a group commit: decoded clusters, maintained
/// indexes and backlinks, and class counters. It knows only the data layout; the rules are in `MemberTransaction`.
package final class WriteSession {
    package let transaction: LMDBTransaction
    package let trees: Trees
    package let path: String
    package let capacity: Int
    /// Write everything out before replacing it: decoded clusters and open classes belong to the old one.
    package var schema: Schema {
        didSet {
            mutableClasses = Self.unopenedClasses(for: schema)
            decoded.state.pointee.arrangement += 1
        }
    }
    /// The newest version; the next work makes the one after it.
    package var version: Version { newest.version }
    /// The state that the next work starts from.
    package private(set) var newest: Mark
    /// The tag of the versions that this transaction makes.
    package private(set) var tag: HistoryTag
    /// Collects what repeats the changes of the present work, for the log that several stores share; nil without one.
    package var redo: RedoWriter?
    /// The counters in the transaction; those of open classes may be newer.
    package var classes: [ClassID: ClassState]
    /// The classes by number.
    package var mutableClasses: [MutableClass?]
    let decoded = DecodedClusters()
    /// The clusters that the transaction has written something of.
    package var written: Set<LeafAddress> = []
    let indexCursor: LMDBCursor
    /// The leaves of a cluster are next to each other, so that most look-ups take no descent.
    let leafCursor: LMDBCursor
    let overflow: OverflowTree
    let keyIndex: MutableKeyIndex
    let references: References
    /// The list, set or map that was edited last.
    var openCollection:
        (
            address: OverflowTree.Address, collection: MutableStoredCollection, objectClass: MutableClass,
            column: ColumnLayout
        )?
    /// The reason why the transaction must not be committed: a change was interrupted, so leaves, indexes and counters
    /// may disagree. It holds even when the work caught the error and continued.
    package private(set) var failure: (any Error)?

    package init(
        _ transaction: LMDBTransaction, _ trees: Trees, _ catalogue: Catalogue, path: String, tag: HistoryTag? = nil
    )
        throws
    {
        indexCursor = try LMDBCursor(transaction, trees.index)
        leafCursor = try LMDBCursor(transaction, trees.leaves)
        overflow = OverflowTree(transaction: transaction, trees: trees)
        keyIndex = MutableKeyIndex(transaction, trees)
        references = References(
            transaction, trees, keyIndex, index: indexCursor, backlinks: try LMDBCursor(transaction, trees.backlinks))
        self.transaction = transaction
        self.trees = trees
        self.path = path
        capacity = catalogue.capacity
        schema = catalogue.schema
        newest = Mark(catalogue.version, catalogue.history.tag)
        self.tag = tag ?? catalogue.history.tag
        classes = catalogue.classes
        mutableClasses = Self.unopenedClasses(for: catalogue.schema)
    }

    /// Records that work made a version.
    package func advance(to version: Version) { newest = Mark(version, tag) }

    /// Records that a version was repeated that another store made.
    package func advance(to version: Version, _ tag: HistoryTag) {
        self.tag = tag
        advance(to: version)
    }

    private static func unopenedClasses(for schema: Schema) -> [MutableClass?] {
        Array(repeating: nil, count: Int(schema.nextClassID))
    }

    // MARK: Reading

    /// The class prepared for the writer; nil when the schema does not have it.
    package func objectClass(_ classID: ClassID) -> MutableClass? {
        let number = Int(classID.rawValue)
        guard number < mutableClasses.count else { return nil }
        if let open = mutableClasses[number] { return open }
        guard let opened = schema[classID].map({ MutableClass($0, classes[classID] ?? ClassState()) }) else {
            return nil
        }
        mutableClasses[number] = opened
        return opened
    }

    package func exists(_ objectClass: MutableClass, _ key: ObjectKey) throws -> Bool {
        guard key.rawValue >= 0, key.rawValue < objectClass.state.nextKey else { return false }
        let (address, slot) = location(objectClass, key)
        return try cluster(address, objectClass).isLive(slot)
    }

    /// The stored value; the object must exist.
    package func value(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) throws -> Value {
        try closeCollection()
        return try stored(objectClass, key, column)
    }

    /// The first object whose primary key equals `value`.
    func lookUp(_ value: Value, _ objectClass: MutableClass, _ column: ColumnLayout) throws -> ObjectKey? {
        if column.usesKeyBlocks { return try keyIndex.find(value, objectClass.schema.id, column.id) }
        guard let encoded = IndexKey.encode(value) else { return nil }
        var prefix = TreeKey.entries(of: objectClass.schema.id, column.id)
        prefix.append(contentsOf: encoded)
        if IndexKey.isExact(value) { return try indexCursor.first(prefix: prefix.bytes)?.trailingObjectKey }
        return try keys(in: trees.index, prefix: prefix.bytes).first {
            try self.value(objectClass, $0, column) == value
        }
    }

    /// The objects that link to one of a class, ascending; each as often as it does.
    package func backlinks(
        to key: ObjectKey, from origin: ClassID, _ property: PropertyID, targetClass: ClassID? = nil
    ) throws -> [ObjectKey] {
        let prefix = TreeKey.backlinks(from: origin, property, to: key, targetClass: targetClass)
        return try transaction.origins(trees.backlinks, prefix: prefix.bytes)
    }

    /// A view for queries that includes all changes so far; valid until the next change.
    func queryView() throws -> EmbeddedSnapshot {
        try poisoningOnError { try flush() }
        let catalogue = Catalogue(
            version: version, schema: schema, classes: classes, capacity: capacity, history: HistoryRecord(tag: tag))
        return EmbeddedSnapshot(transaction, trees, catalogue, path: path)
    }

    // MARK: Changing

    /// Appends an object with a value for every column of its class, in order.
    ///
    /// - Parameter isPlain: whether all values are known to fit the leaves as they are.
    package func append(
        _ objectClass: MutableClass, _ values: [Value], isPlain: Bool = false
    ) throws -> ObjectKey {
        try poisoningOnError {
            try boundMutableClusters()
            var state = objectClass.state
            let key = ObjectKey(state.nextKey)
            state.nextKey += 1
            state.objectCount += 1
            objectClass.state = state
            let (address, slot) = location(objectClass, key)
            if slot == 0, address.cluster > 0 {
                try writeOut(LeafAddress(classID: address.classID, cluster: address.cluster - 1), objectClass)
            }
            let cluster = try cluster(address, objectClass)
            if isPlain || objectClass.byteColumns.allSatisfy({ $0.staysInLeaf(values[$0.position]) }) {
                try cluster.append(row: values) { try openLeaf(address, objectClass.columns[$0]) }
            } else {
                cluster.appendSlot()
                for column in objectClass.columns {
                    let content = try content(values[column.position], objectClass, key, column)
                    try cluster.append(content, column.position) { try openLeaf(address, column) }
                }
            }
            for column in objectClass.referenceColumns {
                try references.add(objectClass, key, column, values[column.position])
            }
            return key
        }
    }

    /// Leaves the next key without an object: work that was rolled back has used it.
    package func skipKey(_ objectClass: MutableClass) throws {
        try poisoningOnError {
            try boundMutableClusters()
            let key = ObjectKey(objectClass.state.nextKey)
            objectClass.state.nextKey += 1
            let (address, slot) = location(objectClass, key)
            if slot == 0, address.cluster > 0 {
                try writeOut(LeafAddress(classID: address.classID, cluster: address.cluster - 1), objectClass)
            }
            let cluster = try cluster(address, objectClass)
            cluster.appendSlot()
            for column in objectClass.columns {
                let content = try content(column.property.type.zeroValue, objectClass, key, column)
                try cluster.append(content, column.position) { try openLeaf(address, column) }
            }
            cluster.removeSlot(slot)
        }
    }

    /// Removes an object: its slot stays, dead, so keys are never reused. Links to it must have been cleared before.
    ///
    /// Its values stay in the leaves until those are written the next time, so that a deletion costs a live mask and
    /// not all columns of the cluster. They are written when half of a cluster's objects are deleted, and when all are.
    ///
    /// - Parameter former: the values of the first columns, as far as they were read already.
    func remove(_ objectClass: MutableClass, _ key: ObjectKey, former: [BeforeImage] = []) throws {
        try poisoningOnError {
            try boundMutableClusters()
            try closeCollection()
            let (address, slot) = location(objectClass, key)
            for column in objectClass.columns where column.hasReferences || column.kind.isBytes {
                let isKnown = column.position < former.count
                if isKnown, case .value(let value) = former[column.position] {
                    if column.hasReferences { try references.remove(objectClass, key, column, value) }
                    if column.staysInLeaf(value) { continue }
                } else if column.hasReferences {
                    try removeReferences(objectClass, key, column)
                }
                if column.kind.isBytes, try isOverflow(objectClass, key, column) {
                    try store(.null, objectClass, key, column)
                }
            }
            let cluster = try cluster(address, objectClass)
            cluster.removeSlot(slot)
            objectClass.state.objectCount -= 1
            if cluster.isWorthClearing {
                try cluster.touchAll { try openLeaf(address, objectClass.columns[$0]) }
            }
        }
    }

    /// Restores a removed object with its former values.
    func restore(_ objectClass: MutableClass, _ key: ObjectKey, _ values: [BeforeImage]) throws {
        try poisoningOnError {
            let (address, slot) = location(objectClass, key)
            try cluster(address, objectClass).restoreSlot(slot)
            objectClass.state.objectCount += 1
            for column in objectClass.columns {
                switch values[column.position] {
                case .value(let value):
                    try store(value, objectClass, key, column)
                    if column.hasReferences { try references.add(objectClass, key, column, value) }
                case .blocks(let blocks): try store(blocks, objectClass, key, column)
                }
            }
        }
    }

    func assign(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: BeforeImage) throws {
        switch value {
        case .value(let value): try assign(objectClass, key, column, value)
        case .blocks(let blocks):
            try poisoningOnError {
                try boundMutableClusters()
                try closeCollection()
                if column.hasReferences { try removeReferences(objectClass, key, column) }
                try store(blocks, objectClass, key, column)
            }
        }
    }

    func assign(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        try poisoningOnError {
            try boundMutableClusters()
            try closeCollection()
            if try column.hasReferences && isLong(objectClass, key, column) {
                try removeReferences(objectClass, key, column)
                try references.add(objectClass, key, column, value)
            } else if column.hasReferences {
                let old = try stored(objectClass, key, column)
                if old != value {
                    try references.remove(objectClass, key, column, old)
                    try references.add(objectClass, key, column, value)
                }
            }
            try store(value, objectClass, key, column)
        }
    }

    /// Marks the leaves of a cluster that contain values of deleted objects to be written. Returns whether there are
    /// any.
    package func clearDead(_ objectClass: MutableClass, _ number: Int) throws -> Bool {
        try boundMutableClusters()
        let address = LeafAddress(classID: objectClass.schema.id, cluster: number)
        let cluster = try cluster(address, objectClass)
        let mask = cluster.liveMask
        guard mask.liveCount < mask.slotCount else { return false }
        var found = false
        for column in objectClass.columns {
            guard let leaf = try writtenLeaf(address, column), leaf.holdsValues(deadIn: mask) else { continue }
            try cluster.touch(column.position) { try openLeaf(address, column) }
            found = true
        }
        return found
    }

    /// Runs a change that must not be interrupted; see `failure`.
    func poisoningOnError<R>(_ change: () throws -> R) throws -> R {
        do {
            return try change()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// Drops the counters of a class that the schema no longer has.
    package func forget(_ classID: ClassID) throws {
        classes[classID] = nil
        var key = TreeKey(capacity: 4)
        key.append(classID.rawValue)
        try transaction.delete(trees.classes, key.bytes)
    }

    func keys(in tree: LMDBDatabase, prefix: [UInt8]) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try transaction.scan(tree, prefix: prefix) { key, _ in
            keys.append(key.trailingObjectKey)
            return true
        }
        return keys
    }
}
