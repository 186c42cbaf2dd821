/// What the events of a stream have cost so far.
package struct StreamCost: Sendable, Equatable {
    /// The time that it took to keep the observed results current and to encode their events, for all streams that share
    /// them together.
    package var nanoseconds: Int64
    /// The largest number of streams that share one of these results, this stream included.
    package var sharedBy: Int

    package init(nanoseconds: Int64 = 0, sharedBy: Int = 1) {
        self.nanoseconds = nanoseconds
        self.sharedBy = sharedBy
    }

    /// What several results of one stream cost.
    package static func + (one: StreamCost, other: StreamCost) -> StreamCost {
        StreamCost(
            nanoseconds: one.nanoseconds + other.nanoseconds, sharedBy: max(one.sharedBy, other.sharedBy))
    }
}

/// What sends a stream its events, and knows their cost.
package protocol CostedStream: AnyObject, Sendable {
    /// Any thread may ask. Cost: a lock for each result.
    var cost: StreamCost { get }
}
