import StoredRecords
import Columnar
package import ObjectModel
package import StoreContract

extension EmbeddedSnapshot {
    package func read<Sink: RowSink>(
        _ classID: ClassID, _ keys: [ObjectKey], _ properties: [PropertyID], into sink: inout Sink
    ) throws -> Int {
        let objectClass = try objectClass(classID)
        for property in properties where !objectClass.stores(property) {
            throw StoreError.unknownProperty(property, in: objectClass)
        }
        // Neighbouring keys mostly share a cluster, so its leaves are fetched once for the whole run.
        var current = -1
        var mask: LiveMask?
        var leaves: [Leaf] = []
        leaves.reserveCapacity(properties.count)
        for (index, key) in keys.enumerated() {
            if sink.isFull { return index }
            guard let (cluster, slot) = location(of: key, in: classID) else { continue }
            if cluster != current {
                current = cluster
                mask = try liveMask(of: classID, cluster: cluster)
                leaves.removeAll(keepingCapacity: true)
                if mask != nil {
                    for property in properties {
                        leaves.append(try storedLeaf(of: classID, cluster: cluster, property))
                    }
                }
            }
            guard let mask, mask.isLive(slot) else { continue }
            sink.beginObject(key)
            for column in leaves.indices {
                if leaves[column].isOverflow(slot) {
                    let address = OverflowTree.Address(classID: classID, property: properties[column], key: key)
                    guard try sink.wants({ try overflowBytes(address, leaves[column], slot) }) else {
                        sink.null(column)
                        continue
                    }
                    if sink.takesElements, leaves[column].kind == .list || leaves[column].kind == .set {
                        try emitElements(address, leaves[column].overflowSize(slot), column, into: &sink)
                    } else {
                        try emit(address, leaves[column].kind, column, into: &sink)
                    }
                } else {
                    Self.emit(leaves[column], slot, column, into: &sink)
                }
            }
            sink.endObject()
        }
        return keys.count
    }

    /// Emits a value that is stored outside the leaf.
    private func emit<Sink: RowSink>(
        _ address: OverflowTree.Address, _ kind: LeafKind, _ column: Int, into sink: inout Sink
    ) throws {
        switch kind {
        case .string:
            sink.string(column, try overflow(address) { try $0.bytes($1) }.assumingMemoryBound(to: UInt8.self))
        case .data:
            sink.data(column, try overflow(address) { try $0.bytes($1) }.assumingMemoryBound(to: UInt8.self))
        default: sink.value(column, try overflow(address) { try $0.value($1, kind) })
        }
    }

    /// The number of elements of a long collection that are in memory at a time.
    private static let elementsAtOnce = 8192

    /// Emits a list or set that is stored outside the leaf.
    private func emitElements<Sink: RowSink>(
        _ address: OverflowTree.Address, _ count: Int, _ column: Int, into sink: inout Sink
    ) throws {
        sink.beginElements(column)
        for start in stride(from: 0, to: count, by: Self.elementsAtOnce) {
            let range = start..<min(start + Self.elementsAtOnce, count)
            guard try sink.elements(overflow(address) { try $0.elements($1, range, hasKeys: false).values }) else {
                break
            }
        }
        sink.endElements()
    }

    private static func emit<Sink: RowSink>(_ leaf: Leaf, _ slot: Int, _ column: Int, into sink: inout Sink) {
        if leaf.isNull(slot) {
            sink.null(column)
            return
        }
        switch leaf.kind {
        case .bool: sink.bool(column, leaf.bool(at: slot))
        case .int: sink.int(column, leaf.int(at: slot))
        case .float: sink.float(column, leaf.float(at: slot))
        case .double: sink.double(column, leaf.double(at: slot))
        case .string: leaf.withUTF8(at: slot) { sink.string(column, $0) }
        case .date: sink.date(column, leaf.date(at: slot))
        case .objectId: sink.objectId(column, leaf.objectId(at: slot))
        case .uuid: sink.uuid(column, leaf.uuid(at: slot))
        case .link: sink.link(column, leaf.link(at: slot))
        case .data: sink.data(column, leaf.utf8(at: slot))
        case .decimal128: sink.decimal(column, leaf.decimal(at: slot))
        case .mixed, .list, .set, .map: sink.value(column, leaf.value(at: slot))
        }
    }
}
