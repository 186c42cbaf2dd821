import Columnar
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Makes tallies of groups of objects that have equal values at some paths.
package enum Tallying {
    /// The tallies of a scan's matches.
    ///
    /// - Parameter most: the number of groups beyond which there is no result.
    package static func result(
        of scan: ClassScan, _ requests: [AggregateRequest], by paths: [BoundPath], most: Int
    ) throws -> GroupTalliesResult {
        result(of: try GroupPass.over(scan, requests, by: paths, limit: most), paths.count, most: most)
    }

    /// The tallies of some objects.
    package static func result(
        of keys: [ObjectKey], of classID: ClassID, in source: any ColumnSource, _ requests: [AggregateRequest],
        by paths: [BoundPath], most: Int
    ) throws -> GroupTalliesResult {
        let pass = try GroupPass<TalliedColumn>.over(keys, of: classID, in: source, requests, by: paths, limit: most)
        return result(of: [pass], paths.count, most: most)
    }

    /// Merges the tallies of different objects, with the same requests and that many paths.
    static func result(
        of parts: [GroupPass<TalliedColumn>], _ pathCount: Int, most: Int
    ) -> GroupTalliesResult {
        if parts.contains(where: \.isFull) { return .tooManyGroups }
        var mixedForms = [Set<Value>](repeating: [], count: pathCount)
        for part in parts {
            for (path, forms) in part.numbering.mixedForms.enumerated() { mixedForms[path].formUnion(forms) }
        }
        guard parts.count > 1 else { return .tallies(GroupTallies(parts.first?.tallies ?? [], mixedForms: mixedForms)) }
        var groups: [GroupTally] = []
        var numbers: [[Value]: Int] = [:]
        // By path and form, the first value.
        var firsts = [[Value: Value]](repeating: [:], count: pathCount)
        for part in parts {
            for group in part.tallies {
                let form = group.key.map(\.distinctForm)
                for (path, value) in group.key.enumerated() {
                    if firsts[path][form[path], default: value] != value { mixedForms[path].insert(form[path]) }
                    if firsts[path][form[path]] == nil { firsts[path][form[path]] = value }
                }
                if let known = numbers[form] {
                    groups[known].merge(group)
                } else {
                    numbers[form] = groups.count
                    groups.append(group)
                }
            }
        }
        if groups.count > most { return .tooManyGroups }
        return .tallies(GroupTallies(groups, mixedForms: mixedForms))
    }
}

extension GroupPass<TalliedColumn> {
    fileprivate var tallies: [GroupTally] {
        groups.map { number in
            GroupTally(
                key: numbering.values(of: number), count: counts[number], columns.map { $0.part(number) })
        }
    }
}

/// One function of all groups, as tallies from which objects can be removed later.
struct TalliedColumn: GroupColumn {
    static let cost = 4.0
    static let notesMixed = true

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
