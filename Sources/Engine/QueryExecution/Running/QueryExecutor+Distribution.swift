import Columnar
import ObjectModel
package import QueryLanguage
import QueryOperators
package import StoreContract

extension QueryExecutor {
    /// Counts the values at a path in intervals; see `Snapshot.distribution`.
    package func distribution(
        _ query: BoundQuery, of path: BoundPath, bounds: (ClosedRange<Double>) -> [Double]
    ) throws -> ValueDistribution {
        let selected = try chosen(query)
        /// Reads the values once, with `visit` for clusters and `each` for objects.
        func parts(
            _ bounds: [Double], _ visit: (Distribution, ClusterView, SelectionMask) throws -> Void,
            _ each: (Distribution, ObjectKey) throws -> Void
        ) throws -> [Distribution] {
            switch selected {
            case .scan(let scan):
                return try scan.inParts(cost: 2) { scan in
                    let part = Distribution(of: path, on: query.classID, in: source, bounds: bounds)
                    try scan.forEachCluster(handlesEach: true) { try visit(part, $0, $1) }
                    return part
                }
            case .keys(let keys):
                let all = Distribution(of: path, on: query.classID, in: source, bounds: bounds)
                for key in keys { try each(all, key) }
                return [all]
            }
        }
        // The intervals depend on all values, so these are read twice: keeping them would take memory for each.
        let ranges = try parts([], { try $0.extend($1, $2) }, { try $0.extend($1) })
        for part in ranges.dropFirst() { ranges[0].extend(part) }
        let chosenBounds = ranges[0].range.map(bounds) ?? []
        return try parts(chosenBounds, { try $0.count($1, $2) }, { try $0.count($1) })
            .reduce(into: ValueDistribution(bounds: chosenBounds)) { $0.merge($1.counted) }
    }
}
