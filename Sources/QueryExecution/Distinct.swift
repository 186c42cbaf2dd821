import Columnar
import ObjectModel
import QueryLanguage

/// Keeps the first object of each combination of values. Used by one thread.
struct Distinct {
    private let readers: [PathReader]

    init(_ paths: [BoundPath], of classID: ClassID, in source: any ColumnSource) {
        readers = paths.map { PathReader($0, from: classID, in: source) }
    }

    /// The first of each combination, at most `limit`; objects with a null link on a path are left out.
    func filter(_ keys: [ObjectKey], limit: Int) throws -> [ObjectKey] {
        var seen: Set<[Value]> = []
        var kept: [ObjectKey] = []
        for key in keys where kept.count < limit {
            var values: [Value] = []
            for reader in readers {
                guard let value = try reader.single(key) else { break }
                values.append(value.distinctForm)
            }
            if values.count == readers.count, seen.insert(values).inserted { kept.append(key) }
        }
        return kept
    }
}
