import Columnar
import ObjectModel
import Synchronization

/// Where all leaves of a class lie in one snapshot: a field is then an array access instead of a tree descent.
///
/// 16 bytes per leaf and mask. Building visits each entry once in key order, but looks at the live masks alone: the first
/// look at a leaf misses all caches, so a query right after a commit should pay for the columns that it reads only.
final class ClassDirectory: Sendable {
    /// Bytes in the map, which stay where they are as long as the snapshot lives.
    struct Place {
        var address: UInt = 0
        var count = 0

        init() {}

        init(_ bytes: UnsafeRawBufferPointer) {
            address = UInt(bitPattern: bytes.baseAddress)
            count = bytes.count
        }

        var bytes: UnsafeRawBufferPointer? {
            UnsafeRawPointer(bitPattern: address).map { UnsafeRawBufferPointer(start: $0, count: count) }
        }
    }

    private let liveMasks: [LiveMask?]
    private let places: [Place]
    private let kinds: [LeafKind]
    /// The place of a column within a cluster's row of `places`, by property number; -1 where the schema has none.
    private let columns: [Int]
    /// The leaves of each column, once it is worth keeping them.
    private let slots: [Published<ColumnLeaves>]

    init(liveMasks: [LiveMask?], places: [Place], kinds: [LeafKind], columns: [Int]) {
        self.liveMasks = liveMasks
        self.places = places
        self.kinds = kinds
        self.columns = columns
        // A few reads of single objects do not make it so.
        slots = kinds.map { _ in Published(patience: liveMasks.count / 8) }
    }

    func liveMask(_ cluster: Int) -> LiveMask? { liveMasks.indices.contains(cluster) ? liveMasks[cluster] : nil }

    /// Nil when there is none. Throws when it is damaged, or another of its column.
    func leaf(_ cluster: Int, _ property: PropertyID) throws(LeafError) -> Leaf? {
        let number = Int(property.rawValue)
        guard number < columns.count, columns[number] >= 0, liveMasks.indices.contains(cluster) else { return nil }
        let column = columns[number]
        let slot = slots[column]
        if let built = slot.value { return built.leaves[cluster] }
        guard slot.isDue() else { return try leaf(cluster, column: column) }
        var leaves: [Leaf?] = []
        leaves.reserveCapacity(liveMasks.count)
        for cluster in liveMasks.indices { leaves.append(try leaf(cluster, column: column)) }
        return slot.publish(ColumnLeaves(leaves)).leaves[cluster]
    }

    private func leaf(_ cluster: Int, column: Int) throws(LeafError) -> Leaf? {
        guard let bytes = places[cluster * kinds.count + column].bytes else { return nil }
        return try Leaf(validating: bytes, kind: kinds[column])
    }
}

/// The leaves of one column, by cluster.
final class ColumnLeaves: Sendable {
    let leaves: [Leaf?]

    init(_ leaves: [Leaf?]) { self.leaves = leaves }
}

/// Something that is made once, by whoever comes first, when it is worth it: at once, or when look-ups have added up,
/// because a point read right after a commit should not pay for a whole class.
final class Published<Value: AnyObject & Sendable>: Sendable {
    /// The bits of a retained reference, or 0. An `AtomicLazyReference` would say it better, but its loads go through
    /// run-time generics, which cost as much as scanning a cluster.
    private let bits = Atomic<UInt>(0)
    private let lookUps = Atomic<Int>(0)
    private let patience: Int

    init(patience: Int) { self.patience = patience }

    deinit { reference(bits.load(ordering: .relaxed))?.release() }

    @inline(__always)
    var value: Value? { reference(bits.load(ordering: .acquiring))?.takeUnretainedValue() }

    /// Notes a single look-up; true when it is time to make it.
    func isDue() -> Bool { lookUps.add(1, ordering: .relaxed).newValue > patience }

    /// Keeps the value for everybody; when another thread was faster, its value is kept and returned.
    func publish(_ new: Value) -> Value {
        let retained = Unmanaged.passRetained(new)
        let (exchanged, original) = bits.compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
        guard !exchanged else { return new }
        retained.release()
        return reference(original)?.takeUnretainedValue() ?? new
    }

    @inline(__always)
    private func reference(_ bits: UInt) -> Unmanaged<Value>? {
        UnsafeRawPointer(bitPattern: bits).map { Unmanaged.fromOpaque($0) }
    }
}
