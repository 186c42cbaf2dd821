import Columnar
import ObjectModel
import Synchronization

/// Where all leaves of a class lie in one snapshot: a field is then an array access instead of a tree descent.
///
/// 16 bytes per leaf and mask; building visits each once in key order (about 100 µs for a million objects of
/// six properties).
final class ClassDirectory: Sendable {
    private let liveMasks: [LiveMask?]
    private let leaves: [Leaf?]
    /// The place of a column within a cluster's row of `leaves`, by property number; -1 where the schema has none.
    private let columns: [Int]
    private let columnCount: Int

    init(liveMasks: [LiveMask?], leaves: [Leaf?], columns: [Int], columnCount: Int) {
        self.liveMasks = liveMasks
        self.leaves = leaves
        self.columns = columns
        self.columnCount = columnCount
    }

    func liveMask(_ cluster: Int) -> LiveMask? { liveMasks.indices.contains(cluster) ? liveMasks[cluster] : nil }

    func leaf(_ cluster: Int, _ property: PropertyID) -> Leaf? {
        let number = Int(property.rawValue)
        guard number < columns.count, columns[number] >= 0, liveMasks.indices.contains(cluster) else { return nil }
        return leaves[cluster * columnCount + columns[number]]
    }
}

/// Decides when a class's directory is worth building: at once for a small class, otherwise when single
/// look-ups have added up, because a point read right after a commit should not pay for the whole class.
final class DirectorySlot: Sendable {
    /// The bits of a retained reference, or 0. An `AtomicLazyReference` would say it better, but its loads go through
    /// run-time generics, which cost as much as scanning a cluster.
    private let directory = Atomic<UInt>(0)
    private let lookUps = Atomic<Int>(0)
    private let patience: Int

    init(clusterCount: Int) {
        patience = clusterCount <= 4 ? 0 : clusterCount
    }

    deinit { reference(directory.load(ordering: .relaxed))?.release() }

    var built: ClassDirectory? { reference(directory.load(ordering: .acquiring))?.takeUnretainedValue() }

    /// Notes a single look-up; true when it is time to build.
    func isDue() -> Bool { lookUps.add(1, ordering: .relaxed).newValue > patience }

    /// Keeps the directory for everybody; when another thread was faster, its directory is kept and returned.
    func publish(_ new: ClassDirectory) -> ClassDirectory {
        let retained = Unmanaged.passRetained(new)
        let bits = UInt(bitPattern: retained.toOpaque())
        let (exchanged, original) = directory.compareExchange(
            expected: 0, desired: bits, ordering: .acquiringAndReleasing)
        guard !exchanged else { return new }
        retained.release()
        return reference(original)?.takeUnretainedValue() ?? new
    }

    private func reference(_ bits: UInt) -> Unmanaged<ClassDirectory>? {
        UnsafeRawPointer(bitPattern: bits).map { Unmanaged.fromOpaque($0) }
    }
}
