import ObjectModel
import Synchronization

/// All links between objects, found by reading every value of a property once and cached from then on: the source must
/// not change.
final class IncomingLinkTable: Sendable {
    private struct Column: Hashable {
        let origin: ClassID
        let property: PropertyID
        let target: ClassID
    }

    private let known = Mutex<[Column: [ObjectKey: [ObjectKey]]]>([:])

    /// The objects of `origin` whose `property`, of links or mixed values, leads to the object: ascending, each as
    /// often as it does.
    func origins(
        to key: ObjectKey, of target: ClassID, from origin: ClassID, _ property: PropertyID, in source: some RowSource
    ) throws -> [ObjectKey] {
        let column = Column(origin: origin, property: property, target: target)
        if let table = known.withLock({ $0[column] }) { return table[key] ?? [] }
        var table: [ObjectKey: [ObjectKey]] = [:]
        for holder in try source.keys(of: origin) {
            for linked in Self.links(try source.value(origin, holder, property), to: target) {
                table[linked, default: []].append(holder)
            }
        }
        let found = table[key] ?? []
        known.withLock { $0[column] = table }
        return found
    }

    private static func links(_ value: Value, to target: ClassID) -> [ObjectKey] {
        switch value {
        case .link(let key): return [key]
        case .reference(let reference): return reference.classID == target ? [reference.key] : []
        case .list(let elements), .set(let elements): return elements.flatMap { links($0, to: target) }
        case .dictionary(let map): return map.entries.flatMap { links($0.value, to: target) }
        default: return []
        }
    }
}
