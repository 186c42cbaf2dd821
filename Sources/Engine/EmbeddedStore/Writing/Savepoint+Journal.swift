import Columnar
import ObjectModel

extension Savepoint.Step {
    /// The approximate size of the step in memory, in bytes.
    var sizeEstimate: Int {
        func size(_ value: Value) -> Int {
            guard case .set(let elements) = value else { return ValueRecord.sizeEstimate(value) }
            return elements.reduce(0) { $0 + ValueRecord.sizeEstimate($1) }
        }
        let values =
            switch self {
            case .created, .inserted: 0
            case .assigned(_, _, _, let old), .replaced(_, _, _, _, let old), .removed(_, _, _, _, _, let old):
                size(old)
            case .deleted(_, _, let row): row.reduce(0) { $0 + MemoryLayout<Value>.stride + size($1) }
            case .kept(let key, let old, _): key.count + (old?.count ?? 0)
            }
        return MemoryLayout<Self>.stride + values
    }
}
