import Columnar
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Makes tallies of groups of objects that have equal values at some paths: cluster by cluster on the columns where a
/// path has no links, otherwise object by object. Used by one thread at a time.
package final class Tallying {
    private let numbering: CombinationNumbering
    private var columns: [TalliedColumn]
    /// The counts by group.
    private var counts: [Int] = []
    private let groupOfSlot: UnsafeMutablePointer<Int32>
    private let most: Int

    /// - Parameter most: the number of groups beyond which it takes no more.
    init(
        _ requests: [AggregateRequest], by paths: [BoundPath], on classID: ClassID, in source: any ColumnSource,
        most: Int
    ) {
        numbering = CombinationNumbering(paths, from: classID, in: source, keepsNullLinks: true, notesMixed: true)
        columns = requests.map { TalliedColumn($0, on: classID, in: source) }
        groupOfSlot = .allocate(capacity: source.clusterCapacity)
        self.most = most
    }

    deinit { groupOfSlot.deallocate() }

    private var isFull: Bool { numbering.count > most }

    private func add(_ key: ObjectKey) throws {
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
        while counts.count < count { counts.append(0) }
        for index in columns.indices { columns[index].makeRoom(count) }
    }

    /// The tallies of a scan's matches.
    package static func result(
        of scan: ClassScan, _ requests: [AggregateRequest], by paths: [BoundPath], most: Int
    ) throws -> GroupTalliesResult {
        try result(
            of: try scan.inParts(cost: Double(paths.count + requests.count) * 4) { scan in
                let part = Tallying(requests, by: paths, on: scan.classID, in: scan.source, most: most)
                try scan.forEachCluster(handlesEach: true) { try part.add($0, $1) }
                return part
            }, paths.count)
    }

    /// The tallies of some objects.
    package static func result(
        of keys: [ObjectKey], of classID: ClassID, in source: any ColumnSource, _ requests: [AggregateRequest],
        by paths: [BoundPath], most: Int
    ) throws -> GroupTalliesResult {
        let part = Tallying(requests, by: paths, on: classID, in: source, most: most)
        for key in keys where !part.isFull { try part.add(key) }
        return result(of: [part], paths.count)
    }

    private var groups: [GroupTally] {
        counts.indices.filter { counts[$0] > 0 }.map { number in
            GroupTally(
                key: numbering.values(of: number), count: counts[number], columns.map { $0.part(number) })
        }
    }

    /// Merges the tallies of different objects, with the same requests and that many paths.
    static func result(of parts: [Tallying], _ pathCount: Int) -> GroupTalliesResult {
        if parts.contains(where: \.isFull) { return .tooManyGroups }
        var mixedForms = [Set<Value>](repeating: [], count: pathCount)
        for part in parts {
            for (place, forms) in part.numbering.mixedForms.enumerated() { mixedForms[place].formUnion(forms) }
        }
        guard parts.count > 1 else { return .tallies(GroupTallies(parts.first?.groups ?? [], mixedForms: mixedForms)) }
        var groups: [GroupTally] = []
        var numbers: [[Value]: Int] = [:]
        // By path and form, the first value.
        var firsts = [[Value: Value]](repeating: [:], count: pathCount)
        for part in parts {
            for group in part.groups {
                let form = group.key.map(\.distinctForm)
                for (place, value) in group.key.enumerated() {
                    if firsts[place][form[place], default: value] != value { mixedForms[place].insert(form[place]) }
                    if firsts[place][form[place]] == nil { firsts[place][form[place]] = value }
                }
                if let known = numbers[form] {
                    groups[known].merge(group)
                } else {
                    numbers[form] = groups.count
                    groups.append(group)
                }
            }
        }
        if groups.count > parts[0].most { return .tooManyGroups }
        return .tallies(GroupTallies(groups, mixedForms: mixedForms))
    }
}

/// One function of all groups.
private struct TalliedColumn {
    private let request: AggregateRequest
    private let reader: PathReader
    /// The property itself when its values are read from its column.
    private let property: PropertyID?
    private let isMinimum: Bool
    /// By group, of minima and maxima.
    private var extremes: [ExtremeTally] = []
    /// By group: worse values than these are counted only. Those that are not known yet are worse than all others.
    private var worstIntegers: [Int64] = []
    private var worstDoubles: [Double] = []
    private var worse: [Int] = []
    /// By group, of sums and averages. Those of numbers in columns are kept apart from the others.
    private var numbers: [NumberTally] = []
    private var integers: [Int128] = []
    private var floating: [BinarySum] = []
    private var sumCounts: [Int] = []

    init(_ request: AggregateRequest, on classID: ClassID, in source: any ColumnSource) {
        self.request = request
        reader = PathReader(request.path, from: classID, in: source)
        property = request.path.column
        isMinimum = request.function == .minimum
    }

    private var isExtreme: Bool { isMinimum || request.function == .maximum }

    mutating func makeRoom(_ count: Int) {
        while isExtreme, extremes.count < count {
            extremes.append(ExtremeTally(isMinimum: isMinimum))
            worstIntegers.append(isMinimum ? .max : .min)
            worstDoubles.append(isMinimum ? .infinity : -.infinity)
            worse.append(0)
        }
        while !isExtreme, numbers.count < count {
            numbers.append(NumberTally(of: request.path.valueType.base))
            integers.append(0)
            floating.append(BinarySum())
            sumCounts.append(0)
        }
    }

    mutating func add(_ key: ObjectKey, to group: Int) throws {
        if let value = try reader.single(key) { add(value, to: group) }
    }

    private mutating func add(_ value: Value, to group: Int) {
        if isExtreme { extremes[group].add(value) } else { numbers[group].add(value, sign: 1) }
    }

    mutating func add(_ cluster: ClusterView, _ mask: SelectionMask, _ groups: UnsafePointer<Int32>) throws {
        guard let property else {
            let first = Int64(cluster.firstKey)
            return try mask.forEach { try add(ObjectKey(first + Int64($0)), to: Int(groups[$0])) }
        }
        let leaf = try cluster.leaf(property)
        let isNullable = leaf.nullCount > 0
        switch leaf.kind {
        case .list, .set, .map:
            throw LeafError.kindMismatch
        case .int where isExtreme:
            mask.forEach { slot in
                if isNullable, leaf.isNull(slot) { return }
                let (value, group) = (leaf.int(at: slot), Int(groups[slot]))
                if isMinimum ? value > worstIntegers[group] : value < worstIntegers[group] {
                    worse[group] += 1
                } else {
                    extremes[group].add(.int(value))
                    if case .int(let worst)? = extremes[group].worst { worstIntegers[group] = worst }
                }
            }
        case .double where isExtreme:
            mask.forEach { slot in
                let (value, group) = (leaf.double(at: slot), Int(groups[slot]))
                if value.isNaN || isNullable && leaf.isNull(slot) { return }
                if isMinimum ? value > worstDoubles[group] : value < worstDoubles[group] {
                    worse[group] += 1
                } else {
                    extremes[group].add(.double(value))
                    if case .double(let worst)? = extremes[group].worst { worstDoubles[group] = worst }
                }
            }
        case .int:
            mask.forEach { slot in
                if isNullable, leaf.isNull(slot) { return }
                integers[Int(groups[slot])] &+= Int128(leaf.int(at: slot))
                sumCounts[Int(groups[slot])] += 1
            }
        case .double:
            mask.forEach { slot in
                let value = leaf.double(at: slot)
                if value.isNaN || isNullable && leaf.isNull(slot) { return }
                floating[Int(groups[slot])].add(value, sign: 1)
                sumCounts[Int(groups[slot])] += 1
            }
        default:
            mask.forEach { slot in
                if isNullable, leaf.isNull(slot) { return }
                add(leaf.value(at: slot), to: Int(groups[slot]))
            }
        }
    }

    /// The tally of one group.
    func part(_ group: Int) -> GroupTally.Part {
        if isExtreme {
            var tally = extremes[group]
            tally.add(worse: worse[group])
            return .extreme(tally)
        }
        var tally = numbers[group]
        tally.add(integers[group], count: sumCounts[group])
        tally.add(floating[group], count: sumCounts[group])
        return request.function == .sum ? .sum(tally) : .average(tally)
    }
}
