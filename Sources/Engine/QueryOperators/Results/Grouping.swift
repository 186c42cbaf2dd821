import Columnar
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Aggregates of groups of objects that have equal values at some paths. Used by one thread at a time.
package final class Grouping {
    private let numbering: CombinationNumbering
    private var columns: [GroupedColumn]
    /// The counts by group.
    private var counts: [Int] = []
    private let groupOfSlot: UnsafeMutablePointer<Int32>

    package init(
        _ requests: [AggregateRequest], by paths: [BoundPath], on classID: ClassID, in source: any ColumnSource
    ) {
        numbering = CombinationNumbering(paths, from: classID, in: source, keepsNullLinks: true)
        columns = requests.map { GroupedColumn($0, on: classID, in: source) }
        groupOfSlot = .allocate(capacity: source.clusterCapacity)
    }

    deinit { groupOfSlot.deallocate() }

    func add(_ key: ObjectKey) throws {
        guard let group = try numbering.number(of: key) else { return }
        makeRoom(group)
        counts[group] += 1
        for index in columns.indices { try columns[index].add(key, to: group) }
    }

    /// Adds the selected objects of a cluster.
    func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        try numbering.fill(groupOfSlot, cluster, mask)
        if numbering.count > counts.count { makeRoom(numbering.count - 1) }
        let groups = UnsafePointer(groupOfSlot)
        counts.withUnsafeMutableBufferPointer { counts in
            mask.forEach { counts[Int(groups[$0])] += 1 }
        }
        for index in columns.indices { try columns[index].add(cluster, mask, groups) }
    }

    private func makeRoom(_ group: Int) {
        guard group >= counts.count else { return }
        let count = max(numbering.count, group + 1)
        while counts.count < count { counts.append(0) }
        for index in columns.indices { columns[index].makeRoom(count) }
    }

    /// The groups of a scan's matches, ascending by their keys.
    package static func results(
        of scan: ClassScan, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] {
        try results(
            of: try scan.inParts(cost: Double(paths.count + requests.count) * 3) { scan in
                let part = Grouping(requests, by: paths, on: scan.classID, in: scan.source)
                try scan.forEachCluster(handlesEach: true) { try part.add($0, $1) }
                return part
            }, requests)
    }

    /// The groups of some objects, ascending by their keys.
    package static func results(
        of keys: [ObjectKey], of classID: ClassID, in source: any ColumnSource, _ requests: [AggregateRequest],
        by paths: [BoundPath]
    ) throws -> [AggregateGroup] {
        let grouping = Grouping(requests, by: paths, on: classID, in: source)
        for key in keys { try grouping.add(key) }
        return try results(of: [grouping], requests)
    }

    private struct Group {
        var key: [Value]
        var count: Int
        var states: [AggregateState]
    }

    /// Merges groupings of different objects, with the same requests and paths; ascending by the groups' keys.
    package static func results(of parts: [Grouping], _ requests: [AggregateRequest]) throws -> [AggregateGroup] {
        var numbers: [[Value]: Int] = [:]
        var groups: [Group] = []
        for part in parts {
            for number in part.counts.indices where part.counts[number] > 0 {
                let key = part.numbering.values(of: number)
                let states = part.columns.map { $0.state(number) }
                let form = key.map(\.distinctForm)
                guard let known = numbers[form] else {
                    numbers[form] = groups.count
                    groups.append(Group(key: key, count: part.counts[number], states: states))
                    continue
                }
                groups[known].count += part.counts[number]
                for index in states.indices { groups[known].states[index].merge(states[index]) }
            }
        }
        return try groups.sorted { left, right in
            for (a, b) in zip(left.key, right.key) {
                let order = Value.order(a, b)
                if order != 0 { return order < 0 }
            }
            return false
        }.map { group in
            AggregateGroup(
                key: group.key, count: group.count,
                results: try zip(group.states, requests).map { $1.isChecked ? try $0.checked() : $0.result })
        }
    }
}

/// One aggregate of all groups.
struct GroupedColumn {
    private let request: AggregateRequest
    private let reader: PathReader
    private let property: PropertyID?
    private let empty: AggregateState
    /// The states by group. Sums of numbers in columns are kept apart from the others, as plain words.
    private var states: [AggregateState] = []
    private var integers: [Int128] = []
    private var floating: [Double] = []
    private var sumCounts: [Int] = []

    init(_ request: AggregateRequest, on classID: ClassID, in source: any ColumnSource) {
        self.request = request
        reader = PathReader(request.path, from: classID, in: source)
        property = request.path.column
        empty = AggregateState(request.function, of: request.path.valueType.base)
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

    mutating func add(_ cluster: ClusterView, _ mask: SelectionMask, _ groups: UnsafePointer<Int32>) throws {
        guard let property else {
            let first = Int64(cluster.firstKey)
            return try mask.forEach { try add(ObjectKey(first + Int64($0)), to: Int(groups[$0])) }
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
                        sums[Int(groups[slot])] += value
                        counts[Int(groups[slot])] += 1
                    }
                }
            }
        case .int where !empty.isBest:
            integers.withUnsafeMutableBufferPointer { sums in
                sumCounts.withUnsafeMutableBufferPointer { counts in
                    mask.forEach { slot in
                        if isNullable, leaf.isNull(slot) { return }
                        sums[Int(groups[slot])] &+= Int128(leaf.int(at: slot))
                        counts[Int(groups[slot])] += 1
                    }
                }
            }
        case .list, .set, .map:
            throw LeafError.kindMismatch
        default:
            mask.forEach { states[Int(groups[$0])].add(leaf.value(at: $0)) }
        }
    }

    /// The aggregate of one group.
    func state(_ group: Int) -> AggregateState {
        var state = states[group]
        state.add(integers[group], count: sumCounts[group])
        state.add(floating[group], count: 0)
        return state
    }
}
