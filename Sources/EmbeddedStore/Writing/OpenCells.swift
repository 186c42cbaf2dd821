import Columnar
import ObjectModel
import StoreContract

/// The values of one cluster's objects within a write. Of a property that the write has not touched they are read from
/// the version that it started from.
///
/// What an assignment must note, for observers and to be taken back, it notes once for each object and property: what
/// became of the value in between does not matter to either, as values of these kinds depend on nothing else.
final class OpenCells: RowCells {
    /// Not held: the work that it does must end on the writer's thread.
    private unowned(unsafe) let member: MemberTransaction
    private let objectClass: OpenClass
    private let cluster: OpenCluster
    private let base: (any RowCells)?
    /// By column asked for; nil for those that are not to be read or assigned this way.
    private let columns: [ColumnLayout?]
    /// The objects whose assignment is noted, a bit for each row, column by column.
    private var noted: [UInt64]
    private let wordCount: Int
    /// What the session's count of arrangements was.
    private let arrangement: Int
    let firstKey: Int64
    let rowCount: Int

    init(
        _ member: MemberTransaction, _ objectClass: OpenClass, _ cluster: OpenCluster, firstKey: Int64,
        _ properties: [PropertyID], over base: (any RowCells)?
    ) {
        self.member = member
        self.objectClass = objectClass
        self.cluster = cluster
        self.firstKey = firstKey
        rowCount = member.session.capacity
        arrangement = member.session.arrangement
        self.base = cluster.isAsAtStart ? base : nil
        columns = properties.map { objectClass.column($0).flatMap { $0.isPlain ? $0 : nil } }
        wordCount = maskWordCount(member.session.capacity)
        noted = Array(repeating: 0, count: wordCount * properties.count)
    }

    func contains(_ row: Int) -> Bool { isCurrent && cluster.liveMask.isLive(row) }

    /// Whether the session still has the cluster.
    var isCurrent: Bool { member.session.arrangement == arrangement }

    func value(_ row: Int, _ column: Int) -> Value? {
        guard isCurrent, let layout = columns[column], cluster.liveMask.isLive(row) else { return nil }
        if cluster.isOpen(layout.position) { return cluster.plainValue(layout.position, row) }
        return base?.value(row, column)
    }

    func assign(_ value: Value, _ row: Int, _ column: Int) throws -> Bool {
        guard isCurrent, let layout = columns[column], layout.isPlainlyAssigned, layout.acceptsPlainly(value),
            cluster.liveMask.isLive(row)
        else { return false }
        let word = column * wordCount + row >> 6
        let bit: UInt64 = 1 << UInt64(row & 63)
        if noted[word] & bit == 0 {
            let session = member.session
            let address = LeafAddress(classID: objectClass.schema.id, cluster: Int(firstKey) / rowCount)
            try session.wholly { try cluster.open(layout.position) { try session.openLeaf(address, layout) } }
            guard let old = cluster.plainValue(layout.position, row) else { return false }
            member.noteAssignment(objectClass, ObjectKey(firstKey + Int64(row)), layout, old: old)
            noted[word] |= bit
        }
        // Where a value lies outside, only the session knows how to take it away.
        guard !cluster.isOutsized(layout.position, row) else { return false }
        try member.session.wholly { try cluster.set(row, value, layout.position) }
        return true
    }
}

extension ColumnLayout {
    /// Whether a value is one plain value in the leaf, at most too long for it.
    var isPlain: Bool { kind.collection == .single && kind != .mixed }

    /// Whether an assignment concerns nothing but the leaf.
    var isPlainlyAssigned: Bool { !hasReferences && !isPrimaryKey && !ownsTarget }
}

extension MemberTransaction {
    /// Notes that a value is about to be replaced which nothing else depends on.
    func noteAssignment(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, old: Value) {
        let classID = objectClass.schema.id
        // An object that this work created goes with it, whatever it holds, and is told of as a whole.
        if changes[classID]?.isCreated(key) == true { return }
        note(.assigned(objectClass, key, column, old: old))
        changes[classID, default: ClassChangeRecorder()].recordModification(key, column.id)
    }
}
