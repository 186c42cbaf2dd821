import Columnar
package import ObjectModel

/// Lists, sets and maps by position. The one that was edited last stays decoded, so that many consecutive edits write
/// it once.
extension WriteSession {
    /// The collection, prepared for reads by position. Changes go through `edit`.
    func collection(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout
    ) throws -> MutableStoredCollection {
        let address = OverflowTree.Address(objectClass, key, column)
        if let open = openCollection, open.address == address { return open.collection }
        try boundMutableClusters()
        try closeCollection()
        let (cluster, slot) = location(objectClass, key)
        let leaves = try self.cluster(cluster, objectClass)
        let collection =
            try isOverflow(objectClass, key, column)
            ? try MutableStoredCollection(address, hasKeys: column.kind == .map, overflow)
            : MutableStoredCollection(
                try leaves.elements(column.position, slot) { try openLeaf(cluster, column) }, address, overflow)
        openCollection = (address, collection, objectClass, column)
        return collection
    }

    /// Inserts an element at a position.
    package func insert(
        _ value: Value, mapKey: String?, at position: Int, _ objectClass: MutableClass, _ key: ObjectKey,
        _ column: ColumnLayout
    ) throws {
        try poisoningOnError {
            try collection(objectClass, key, column).insert(value, key: mapKey, at: position)
            if column.hasReferences { try references.addElement(objectClass, key, column, value) }
        }
    }

    /// Replaces the element at a position; returns the old one.
    @discardableResult
    package func replace(
        at position: Int, with value: Value, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout
    ) throws -> Value {
        try poisoningOnError {
            let collection = try collection(objectClass, key, column)
            let old = try collection.value(at: position)
            try collection.replace(value, at: position)
            if column.hasReferences {
                try references.removeElement(objectClass, key, column, old)
                try references.addElement(objectClass, key, column, value)
            }
            return old
        }
    }

    /// Removes the element at a position; returns it.
    @discardableResult
    func removeElement(
        at position: Int, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout
    ) throws -> (value: Value, mapKey: String?) {
        try poisoningOnError {
            let collection = try collection(objectClass, key, column)
            let old = try collection.value(at: position)
            let mapKey = column.kind == .map ? try collection.key(at: position) : nil
            try collection.remove(at: position)
            if column.hasReferences { try references.removeElement(objectClass, key, column, old) }
            return (old, mapKey)
        }
    }

    /// Writes the collection that was edited last back.
    func closeCollection() throws {
        guard let open = openCollection else { return }
        openCollection = nil
        guard open.collection.isDirty else { return }
        let content: LeafContent
        switch try open.collection.writeBack() {
        case .inline(let bytes): content = .bytes(bytes)
        case .blocks(let count): content = .overflow(count)
        }
        let (address, slot) = location(open.objectClass, open.address.key)
        decoded.state.pointee.byteCount += content.byteCount
        try cluster(address, open.objectClass).set(slot, content, open.column.position) {
            try openLeaf(address, open.column)
        }
    }
}
