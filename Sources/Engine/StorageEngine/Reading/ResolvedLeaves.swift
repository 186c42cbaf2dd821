import Columnar
import ObjectModel
import Synchronization

/// Leaves of a snapshot together with the addresses of their overflow values. Each is looked up once, when a query
/// first reads the column.
///
/// Sendable although it holds pointers: they are written under the lock, point to memory that nobody changes
/// afterwards, and are freed with the last reference, which the snapshot holds as long as its leaves are used.
final class ResolvedLeaves: @unchecked Sendable {
    private struct Address: Hashable {
        var leaf: LeafAddress
        var property: PropertyID
    }

    private let lock = Mutex(())
    private var leaves: [Address: Leaf] = [:]
    private var tables: [UnsafeMutableBufferPointer<UnsafeRawBufferPointer>] = []

    deinit { for table in tables { table.deallocate() } }

    func leaf(
        _ address: LeafAddress, _ property: PropertyID, resolve: () throws -> (Leaf, [UnsafeRawBufferPointer])
    ) throws -> Leaf {
        let address = Address(leaf: address, property: property)
        return try lock.withLock { _ in
            if let known = leaves[address] { return known }
            let (leaf, areas) = try resolve()
            let table = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: areas.count)
            _ = table.initialize(from: areas)
            tables.append(table)
            let resolved = leaf.resolving(UnsafeBufferPointer(table))
            leaves[address] = resolved
            return resolved
        }
    }
}
