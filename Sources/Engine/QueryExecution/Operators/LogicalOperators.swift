import Columnar
import ObjectModel

/// Keeps everything or nothing.
final class ConstantOperator: Operator {
    let value: Bool

    init(_ value: Bool) { self.value = value }

    var cost: Double { 0 }

    func share(of cluster: ClusterView) -> Double { value ? 1 : 0 }

    func candidateClusters() -> [Int]? { value ? nil : [] }

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) {
        if !value { mask.removeAll() }
    }

    func decidesByHeaders(_ cluster: ClusterView) -> Bool { true }

    func copy() -> any Operator { self }

    func words(_ names: ExplainNames) -> String { value ? "everything" : "nothing" }
}

/// Applies all of its operators, as long as anything is left. The first is the one that removes most for its cost.
final class AndOperator: Operator {
    var parts: [any Operator]
    private let samples: [ClusterView]

    /// `samples` are clusters from which the operators' selectivity is estimated; empty when there is nothing to
    /// choose.
    init(_ parts: [any Operator], samples: [ClusterView]) {
        self.parts = parts
        self.samples = samples
    }

    var cost: Double { parts.reduce(0) { $0 + $1.cost } }

    func share(of cluster: ClusterView) throws -> Double {
        try parts.reduce(1) { try $0 * $1.share(of: cluster) }
    }

    func prepare() throws {
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

    func candidateClusters() -> [Int]? {
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

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        for part in parts {
            try part.narrow(mask, in: cluster)
            if mask.isEmpty { return }
        }
    }

    func decidesByHeaders(_ cluster: ClusterView) throws -> Bool {
        // The other operators read nothing of a cluster that the first removes by its headers.
        guard let first = parts.first, try first.decidesByHeaders(cluster) else { return false }
        if try first.share(of: cluster) == 0 { return true }
        return try parts.allSatisfy { try $0.decidesByHeaders(cluster) }
    }

    func copy() -> any Operator { AndOperator(parts.map { $0.copy() }, samples: []) }

    func words(_ names: ExplainNames) -> String { "all of" }
}

/// Applies its operators, the cheapest first, each to the objects that the ones before it did not find.
final class OrOperator: Operator {
    var parts: [any Operator]
    private let capacity: Int
    private let rest: SelectionMask
    private let attempt: SelectionMask

    init(_ parts: [any Operator], capacity: Int) {
        self.parts = parts
        self.capacity = capacity
        rest = SelectionMask(capacity: capacity)
        attempt = SelectionMask(capacity: capacity)
    }

    var cost: Double { parts.reduce(0.1) { $0 + $1.cost } }

    func share(of cluster: ClusterView) throws -> Double {
        1 - (try parts.reduce(1) { try $0 * (1 - $1.share(of: cluster)) })
    }

    func prepare() throws {
        for part in parts { try part.prepare() }
        parts.sort { $0.cost < $1.cost }
    }

    func candidateClusters() -> [Int]? {
        var all: Set<Int> = []
        for part in parts {
            guard let clusters = part.candidateClusters() else { return nil }
            all.formUnion(clusters)
        }
        return all.sorted()
    }

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        rest.reset(to: mask)
        for part in parts {
            attempt.reset(to: rest)
            try part.narrow(attempt, in: cluster)
            rest.subtract(attempt)
            if rest.isEmpty { return }
        }
        mask.subtract(rest)
    }

    func decidesByHeaders(_ cluster: ClusterView) throws -> Bool {
        try parts.allSatisfy { try $0.decidesByHeaders(cluster) }
    }

    func copy() -> any Operator { OrOperator(parts.map { $0.copy() }, capacity: capacity) }

    func words(_ names: ExplainNames) -> String { "any of" }
}

/// Keeps the objects that its operator does not find.
final class NotOperator: Operator {
    private var inner: any Operator
    private let capacity: Int
    private let found: SelectionMask

    init(_ inner: any Operator, capacity: Int) {
        self.inner = inner
        self.capacity = capacity
        found = SelectionMask(capacity: capacity)
    }

    var cost: Double { inner.cost }

    var parts: [any Operator] {
        get { [inner] }
        set { if let first = newValue.first { inner = first } }
    }

    func share(of cluster: ClusterView) throws -> Double { 1 - (try inner.share(of: cluster)) }

    func prepare() throws { try inner.prepare() }

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        found.reset(to: mask)
        try inner.narrow(found, in: cluster)
        mask.subtract(found)
    }

    func decidesByHeaders(_ cluster: ClusterView) throws -> Bool { try inner.decidesByHeaders(cluster) }

    func copy() -> any Operator { NotOperator(inner.copy(), capacity: capacity) }

    func words(_ names: ExplainNames) -> String { "not" }
}
