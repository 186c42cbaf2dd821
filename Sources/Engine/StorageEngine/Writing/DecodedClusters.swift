import Columnar
import ObjectModel

/// The clusters that a write transaction has decoded, with a bound on their memory.
///
/// A cluster stays decoded until there are too many: where changes are scattered, each leaf is then decoded and written
/// once in a transaction, not once for each change.
final class DecodedClusters {
    /// What is used without retaining this object.
    struct State {
        /// Incremented when decoded clusters are released: pointers into them are then invalid.
        var arrangement = 0
        /// The approximate memory of the clusters, in bytes.
        var byteCount = 0
    }

    /// The memory at which all are written out, unless one cluster takes it: that would be written out for each change.
    private static let byteLimit = 64 << 20
    /// The number at which all are written out: a query within a transaction looks at each.
    private static let countLimit = 1024

    /// In separate memory, so that it is read without retaining the session.
    let state: UnsafeMutablePointer<State>
    private var clusters: [LeafAddress: MutableCluster] = [:]
    /// The cluster that was used last: neighbouring changes mostly go to the same one.
    private var current: (address: LeafAddress, cluster: MutableCluster)?

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit { state.deallocate() }

    /// Whether they take so much memory that they should be written out.
    var areTooMany: Bool {
        state.pointee.byteCount > Self.byteLimit && clusters.count > 1 || clusters.count > Self.countLimit
    }

    /// The cluster at an address; `open` makes it when it is not decoded.
    func cluster(_ address: LeafAddress, open: () throws -> MutableCluster) rethrows -> MutableCluster {
        if let current, current.address == address { return current.cluster }
        let cluster: MutableCluster
        if let known = clusters[address] {
            cluster = known
        } else {
            cluster = try open()
            clusters[address] = cluster
            state.pointee.byteCount += cluster.ownByteCount
        }
        current = (address, cluster)
        return cluster
    }

    /// The changed clusters in their order in the file.
    var dirty: [(address: LeafAddress, cluster: MutableCluster)] {
        clusters.filter { $0.value.isDirty }.sorted {
            ($0.key.classID, $0.key.cluster) < ($1.key.classID, $1.key.cluster)
        }.map { ($0.key, $0.value) }
    }

    /// Releases one cluster; nil when it is not decoded. Its memory stays in the count: it is one that a bulk load has
    /// filled, whose values were never in it.
    func release(_ address: LeafAddress) -> MutableCluster? {
        guard let cluster = clusters.removeValue(forKey: address) else { return nil }
        if current?.address == address { current = nil }
        state.pointee.arrangement += 1
        return cluster
    }

    /// Releases all clusters. They must have been written.
    func releaseAll() {
        clusters.removeAll(keepingCapacity: true)
        current = nil
        state.pointee.arrangement += 1
        state.pointee.byteCount = 0
    }
}
