import Columnar

/// Everything or nothing.
final class ConstantOperator: Operator {
    private let value: Bool

    init(_ value: Bool) { self.value = value }

    var cost: Double { 0 }

    func candidateClusters() -> [Int]? { value ? nil : [] }

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) {
        if !value { mask.removeAll() }
    }

    func explain(_ names: Names) -> (line: String, children: [any Operator]) {
        (value ? "everything" : "nothing", [])
    }
}

/// All of its operators, the cheapest first, as long as anything is left.
final class AndOperator: Operator {
    private let operators: [any Operator]

    init(_ operators: [any Operator]) { self.operators = operators.sorted { $0.cost < $1.cost } }

    var cost: Double { operators.reduce(0) { $0 + $1.cost } }

    func candidateClusters() throws -> [Int]? {
        var best: [Int]?
        for part in operators {
            guard let clusters = try part.candidateClusters() else { continue }
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
        for part in operators {
            try part.narrow(mask, in: cluster)
            if mask.isEmpty { return }
        }
    }

    func explain(_ names: Names) -> (line: String, children: [any Operator]) { ("and", operators) }
}

/// Any of its operators, the cheapest first, each on what the ones before it did not find.
final class OrOperator: Operator {
    private let operators: [any Operator]
    private let rest: SelectionMask
    private let attempt: SelectionMask

    init(_ operators: [any Operator], capacity: Int) {
        self.operators = operators.sorted { $0.cost < $1.cost }
        rest = SelectionMask(capacity: capacity)
        attempt = SelectionMask(capacity: capacity)
    }

    var cost: Double { operators.reduce(1) { $0 + $1.cost } }

    func candidateClusters() throws -> [Int]? {
        var all: Set<Int>? = []
        for part in operators {
            if let clusters = try part.candidateClusters() { all?.formUnion(clusters) } else { all = nil }
        }
        return all?.sorted()
    }

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        rest.reset(to: mask)
        for part in operators {
            attempt.reset(to: rest)
            try part.narrow(attempt, in: cluster)
            rest.subtract(attempt)
            if rest.isEmpty { return }
        }
        mask.subtract(rest)
    }

    func explain(_ names: Names) -> (line: String, children: [any Operator]) { ("or", operators) }
}

/// What its operator does not find.
final class NotOperator: Operator {
    private let inner: any Operator
    private let found: SelectionMask

    init(_ inner: any Operator, capacity: Int) {
        self.inner = inner
        found = SelectionMask(capacity: capacity)
    }

    var cost: Double { inner.cost }

    func candidateClusters() throws -> [Int]? {
        // Gives the operator below its chance to prepare.
        _ = try inner.candidateClusters()
        return nil
    }

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        found.reset(to: mask)
        try inner.narrow(found, in: cluster)
        mask.subtract(found)
    }

    func explain(_ names: Names) -> (line: String, children: [any Operator]) { ("not", [inner]) }
}
