package import Columnar
package import ObjectModel
package import QueryLanguage

/// Computes several aggregates, cluster by cluster on the columns where the path has no links, otherwise object by
/// object. Used by one thread at a time.
package final class Aggregation {
    private struct Part {
        let reader: PathReader
        /// The property itself when its values are read from its column.
        let property: PropertyID?
        let isChecked: Bool
        var state: AggregateState
    }

    private var parts: [Part]
    /// The number of objects added.
    package private(set) var count = 0
    private let scratch: SelectionMask

    package init(_ requests: [AggregateRequest], on classID: ClassID, in source: any ColumnSource) {
        scratch = SelectionMask(capacity: source.clusterCapacity)
        parts = requests.map { request in
            Part(
                reader: PathReader(request.path, from: classID, in: source), property: request.path.column,
                isChecked: request.isChecked, state: AggregateState(request.function, of: request.path.valueType.base))
        }
    }

    /// The aggregates of a scan's matches.
    package static func whole(_ scan: ClassScan, _ requests: [AggregateRequest]) throws -> Aggregation {
        let parts = try scan.inParts(cost: Double(requests.count) / 2) { scan in
            let part = Aggregation(requests, on: scan.classID, in: scan.source)
            try part.add(scan)
            return part
        }
        for part in parts.dropFirst() { parts[0].merge(part) }
        return parts[0]
    }

    /// Adds the selected objects of a cluster.
    package func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        count += mask.population
        for index in parts.indices {
            if let property = parts[index].property {
                try parts[index].state.add(try cluster.leaf(property), mask, scratch: scratch)
            } else {
                let first = Int64(cluster.firstKey)
                try mask.forEach { try add(ObjectKey(first + Int64($0)), to: &parts[index]) }
            }
        }
    }

    /// Adds all objects of a scan.
    package func add(_ scan: ClassScan) throws {
        guard scan.selectsAll, !parts.isEmpty else { return try scan.forEachCluster { try add($0, $1) } }
        for index in parts.indices {
            if let property = parts[index].property {
                try scan.forEachLeaf(property) { leaf, mask in
                    // Each column has them all.
                    if index == 0 { count += mask.population }
                    try parts[index].state.add(leaf, mask, scratch: scratch)
                }
            } else {
                try scan.forEachCluster { cluster, mask in
                    if index == 0 { count += mask.population }
                    let first = Int64(cluster.firstKey)
                    try mask.forEach { try add(ObjectKey(first + Int64($0)), to: &parts[index]) }
                }
            }
        }
    }

    /// Adds one object.
    package func add(_ key: ObjectKey) throws {
        count += 1
        for index in parts.indices { try add(key, to: &parts[index]) }
    }

    /// Adds objects one by one.
    package func add(_ keys: [ObjectKey]) throws { for key in keys { try add(key) } }

    func merge(_ other: Aggregation) {
        count += other.count
        for index in parts.indices { parts[index].state.merge(other.parts[index].state) }
    }

    /// Throws when a checked integer sum overflows.
    package func results() throws -> [Value] {
        try parts.map { $0.isChecked ? try $0.state.checked() : $0.state.result }
    }

    private func add(_ key: ObjectKey, to part: inout Part) throws {
        guard let value = try part.reader.single(key) else { return }
        part.state.add(value)
    }
}

extension AggregateState {
    /// The aggregates of some values. Throws for an integer sum that overflows.
    package static func results(
        _ functions: [AggregateRequest.Function], of values: [Value], _ base: BaseType
    ) throws -> [Value] {
        var states = functions.map { AggregateState($0, of: base) }
        for value in values { for index in states.indices { states[index].add(value) } }
        return try states.map { try $0.checked() }
    }

    /// Adds the selected values of a column.
    mutating func add(_ leaf: Leaf, _ mask: SelectionMask, scratch: SelectionMask) throws {
        switch leaf.kind {
        case .int where !isBest:
            let (sum, count) = leaf.integerSum(mask, scratch: scratch)
            add(sum, count: count)
        case .float where !isBest, .double where !isBest:
            let (sum, count) = leaf.floatingSum(mask, scratch: scratch)
            add(sum, count: count)
        case .int, .bool, .float, .double, .date:
            if let bounds = leaf.bounds(mask, scratch: scratch) { add(bounds: bounds) }
        case .list, .set, .map:
            throw LeafError.kindMismatch
        default:
            mask.forEach { add(leaf.value(at: $0)) }
        }
    }
}

extension BoundPath {
    /// The property when the path is a single-valued property of the object itself.
    package var column: PropertyID? {
        guard links.isEmpty, steps.isEmpty, case .property(let property, let type) = end, type.collection == .single
        else { return nil }
        return property
    }
}
