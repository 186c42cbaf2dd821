import Columnar
import ObjectModel
import Synchronization

/// The addresses of all leaves of a class in one snapshot: reading a field then takes an array access instead of a tree
/// descent.
///
/// 16 bytes per leaf and mask. Building visits each entry once in key order, but reads only the live masks: the first
/// read of a leaf misses all caches, so a query right after a commit should pay only for the columns that it reads.
final class ClassDirectory: Sendable {
    /// Bytes in the map, whose address is fixed as long as the snapshot lives.
    struct MappedBytes {
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
    private let leaves: [MappedBytes]
    private let kinds: [LeafKind]
    /// The index of a column within a cluster's row of `leaves`, by property number; -1 where the schema has none.
    private let columns: [Int]
    /// The leaves of each column, once they are worth caching.
    private let slots: [Published<ColumnLeaves>]
    /// The same, to be read without counting references: those counters are shared by all threads that read the class.
    private let borrowedSlots: [Borrowed<Published<ColumnLeaves>>]

    init(liveMasks: [LiveMask?], leaves: [MappedBytes], kinds: [LeafKind], columns: [Int]) {
        self.liveMasks = liveMasks
        self.leaves = leaves
        self.kinds = kinds
        self.columns = columns
        // A few reads of single objects do not justify it.
        slots = kinds.map { _ in Published(patience: liveMasks.count / 8) }
        borrowedSlots = slots.map { Borrowed($0) }
    }

    func liveMask(_ cluster: Int) -> LiveMask? { liveMasks.indices.contains(cluster) ? liveMasks[cluster] : nil }

    func hasColumn(_ property: PropertyID) -> Bool {
        let number = Int(property.rawValue)
        return number < columns.count && columns[number] >= 0
    }

    /// Returns nil when there is none. Throws when this leaf, or another of its column, is damaged.
    func leaf(_ cluster: Int, _ property: PropertyID) throws(LeafError) -> Leaf? {
        guard hasColumn(property), liveMasks.indices.contains(cluster) else { return nil }
        let column = columns[Int(property.rawValue)]
        if let built = borrowedSlots[column].with({ $0.borrowed }) { return built.with { $0.leaves[cluster] } }
        let slot = slots[column]
        guard slot.isDue() else { return try leaf(cluster, column: column) }
        var leaves: [Leaf?] = []
        leaves.reserveCapacity(liveMasks.count)
        for cluster in liveMasks.indices { leaves.append(try leaf(cluster, column: column)) }
        return slot.publish(ColumnLeaves(leaves)).leaves[cluster]
    }

    private func leaf(_ cluster: Int, column: Int) throws(LeafError) -> Leaf? {
        guard let bytes = leaves[cluster * kinds.count + column].bytes else { return nil }
        return try Leaf(validating: bytes, kind: kinds[column])
    }
}

/// The leaves of one column, by cluster.
final class ColumnLeaves: Sendable {
    let leaves: [Leaf?]

    init(_ leaves: [Leaf?]) { self.leaves = leaves }
}

/// A reference to an object that another one keeps alive for as long as this is used.
struct Borrowed<Value: AnyObject & Sendable>: @unchecked Sendable {
    /// The object is `Sendable`, and neither retained nor released here.
    private let reference: Unmanaged<Value>

    init(_ value: Value) { reference = Unmanaged.passUnretained(value) }

    fileprivate init(_ reference: Unmanaged<Value>) { self.reference = reference }

    /// The underscore is the standard library's. With what it documents instead, an `unowned(unsafe)` property or
    /// `takeUnretainedValue()`, Swift 6.3 still retains and releases around each read of a leaf: 46 and 41 instructions
    /// in place of 24, some of them on counters that all threads share.
    @inline(__always)
    func with<R>(_ body: (Value) throws -> R) rethrows -> R { try reference._withUnsafeGuaranteedRef(body) }
}

/// An object that is made once, by the first thread that finds it worthwhile: at once, or when look-ups have added up,
/// because a point read right after a commit should not pay for a whole class.
final class Published<Value: AnyObject & Sendable>: Sendable {
    /// The bits of a retained reference, or 0. An `AtomicLazyReference` would be clearer, but its loads go through
    /// run-time generics, which cost as much as scanning a cluster.
    private let bits = Atomic<UInt>(0)
    private let lookUps = Atomic<Int>(0)
    private let patience: Int

    init(patience: Int) { self.patience = patience }

    deinit { reference(bits.load(ordering: .relaxed))?.release() }

    /// The object, for as long as this one lives.
    @inline(__always)
    var borrowed: Borrowed<Value>? { reference(bits.load(ordering: .acquiring)).map { Borrowed($0) } }

    /// Counts a single look-up; returns true when it is time to make the object.
    func isDue() -> Bool { lookUps.add(1, ordering: .relaxed).newValue > patience }

    /// Stores the value for all threads; when another thread was faster, its value is kept and returned.
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
