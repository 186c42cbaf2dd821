import Columnar
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Aggregates of groups of objects that have equal values at some paths.
package enum Grouping {
    /// The groups of a scan's matches, ascending by their keys.
    package static func results(
        of scan: ClassScan, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] {
        try results(of: try GroupPass.over(scan, requests, by: paths), requests)
    }

    /// The groups of some objects, ascending by their keys.
    package static func results(
        of keys: [ObjectKey], of classID: ClassID, in source: any ColumnSource, _ requests: [AggregateRequest],
        by paths: [BoundPath]
    ) throws -> [AggregateGroup] {
        try results(of: [try GroupPass.over(keys, of: classID, in: source, requests, by: paths)], requests)
    }

    private struct Group {
        var key: [Value]
        var count: Int
        var states: [AggregateState]
    }

    /// Merges the groups of different objects, with the same requests and paths; ascending by the groups' keys.
    static func results(
        of parts: [GroupPass<GroupedColumn>], _ requests: [AggregateRequest]
    ) throws -> [AggregateGroup] {
        var numbers: [[Value]: Int] = [:]
        var groups: [Group] = []
        for part in parts {
            for number in part.groups {
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
struct GroupedColumn: GroupColumn {
    static let cost = 3.0
    static let notesMixed = false

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
