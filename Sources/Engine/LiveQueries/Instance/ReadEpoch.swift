/// What is looked at before something is read that was kept of an instance's snapshot without holding it.
package struct ReadEpoch {
    /// Rises before what was read can be another thing than what is read next: with each version, and when whoever writes
    /// says so. Never 0.
    package fileprivate(set) var count: UInt = 1
    /// What `LiveScheduler.threadMark` gave.
    package let thread: UnsafeRawPointer?
}

/// Holds an instance's gate, which lies at one place as long as this lives.
///
/// Sendable although the gate is not: only the instance's scheduler changes it, and whoever keeps something of a snapshot
/// looks at it there. Elsewhere no more is to be learnt than that it is elsewhere, of the part that never changes.
package final class ReadEpochHolder: @unchecked Sendable {
    private let place: UnsafeMutablePointer<ReadEpoch>

    package init(thread: UnsafeRawPointer? = nil) {
        place = .allocate(capacity: 1)
        place.initialize(to: ReadEpoch(thread: thread))
    }

    deinit { place.deallocate() }

    package var epoch: UnsafePointer<ReadEpoch> { UnsafePointer(place) }
    package var count: UInt { place.pointee.count }
    package func rise() { place.pointee.count += 1 }
}
