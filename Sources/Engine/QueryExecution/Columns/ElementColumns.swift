package import Columnar
package import ObjectModel
package import QueryLanguage
import QueryOperators

/// The elements of a list, set or map of values as columns in memory, so that queries on them are executed like those
/// on objects. The object keys are the positions.
package final class ElementColumns: ColumnSource {
    private struct Part: Sendable {
        let live: LiveMask
        let leaves: [PropertyID: Leaf]
        /// The memory of the columns.
        let memory: [ColumnMemory]
    }

    package let schema: Schema
    private let count: Int
    private let parts: [Part]

    /// - Parameters:
    ///   - values: the elements in their order; for a map the values in the order of its keys.
    ///   - keys: the keys of a map.
    package init(_ values: [Value], keys: [String] = [], of element: ElementClass) throws {
        schema = element.schema
        count = values.count
        parts = try stride(from: 0, to: values.count, by: Self.capacity).map { start in
            let range = start..<min(values.count, start + Self.capacity)
            var mask = MutableLiveMask()
            for _ in range { mask.append() }
            var memory = [ColumnMemory(mask.encode())]
            let live = try LiveMask(validating: memory[0].content)
            var leaves: [PropertyID: Leaf] = [:]
            func add(_ property: PropertySchema, _ values: some Sequence<Value>) throws {
                guard let kind = LeafKind(property.type) else { throw LeafError.kindMismatch }
                var leaf = MutableLeaf(kind: kind)
                for value in values { try leaf.append(value) }
                let bytes = ColumnMemory(leaf.encode())
                leaves[property.id] = try bytes.leaf(kind) { _ in UnsafeRawBufferPointer(start: nil, count: 0) }
                memory.append(bytes)
            }
            try add(element.value, values[range])
            if let key = element.key { try add(key, keys[range].map { .string($0) }) }
            return Part(live: live, leaves: leaves, memory: memory)
        }
    }

    private static let capacity = 1024

    package var clusterCapacity: Int { Self.capacity }

    package func objectCount(of classID: ClassID) -> Int { count }

    package func clusterCount(of classID: ClassID) -> Int { parts.count }

    package func liveMask(of classID: ClassID, cluster: Int) -> LiveMask? {
        parts.indices.contains(cluster) ? parts[cluster].live : nil
    }

    package func leaf(of classID: ClassID, cluster: Int, _ property: PropertyID) throws -> Leaf {
        guard parts.indices.contains(cluster), let leaf = parts[cluster].leaves[property] else {
            throw LeafError.noSuchSlot
        }
        return leaf
    }

    // Nothing overflows, is indexed or is linked to.

    package func overflowBlocks(
        of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) -> [(number: UInt32, count: Int)] { [] }

    package func overflowBlock(
        _ number: UInt32, of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> UnsafeRawBufferPointer { throw LeafError.noSuchSlot }

    package func lookUp(_ value: Value, in classID: ClassID, _ property: PropertyID) -> [ObjectKey]? { nil }

    package func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) -> [ObjectKey] { [] }
}
