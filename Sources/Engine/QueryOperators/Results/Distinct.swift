import Columnar
package import ObjectModel
package import QueryLanguage

/// Keeps the first object of each combination of values; objects with a null link on a path are left out. Used by one
/// thread, for one pass.
package final class Distinct {
    private let numbering: CombinationNumbering
    private var seen: [Bool] = []

    package init(_ paths: [BoundPath], of classID: ClassID, in source: any ColumnSource) {
        numbering = CombinationNumbering(paths, from: classID, in: source, keepsNullLinks: false)
    }

    /// The first of each combination, at most `limit`.
    package func filter(_ keys: [ObjectKey], limit: Int) throws -> [ObjectKey] {
        var distinct: [ObjectKey] = []
        for key in keys {
            if distinct.count >= limit { break }
            if let number = try numbering.number(of: key), isFirst(number) { distinct.append(key) }
        }
        return distinct
    }

    /// Filters the matches of a scan in the same way.
    package func filter(_ scan: ClassScan, limit: Int, noting note: ((Int) -> Void)? = nil) throws -> [ObjectKey] {
        var distinct: [ObjectKey] = []
        let numbers = UnsafeMutablePointer<Int32>.allocate(capacity: scan.source.clusterCapacity)
        defer { numbers.deallocate() }
        try scan.forEachCluster(until: { distinct.count >= limit }) { cluster, mask in
            note?(mask.population)
            if try numbering.hasOnlyKnown(cluster, isKnown: { $0 < seen.count && seen[$0] }) { return }
            try scan.source.willHandle(mask.population)
            try numbering.fill(numbers, cluster, mask)
            while seen.count < numbering.count { seen.append(false) }
            let first = Int64(cluster.firstKey)
            seen.withUnsafeMutableBufferPointer { seen in
                mask.forEach { slot in
                    let number = Int(numbers[slot])
                    if number < 0 || seen[number] { return }
                    seen[number] = true
                    if distinct.count < limit { distinct.append(ObjectKey(first + Int64(slot))) }
                }
            }
        }
        return distinct
    }

    private func isFirst(_ number: Int) -> Bool {
        while seen.count <= number { seen.append(false) }
        if seen[number] { return false }
        seen[number] = true
        return true
    }
}
