import Columnar
import ObjectModel

/// A cluster whose leaves a write transaction has decoded: changed in memory as often as needed, written once.
final class OpenCluster {
    private(set) var liveMask: MutableLiveMask
    private(set) var isMaskDirty = false
    private var columns: [PropertyID: Column] = [:]

    private struct Column {
        var leaf: MutableLeaf
        var isDirty: Bool
    }

    init(liveMask: MutableLiveMask) { self.liveMask = liveMask }

    var isDirty: Bool { isMaskDirty || columns.values.contains { $0.isDirty } }

    func removeSlot(_ slot: Int) {
        liveMask.remove(slot)
        isMaskDirty = true
    }

    func restoreSlot(_ slot: Int) {
        liveMask.restore(slot)
        isMaskDirty = true
    }

    func appendSlot() {
        liveMask.append()
        isMaskDirty = true
    }

    func value(_ property: PropertyID, _ slot: Int, open: () throws -> MutableLeaf) throws -> Value {
        if let column = columns[property] { return column.leaf.value(at: slot) }
        let leaf = try open()
        columns[property] = Column(leaf: leaf, isDirty: false)
        return leaf.value(at: slot)
    }

    func change(
        _ property: PropertyID, open: () throws -> MutableLeaf, _ change: (inout MutableLeaf) throws -> Void
    ) throws {
        if columns[property] == nil { columns[property] = Column(leaf: try open(), isDirty: false) }
        guard let index = columns.index(forKey: property) else { return }
        try change(&columns.values[index].leaf)
        columns.values[index].isDirty = true
    }

    /// Hands out the changed leaves' bytes, column 0 being the live mask, and marks them clean.
    func writeDirty(_ write: (PropertyID, [UInt8]) throws -> Void) throws {
        if isMaskDirty {
            try write(FileFormat.liveMaskColumn, liveMask.encode())
            isMaskDirty = false
        }
        for (property, column) in columns where column.isDirty {
            try write(property, column.leaf.encode())
            columns[property]?.isDirty = false
        }
    }
}
