package import Columnar
package import ObjectModel
package import QueryOperators
package import StoreTesting

/// Objects by class and key, as the reference evaluator reads them. Keys need not be consecutive: the gaps are deleted
/// objects.
package struct Rows: RowSource, Sendable {
    package let schema: Schema
    package var objects: [ClassID: [ObjectKey: [PropertyID: Value]]] = [:]

    package init(schema: Schema) { self.schema = schema }

    package func keys(of classID: ClassID) -> [ObjectKey] { (objects[classID] ?? [:]).keys.sorted() }

    package func exists(_ classID: ClassID, _ key: ObjectKey) -> Bool { objects[classID]?[key] != nil }

    package func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) -> Value {
        objects[classID]?[key]?[property] ?? .null
    }
}

/// The same objects as leaves and live masks in memory.
package final class MemoryColumnSource: ColumnSource {
    private struct Cluster {
        let live: UnsafeRawBufferPointer
        let leaves: [PropertyID: UnsafeRawBufferPointer]
    }

    private struct Column: Hashable {
        let classID: ClassID
        let property: PropertyID
    }

    package let clusterCapacity: Int
    package let schema: Schema
    // Sendable: filled in `init` and only read afterwards.
    nonisolated(unsafe) private var clusters: [ClassID: [Cluster?]] = [:]
    nonisolated(unsafe) private var indexes: [Column: [Value: [ObjectKey]]] = [:]
    nonisolated(unsafe) private var links: [Column: [ObjectReference: [ObjectKey]]] = [:]
    nonisolated(unsafe) private var counts: [ClassID: Int] = [:]
    nonisolated(unsafe) private var buffers: [UnsafeMutableRawBufferPointer] = []

    package init(_ rows: Rows, clusterCapacity: Int = 64) throws {
        self.clusterCapacity = clusterCapacity
        schema = rows.schema
        for objectClass in rows.schema.classes {
            let objects = rows.objects[objectClass.id] ?? [:]
            counts[objectClass.id] = objects.count
            try addClusters(of: objectClass, objects)
            for property in objectClass.storedProperties {
                let column = Column(classID: objectClass.id, property: property.id)
                let isIndexed = property.isIndexed || property.name == objectClass.primaryKey
                for key in objects.keys.sorted() {
                    let value = objects[key]?[property.id] ?? .null
                    if isIndexed { indexes[column, default: [:]][value.distinctForm, default: []].append(key) }
                    for target in value.references(to: property.targetClass) {
                        links[column, default: [:]][target, default: []].append(key)
                    }
                }
                if isIndexed, indexes[column] == nil { indexes[column] = [:] }
            }
        }
    }

    deinit { for buffer in buffers { buffer.deallocate() } }

    private func addClusters(of objectClass: ClassSchema, _ objects: [ObjectKey: [PropertyID: Value]]) throws {
        let slots = Int((objects.keys.max()?.rawValue ?? -1) + 1)
        var found: [Cluster?] = []
        for first in stride(from: 0, to: slots, by: clusterCapacity) {
            let keys = (first..<min(slots, first + clusterCapacity)).map { ObjectKey(Int64($0)) }
            var live = MutableLiveMask()
            for (slot, key) in keys.enumerated() {
                live.append()
                if objects[key] == nil { live.remove(slot) }
            }
            guard live.liveCount > 0 else {
                found.append(nil)
                continue
            }
            var leaves: [PropertyID: UnsafeRawBufferPointer] = [:]
            for property in objectClass.storedProperties {
                guard let kind = LeafKind(property.type) else { continue }
                var leaf = MutableLeaf(kind: kind)
                for key in keys { try leaf.append(objects[key]?[property.id] ?? .null) }
                leaves[property.id] = keep(leaf.encode())
            }
            found.append(Cluster(live: keep(live.encode()), leaves: leaves))
        }
        clusters[objectClass.id] = found
    }

    /// Places the bytes at an odd multiple of two, as LMDB may.
    private func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + 2, alignment: 16)
        buffers.append(buffer)
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[2...])
        target.copyBytes(from: bytes)
        return UnsafeRawBufferPointer(target)
    }

    package func objectCount(of classID: ClassID) -> Int { counts[classID] ?? 0 }

    package func clusterCount(of classID: ClassID) -> Int { clusters[classID]?.count ?? 0 }

    package func liveMask(of classID: ClassID, cluster: Int) throws -> LiveMask? {
        try clusters[classID]?[cluster].map { try LiveMask(validating: $0.live) }
    }

    package func leaf(of classID: ClassID, cluster: Int, _ property: PropertyID) throws -> Leaf {
        guard let bytes = clusters[classID]?[cluster]?.leaves[property] else { throw LeafError.noSuchSlot }
        let kinds = LeafKind.allCases.filter { bytes[0] == $0.rawValue }
        guard let kind = kinds.first else { throw LeafError.malformed }
        return try Leaf(validating: bytes, kind: kind)
    }

    /// Nothing overflows here.
    package func overflowBlocks(
        of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) -> [(number: UInt32, count: Int)] { [] }

    package func overflowBlock(
        _ number: UInt32, of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    package func lookUp(_ value: Value, in classID: ClassID, _ property: PropertyID) -> [ObjectKey]? {
        indexes[Column(classID: classID, property: property)].map { $0[value.distinctForm] ?? [] }
    }

    package func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) -> [ObjectKey] {
        links[Column(classID: origin, property: property)]?[target] ?? []
    }
}

extension Value {
    /// The objects that the value links to, as often as it does; `target` is the class of a link property.
    fileprivate func references(to target: ClassID?) -> [ObjectReference] {
        switch self {
        case .link(let key): return target.map { [ObjectReference($0, key)] } ?? []
        case .reference(let object): return [object]
        case .list(let elements), .set(let elements): return elements.flatMap { $0.references(to: target) }
        case .dictionary(let map): return map.entries.flatMap { $0.value.references(to: target) }
        default: return []
        }
    }
}
