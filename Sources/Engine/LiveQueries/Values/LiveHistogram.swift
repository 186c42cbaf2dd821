package import ObjectModel
import QueryOperators
package import QueryLanguage
package import StoreContract
import ViewMaintenance

/// An answer that counts the values at a path in intervals, so that it need not be read again after each change.
package struct LiveHistogram: Sendable {
    let path: BoundPath
    let bounds: @Sendable (ClosedRange<Double>) -> [Double]
    let write: @Sendable (ValueDistribution) -> [UInt8]

    /// - Parameters:
    ///   - bounds: returns those of the intervals for values in a range.
    ///   - write: gives the form of the answer that its source reads.
    package init(
        of path: BoundPath, bounds: @escaping @Sendable (ClosedRange<Double>) -> [Double],
        write: @escaping @Sendable (ValueDistribution) -> [UInt8]
    ) {
        self.path = path
        self.bounds = bounds
        self.write = write
    }
}

/// The counts of a histogram of a query's result, kept current. Used by one thread at a time.
struct MaintainedHistogram {
    private let histogram: LiveHistogram
    private let dependencies: QueryDependencies
    private let quick: ValuePredicate
    private var tally: DistributionTally

    /// Reads the result; nil if it cannot be kept current object by object.
    init?(_ histogram: LiveHistogram, of query: BoundQuery, _ snapshot: any Snapshot) throws {
        // Which objects are counted must not depend on others.
        guard query.steps.allSatisfy({ if case .sort = $0 { true } else { false } }) else { return nil }
        dependencies = try QueryDependencies(query, alsoReading: [histogram.path], schema: snapshot.schema)
        guard dependencies.maintenance == .incremental else { return nil }
        self.histogram = histogram
        quick = ValuePredicate(query.predicate)
        var resolved = try query.resolved(snapshot)
        resolved.steps = []
        tally = try DistributionTally(resolved, of: histogram.path, snapshot, bounds: histogram.bounds)
    }

    var bytes: [UInt8] { histogram.write(tally.distribution) }

    /// Advances to a later version under the same schema; false if that is not possible, and this must not be used
    /// again.
    mutating func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws -> Bool {
        try VersionDelta.ifRetained {
            guard !dependencies.mayRename(step.changes),
                case .objects(let affectedKeys) = try dependencies.affectedKeys(in: step)
            else { return false }
            return try tally.advance(by: step, affectedKeys, quick: quick, snapshot) {
                try dependencies.count(of: $0, in: $1)
            }
        } ?? false
    }
}
