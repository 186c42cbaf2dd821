import Columnar
import ObjectModel
import StoreContract

/// The values of one cluster's objects within a write. Properties that the write has not touched are read from the
/// version that it started from.
///
/// An assignment is recorded once for each object and property, for observers and for rollback: intermediate values
/// matter to neither, as nothing else depends on values of these kinds.
final class MutableRowAccessor: RowAccessor {
    /// Not retained: the work's lifetime must end on the writer's thread.
    private unowned(unsafe) let member: MemberTransaction
    private let objectClass: MutableClass
    private let cluster: MutableCluster
    /// The cluster's leaves.
    private let leaves: UnsafeMutablePointer<MutableLeaf?>
    private let dirty: UnsafeMutablePointer<Bool>
    private let base: (any RowAccessor)?
    /// The columns in the order of the request.
    private let columns: UnsafeMutableBufferPointer<Column>
    /// The objects whose assignment is recorded, a bit for each row, column by column.
    private let noted: UnsafeMutablePointer<UInt64>
    private let wordCount: Int
    /// See `MemberTransaction.firstCreated`. While it is nil, it was still nil at `creationNumber`.
    private var createdFrom: Int64?
    private var creationNumber = 0
    /// The session's, with the arrangement that it had when this was made.
    private let state: UnsafeMutablePointer<DecodedClusters.State>
    private let arrangement: Int
    let firstKey: Int64
    let rowCount: Int

    /// The properties of a column that each access needs.
    private struct Column {
        /// The position among the class's columns; -1 for one that cannot be read this way.
        var position = -1
        var kind = LeafKind.int
        /// Whether an assignment affects only the leaf.
        var isAssigned = false
        var isOptional = false
        /// Computed once, as comparing kinds is not a single instruction from another module.
        var isText = false

        func accepts(_ value: Value) -> Bool {
            switch value {
            case .int: kind == .int
            case .null: isOptional
            case .string(let text): kind == .string && text.utf8.count <= OverflowTree.limit
            case .bool, .float, .double, .date, .objectId, .uuid, .decimal: kind.accepts(value)
            default: false
            }
        }
    }

    /// Returns nil for a class without columns.
    init?(
        _ member: MemberTransaction, _ objectClass: MutableClass, _ cluster: MutableCluster, firstKey: Int64,
        _ properties: [PropertyID], over base: (any RowAccessor)?
    ) {
        guard let leaves = cluster.leaves.baseAddress, let dirty = cluster.dirty.baseAddress else { return nil }
        self.leaves = leaves
        self.dirty = dirty
        self.member = member
        self.objectClass = objectClass
        self.cluster = cluster
        self.firstKey = firstKey
        let session = member.session
        rowCount = session.capacity
        state = session.decoded.state
        arrangement = state.pointee.arrangement
        self.base = cluster.isAsAtStart ? base : nil
        // With a log, each assignment is recorded with its value, which the session does.
        let isAssignable = session.redo == nil
        columns = .allocate(capacity: properties.count)
        for (index, property) in properties.enumerated() {
            var column = Column()
            if let layout = objectClass.column(property), layout.isPlain {
                column = Column(
                    position: layout.position, kind: layout.kind, isAssigned: isAssignable && layout.isPlainlyAssigned,
                    isOptional: layout.acceptsPlainly(.null), isText: layout.kind == .string)
            }
            columns.initializeElement(at: index, to: column)
        }
        wordCount = maskWordCount(session.capacity)
        noted = .allocate(capacity: wordCount * properties.count)
        noted.initialize(repeating: 0, count: wordCount * properties.count)
    }

    deinit {
        columns.deallocate()
        noted.deallocate()
    }

    /// Whether the session still has the cluster.
    var isCurrent: Bool { state.pointee.arrangement == arrangement }

    func contains(_ row: Int) -> Bool { isCurrent && cluster.isLive(row) }

    func value(_ row: Int, _ column: Int) -> Value? {
        let position = columns[column].position
        guard isCurrent, position >= 0, cluster.isLive(row) else { return nil }
        if leaves[position] != nil { return leaves[position]?.plainValue(at: row) ?? nil }
        return base?.value(row, column)
    }

    func assign(_ value: Value, _ row: Int, _ column: Int) throws -> Bool {
        guard columns[column].accepts(value) else { return false }
        let size = if case .string(let text) = value { text.utf8.count } else { 0 }
        return try assign(row, column, size) { position throws(LeafError) in
            try leaves[position]?.setPlain(row, value)
        }
    }

    func assign(utf8 text: UnsafeBufferPointer<UInt8>, _ row: Int, _ column: Int) throws -> Bool {
        guard columns[column].isText, text.count <= OverflowTree.limit else { return false }
        return try assign(row, column, text.count) { position throws(LeafError) in
            try leaves[position]?.setPlain(row, utf8: text)
        }
    }

    /// - Parameter size: the bytes by which the leaf may grow.
    @inline(__always)
    private func assign(
        _ row: Int, _ column: Int, _ size: Int, _ set: (_ position: Int) throws(LeafError) -> Bool?
    ) throws -> Bool {
        let layout = columns[column]
        guard isCurrent, layout.isAssigned, cluster.isLive(row) else { return false }
        let word = column * wordCount + row >> 6
        let bit: UInt64 = 1 << UInt64(row & 63)
        if noted[word] & bit == 0, try !record(row, layout.position) { return false }
        noted[word] |= bit
        do {
            // Only the session can remove a value that is stored outside.
            guard try set(layout.position) == true else { return false }
        } catch {
            try member.session.poisoningOnError { throw error }
        }
        dirty[layout.position] = true
        state.pointee.byteCount += size
        return true
    }

    /// Records that a value is about to be replaced. Returns false when that is impossible here.
    private func record(_ row: Int, _ position: Int) throws -> Bool {
        if leaves[position] == nil, try !open(position) { return false }
        let key = ObjectKey(firstKey + Int64(row))
        // An object that this work created is rolled back, and reported to observers, as a whole.
        if createdFrom == nil, member.creationNumber != creationNumber {
            creationNumber = member.creationNumber
            createdFrom = member.firstCreated(of: objectClass)
        }
        if let createdFrom, key.rawValue >= createdFrom { return true }
        guard let old = leaves[position]?.plainValue(at: row) ?? nil else { return false }
        member.noteAssignment(objectClass, key, position, old: old)
        return true
    }

    /// Decodes a leaf. Returns false when too much is decoded.
    private func open(_ position: Int) throws -> Bool {
        let session = member.session
        // The session writes them out, which ends this accessor.
        guard !session.decoded.areTooMany else { return false }
        let address = LeafAddress(classID: objectClass.schema.id, cluster: Int(firstKey) / rowCount)
        try session.poisoningOnError {
            try cluster.open(position) { try session.openLeaf(address, objectClass.columns[position]) }
        }
        return true
    }
}

extension ColumnLayout {
    /// Whether a value is one plain value in the leaf, at most too long for it.
    var isPlain: Bool { kind.collection == .single && kind != .mixed }

    /// Whether an assignment affects only the leaf.
    var isPlainlyAssigned: Bool { !hasReferences && !isPrimaryKey && !ownsTarget }
}

extension MemberTransaction {
    /// The key of the first object of the class that this work created: it created all that have a higher one, too.
    func firstCreated(of objectClass: MutableClass) -> Int64? {
        guard hasCreated, let index = changes.index(forKey: objectClass.schema.id) else { return nil }
        return changes.values[index].firstCreatedInPlace()
    }
}
