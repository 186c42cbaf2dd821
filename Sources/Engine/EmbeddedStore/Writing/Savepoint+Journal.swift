extension Savepoint.Step {
    /// The approximate size of the step in memory, in bytes.
    var sizeEstimate: Int {
        let values =
            switch self {
            case .created, .inserted: 0
            case .assigned(_, _, _, let old): old.sizeEstimate
            case .replaced(_, _, _, _, let old), .removed(_, _, _, _, _, let old): old.heapEstimate
            case .deleted(_, _, let row): row.reduce(0) { $0 + MemoryLayout<FormerValue>.stride + $1.sizeEstimate }
            case .kept(let key, let old, _): key.count + (old?.count ?? 0)
            }
        return MemoryLayout<Self>.stride + values
    }
}
