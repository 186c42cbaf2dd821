import Columnar
import ObjectModel
import Synchronization
import QueryOperators

/// Wraps an operator to measure it, for explanations. Copies for other threads share one total.
final class MeasuredOperator: Operator {
    /// The measurements of all copies.
    final class Totals: Sendable {
        let rowsIn = Atomic<Int>(0)
        let rowsOut = Atomic<Int>(0)
        let clustersRead = Atomic<Int>(0)
        let clustersSkipped = Atomic<Int>(0)
        let nanoseconds = Atomic<Int>(0)
    }

    private(set) var inner: any Operator
    let totals: Totals

    private init(_ inner: any Operator, _ totals: Totals) {
        self.inner = inner
        self.totals = totals
    }

    /// Wraps the operator and each below it, which must not be prepared yet.
    static func measuring(_ part: any Operator) -> MeasuredOperator {
        part.parts = part.parts.map { measuring($0) }
        return MeasuredOperator(part, Totals())
    }

    var cost: Double { inner.cost }

    func share(of cluster: ClusterView) throws -> Double { try inner.share(of: cluster) }

    func prepare() throws {
        let spent = try ContinuousClock().measure { try inner.prepare() }
        totals.nanoseconds.add(spent.wholeNanoseconds, ordering: .relaxed)
    }

    func candidateClusters() -> [Int]? { inner.candidateClusters() }

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        let asked = mask.population
        let skips = try inner.decidesByHeaders(cluster)
        let spent = try ContinuousClock().measure { try inner.narrow(mask, in: cluster) }
        totals.rowsIn.add(asked, ordering: .relaxed)
        totals.rowsOut.add(mask.population, ordering: .relaxed)
        if skips {
            totals.clustersSkipped.add(1, ordering: .relaxed)
        } else {
            totals.clustersRead.add(1, ordering: .relaxed)
        }
        totals.nanoseconds.add(spent.wholeNanoseconds, ordering: .relaxed)
    }

    func decidesByHeaders(_ cluster: ClusterView) throws -> Bool { try inner.decidesByHeaders(cluster) }

    func copy() -> any Operator { MeasuredOperator(inner.copy(), totals) }

    var parts: [any Operator] {
        get { inner.parts }
        set { inner.parts = newValue }
    }

    var innerClass: ClassID? { inner.innerClass }

    func words(_ names: ExplainNames) -> String { inner.words(names) }
}

extension Duration {
    var wholeNanoseconds: Int {
        Int(components.seconds) &* 1_000_000_000 &+ Int(components.attoseconds / 1_000_000_000)
    }
}
