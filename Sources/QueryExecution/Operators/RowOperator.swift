import Columnar
import ObjectModel

/// Tests one object after the other: property against property, counts, and what else has no column operator.
final class RowOperator: Operator {
    private let words: String
    private let holds: (ObjectKey) throws -> Bool

    init(words: String, _ holds: @escaping (ObjectKey) throws -> Bool) {
        self.words = words
        self.holds = holds
    }

    var cost: Double { 500 }

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        let first = Int64(cluster.firstKey)
        try mask.filter { try holds(ObjectKey(first + Int64($0))) }
    }

    func explain(_ names: Names) -> (line: String, children: [any Operator]) { ("row by row: \(words)", []) }
}
