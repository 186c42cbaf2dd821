import Columnar
import ObjectModel
import QueryLanguage
import StoreContract

/// What a ``GroupPass`` adds up for each group: one aggregate function of the values at one path.
protocol GroupColumn {
    /// The time that one value takes, in nanoseconds.
    static var cost: Double { get }
    /// Whether the result says which keys are equal without being the same.
    static var notesMixed: Bool { get }

    init(_ request: AggregateRequest, on classID: ClassID, in source: any ColumnSource)

    /// Makes room for the groups with numbers below `count`.
    mutating func makeRoom(_ count: Int)

    mutating func add(_ key: ObjectKey, to group: Int) throws

    /// Adds the selected objects of a cluster. `groups` has their groups, by slot.
    mutating func add(_ cluster: ClusterView, _ mask: SelectionMask, _ groups: UnsafePointer<Int32>) throws
}

/// Divides objects into groups with equal values at some paths, counts them, and adds their values to the columns of
/// the groups: cluster by cluster where a path has no links, otherwise object by object. Used by one thread at a time.
///
/// Generic, so that the compiler makes one specialised pass for each type of column.
final class GroupPass<Column: GroupColumn> {
    let numbering: CombinationNumbering
    private(set) var columns: [Column]
    /// By group.
    private(set) var counts: [Int] = []
    private let groupOfSlot: UnsafeMutablePointer<Int32>
    private let limit: Int

    /// - Parameter limit: the number of groups beyond which it adds no more objects.
    init(
        _ requests: [AggregateRequest], by paths: [BoundPath], on classID: ClassID, in source: any ColumnSource,
        limit: Int = .max
    ) {
        numbering = CombinationNumbering(
            paths, from: classID, in: source, keepsNullLinks: true, notesMixed: Column.notesMixed)
        columns = requests.map { Column($0, on: classID, in: source) }
        groupOfSlot = .allocate(capacity: source.clusterCapacity)
        self.limit = limit
    }

    deinit { groupOfSlot.deallocate() }

    /// Whether there are more groups than the limit.
    var isFull: Bool { numbering.count > limit }

    /// The groups that have objects. Values of other objects may have numbers, too.
    var groups: [Int] { counts.indices.filter { counts[$0] > 0 } }

    func add(_ key: ObjectKey) throws {
        guard let group = try numbering.number(of: key) else { return }
        makeRoom()
        counts[group] += 1
        for index in columns.indices { try columns[index].add(key, to: group) }
    }

    /// Adds the selected objects of a cluster.
    func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        if isFull { return }
        try numbering.fill(groupOfSlot, cluster, mask)
        if isFull { return }
        makeRoom()
        let groups = UnsafePointer(groupOfSlot)
        counts.withUnsafeMutableBufferPointer { counts in
            mask.forEach { counts[Int(groups[$0])] += 1 }
        }
        for index in columns.indices { try columns[index].add(cluster, mask, groups) }
    }

    private func makeRoom() {
        let count = numbering.count
        guard count > counts.count else { return }
        counts += repeatElement(0, count: count - counts.count)
        for index in columns.indices { columns[index].makeRoom(count) }
    }

    /// The passes over the parts of a scan.
    static func over(
        _ scan: ClassScan, _ requests: [AggregateRequest], by paths: [BoundPath], limit: Int = .max
    ) throws -> [GroupPass] {
        try scan.inParts(cost: Double(paths.count + requests.count) * Column.cost) { scan in
            let pass = GroupPass(requests, by: paths, on: scan.classID, in: scan.source, limit: limit)
            try scan.forEachCluster(handlesEach: true) { try pass.add($0, $1) }
            return pass
        }
    }

    /// The pass over some objects.
    static func over(
        _ keys: [ObjectKey], of classID: ClassID, in source: any ColumnSource, _ requests: [AggregateRequest],
        by paths: [BoundPath], limit: Int = .max
    ) throws -> GroupPass {
        let pass = GroupPass(requests, by: paths, on: classID, in: source, limit: limit)
        for key in keys where !pass.isFull { try pass.add(key) }
        return pass
    }
}
