import Columnar
import ObjectModel
import QueryLanguage

/// Adds up several aggregates, cluster by cluster on the columns where the path has no links, else object by object. Used by one
/// thread at a time.
final class Aggregation {
    private struct Part {
        let function: AggregateRequest.Function
        let reader: PathReader
        /// The property itself when no link lies before it.
        let property: PropertyID?
        let isInteger: Bool
        var count = 0
        var integers: Int128 = 0
        var floating = 0.0
        var best: Value?
    }

    private var parts: [Part]
    private let scratch: SelectionMask

    init(_ requests: [AggregateRequest], on classID: ClassID, in source: any ColumnSource) {
        scratch = SelectionMask(capacity: source.clusterCapacity)
        parts = requests.map { request in
            var property: PropertyID?
            var isInteger = true
            if case .property(let id, let type) = request.path.end {
                isInteger = type.base == .int
                if request.path.links.isEmpty { property = id }
            }
            return Part(
                function: request.function, reader: PathReader(request.path, from: classID, in: source),
                property: property, isInteger: isInteger)
        }
    }

    /// Adds the selected objects of a cluster.
    func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        for index in parts.indices {
            if let property = parts[index].property {
                try add(try cluster.leaf(property), mask, to: &parts[index])
            } else {
                let first = Int64(cluster.firstKey)
                try mask.forEach { try add(ObjectKey(first + Int64($0)), to: &parts[index]) }
            }
        }
    }

    /// Adds one object.
    func add(_ key: ObjectKey) throws {
        for index in parts.indices { try add(key, to: &parts[index]) }
    }

    var results: [Value] { parts.map(Self.result) }

    private func add(_ leaf: Leaf, _ mask: SelectionMask, to part: inout Part) throws {
        switch part.function {
        case .minimum, .maximum:
            guard let bounds = leaf.bounds(mask, scratch: scratch) else { return }
            Self.improve(&part, part.function == .minimum ? bounds.minimum : bounds.maximum)
        case .sum, .average:
            switch leaf.kind {
            case .int:
                let (sum, count) = leaf.integerSum(mask, scratch: scratch)
                part.integers &+= sum
                part.count += count
            case .float, .double:
                let (sum, count) = leaf.floatingSum(mask, scratch: scratch)
                part.floating += sum
                part.count += count
            default: throw LeafError.kindMismatch
            }
        }
    }

    private func add(_ key: ObjectKey, to part: inout Part) throws {
        guard let value = try part.reader.single(key), !value.isNull else { return }
        switch value {
        case .float(let number):
            guard !number.isNaN else { return }
            part.floating += Double(number)
        case .double(let number):
            guard !number.isNaN else { return }
            part.floating += number
        case .int(let number): part.integers &+= Int128(number)
        default: break
        }
        part.count += 1
        Self.improve(&part, value)
    }

    private static func improve(_ part: inout Part, _ value: Value) {
        guard let best = part.best else {
            part.best = value
            return
        }
        let order = Value.order(value, best)
        if part.function == .minimum ? order < 0 : order > 0 { part.best = value }
    }

    private static func result(_ part: Part) -> Value {
        switch part.function {
        case .minimum, .maximum: return part.best ?? .null
        case .sum:
            return part.isInteger ? .int(Int64(truncatingIfNeeded: part.integers)) : .double(part.floating)
        case .average:
            guard part.count > 0 else { return .null }
            let sum = part.isInteger ? Double(part.integers) : part.floating
            return .double(sum / Double(part.count))
        }
    }
}
