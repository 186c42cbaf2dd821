package import Columnar
import ObjectModel

/// Keeps everything or nothing.
package final class ConstantOperator: Operator {
    package let value: Bool

    package init(_ value: Bool) { self.value = value }

    package var cost: Double { 0 }

    package func share(of cluster: ClusterView) -> Double { value ? 1 : 0 }

    package func candidateClusters() -> [Int]? { value ? nil : [] }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) {
        if !value { mask.removeAll() }
    }

    package func decidesByHeaders(_ cluster: ClusterView) -> Bool { true }

    package func copy() -> any Operator { self }

    package func words(_ names: ExplainNames) -> String { value ? "everything" : "nothing" }
}

/// Applies all of its operators, as long as anything is left. The first is the one that removes most for its cost.
package final class AndOperator: Operator {
    package var parts: [any Operator]
    private let samples: [ClusterView]

    /// `samples` are clusters from which the operators' selectivity is estimated; empty when there is nothing to
    /// choose.
    package init(_ parts: [any Operator], samples: [ClusterView]) {
        self.parts = parts
        self.samples = samples
    }

    package var cost: Double { parts.reduce(0) { $0 + $1.cost } }

    package func share(of cluster: ClusterView) throws -> Double {
        try parts.reduce(1) { try $0 * $1.share(of: cluster) }
    }

    package func prepare() throws {
        parts.sort { $0.cost < $1.cost }
        for (index, part) in parts.enumerated() {
            try part.prepare()
            if part.candidateClusters() == [] {
                // Nothing can match: the others need not be prepared.
                parts = [parts[index]]
                return
            }
        }
        var ranks: [(rank: Double, part: any Operator)] = []
        for part in parts {
            var share = 0.0
            for sample in samples { share += try part.share(of: sample) }
            if !samples.isEmpty { share /= Double(samples.count) }
            ranks.append((part.cost / max(0.001, 1 - share), part))
        }
        parts = ranks.sorted { $0.rank < $1.rank }.map(\.part)
    }

    package func candidateClusters() -> [Int]? {
        var best: [Int]?
        for part in parts {
            guard let clusters = part.candidateClusters() else { continue }
            if let known = best {
                let other = Set(clusters)
                best = known.filter(other.contains)
            } else {
                best = clusters
            }
        }
        return best
    }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        for part in parts {
            try part.narrow(mask, in: cluster)
            if mask.isEmpty { return }
        }
    }

    package func decidesByHeaders(_ cluster: ClusterView) throws -> Bool {
        // The other operators read nothing of a cluster that the first removes by its headers.
        guard let first = parts.first, try first.decidesByHeaders(cluster) else { return false }
        if try first.share(of: cluster) == 0 { return true }
        return try parts.allSatisfy { try $0.decidesByHeaders(cluster) }
    }

    package func copy() -> any Operator { AndOperator(parts.map { $0.copy() }, samples: []) }

    package func words(_ names: ExplainNames) -> String { "all of" }
}

/// Applies its operators, the cheapest first, each to the objects that the ones before it did not find.
package final class OrOperator: Operator {
    package var parts: [any Operator]
    private let capacity: Int
    private let rest: SelectionMask
    private let attempt: SelectionMask

    package init(_ parts: [any Operator], capacity: Int) {
        self.parts = parts
        self.capacity = capacity
        rest = SelectionMask(capacity: capacity)
        attempt = SelectionMask(capacity: capacity)
    }

    package var cost: Double { parts.reduce(0.1) { $0 + $1.cost } }

    package func share(of cluster: ClusterView) throws -> Double {
        1 - (try parts.reduce(1) { try $0 * (1 - $1.share(of: cluster)) })
    }

    package func prepare() throws {
        for part in parts { try part.prepare() }
        parts.sort { $0.cost < $1.cost }
    }

    package func candidateClusters() -> [Int]? {
        var all: Set<Int> = []
        for part in parts {
            guard let clusters = part.candidateClusters() else { return nil }
            all.formUnion(clusters)
        }
        return all.sorted()
    }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        rest.reset(to: mask)
        for part in parts {
            attempt.reset(to: rest)
            try part.narrow(attempt, in: cluster)
            rest.subtract(attempt)
            if rest.isEmpty { return }
        }
        mask.subtract(rest)
    }

    package func decidesByHeaders(_ cluster: ClusterView) throws -> Bool {
        try parts.allSatisfy { try $0.decidesByHeaders(cluster) }
    }

    package func copy() -> any Operator { OrOperator(parts.map { $0.copy() }, capacity: capacity) }

    package func words(_ names: ExplainNames) -> String { "any of" }
}

/// Keeps the objects that its operator does not find.
package final class NotOperator: Operator {
    private var inner: any Operator
    private let capacity: Int
    private let found: SelectionMask

    package init(_ inner: any Operator, capacity: Int) {
        self.inner = inner
        self.capacity = capacity
        found = SelectionMask(capacity: capacity)
    }

    package var cost: Double { inner.cost }

    package var parts: [any Operator] {
        get { [inner] }
        set { if let first = newValue.first { inner = first } }
    }

    package func share(of cluster: ClusterView) throws -> Double { 1 - (try inner.share(of: cluster)) }

    package func prepare() throws { try inner.prepare() }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        found.reset(to: mask)
        try inner.narrow(found, in: cluster)
        mask.subtract(found)
    }

    package func decidesByHeaders(_ cluster: ClusterView) throws -> Bool { try inner.decidesByHeaders(cluster) }

    package func copy() -> any Operator { NotOperator(inner.copy(), capacity: capacity) }

    package func words(_ names: ExplainNames) -> String { "not" }
}
