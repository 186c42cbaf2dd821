import LMDBStorage
import ObjectModel

extension LMDBTransaction {
    /// The origins of the backlinks whose keys start with `prefix`, ascending; each as often as it links.
    func origins(_ database: LMDBDatabase, prefix: [UInt8], upTo limit: Int = .max) throws(LMDBError) -> [ObjectKey] {
        var origins: [ObjectKey] = []
        try scan(database, prefix: prefix) { key, value in
            // No file holds so many links of one object to another: a damaged count must not exhaust the memory.
            for _ in 0..<min(value.linkCount, 1 << 24) { origins.append(key.trailingObjectKey) }
            return origins.count < limit
        }
        return origins
    }
}
