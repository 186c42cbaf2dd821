import Columnar
import ObjectModel
import QueryLanguage
import StoreContract

/// Aggregates of groups of objects that have equal values at some paths. Used by one thread at a time.
final class Grouping {
    private let numbering: CombinationNumbering
    private var columns: [GroupedColumn]
    /// By group.
    private var counts: [Int] = []
    private var groupOfSlot: [Int]

    init(_ requests: [AggregateRequest], by paths: [BoundPath], on classID: ClassID, in source: any ColumnSource) {
        numbering = CombinationNumbering(paths, from: classID, in: source, keepsNullLinks: true)
        columns = requests.map { GroupedColumn($0, on: classID, in: source) }
        groupOfSlot = [Int](repeating: 0, count: source.clusterCapacity)
    }

    func add(_ key: ObjectKey) throws {
        guard let group = try numbering.number(of: key) else { return }
        makeRoom(group)
        counts[group] += 1
        for index in columns.indices { try columns[index].add(key, to: group) }
    }

    /// Adds the selected objects of a cluster.
    func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        try groupOfSlot.withUnsafeMutableBufferPointer { groupOfSlot in
            var highest = -1
            try numbering.forEach(cluster, mask) { slot, group in
                groupOfSlot[slot] = group
                highest = max(highest, group)
            }
            if highest >= 0 { makeRoom(highest) }
            counts.withUnsafeMutableBufferPointer { counts in
                mask.forEach { counts[groupOfSlot[$0]] += 1 }
            }
            for index in columns.indices {
                try columns[index].add(cluster, mask, UnsafeBufferPointer(groupOfSlot))
            }
        }
    }

    private func makeRoom(_ group: Int) {
        guard group >= counts.count else { return }
        let count = max(numbering.count, group + 1)
        while counts.count < count { counts.append(0) }
        for index in columns.indices { columns[index].makeRoom(count) }
    }

    /// Ascending by their keys.
    var results: [AggregateGroup] {
        counts.indices.filter { counts[$0] > 0 }.map { group in
            AggregateGroup(
                key: numbering.values(of: group), count: counts[group], results: columns.map { $0.result(group) })
        }.sorted { left, right in
            for (a, b) in zip(left.key, right.key) {
                let order = Value.order(a, b)
                if order != 0 { return order < 0 }
            }
            return false
        }
    }
}

/// One aggregate of all groups.
struct GroupedColumn {
    private let request: AggregateRequest
    private let reader: PathReader
    private let property: PropertyID?
    private let empty: AggregateState
    /// By group. Sums of numbers in columns are kept apart from the others, as plain words.
    private var states: [AggregateState] = []
    private var integers: [Int128] = []
    private var floating: [Double] = []
    private var sumCounts: [Int] = []

    init(_ request: AggregateRequest, on classID: ClassID, in source: any ColumnSource) {
        self.request = request
        reader = PathReader(request.path, from: classID, in: source)
        property = request.path.column
        empty = AggregateState(request.function, of: request.path.valueBase)
    }

    mutating func makeRoom(_ count: Int) {
        while states.count < count {
            states.append(empty)
            integers.append(0)
            floating.append(0)
            sumCounts.append(0)
        }
    }

    mutating func add(_ key: ObjectKey, to group: Int) throws {
        if let value = try reader.single(key) { states[group].add(value) }
    }

    mutating func add(_ cluster: ClusterView, _ mask: SelectionMask, _ groups: UnsafeBufferPointer<Int>) throws {
        guard let property else {
            let first = Int64(cluster.firstKey)
            return try mask.forEach { try add(ObjectKey(first + Int64($0)), to: groups[$0]) }
        }
        let leaf = try cluster.leaf(property)
        let isNullable = leaf.nullCount > 0
        switch leaf.kind {
        case .double where !empty.isBest:
            floating.withUnsafeMutableBufferPointer { sums in
                sumCounts.withUnsafeMutableBufferPointer { counts in
                    mask.forEach { slot in
                        let value = leaf.double(at: slot)
                        if value.isNaN || (isNullable && leaf.isNull(slot)) { return }
                        sums[groups[slot]] += value
                        counts[groups[slot]] += 1
                    }
                }
            }
        case .int where !empty.isBest:
            integers.withUnsafeMutableBufferPointer { sums in
                sumCounts.withUnsafeMutableBufferPointer { counts in
                    mask.forEach { slot in
                        if isNullable, leaf.isNull(slot) { return }
                        sums[groups[slot]] &+= Int128(leaf.int(at: slot))
                        counts[groups[slot]] += 1
                    }
                }
            }
        case .list, .set, .map:
            throw LeafError.kindMismatch
        default:
            mask.forEach { states[groups[$0]].add(leaf.value(at: $0)) }
        }
    }

    func result(_ group: Int) -> Value {
        var state = states[group]
        state.add(integers[group], count: sumCounts[group])
        state.add(floating[group], count: 0)
        return state.result
    }
}
