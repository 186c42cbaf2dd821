/// Validates pointers into an instance's snapshot that are cached without retaining the snapshot: readers check it
/// first.
package struct ReadEpoch {
    /// Increases before cached pointers may become invalid: with each version, and when a writer requests it. Never 0.
    package fileprivate(set) var count: UInt = 1
    /// The value of `LiveScheduler.threadMark`.
    package let thread: UnsafeRawPointer?
}

/// Holds an instance's epoch, whose address is fixed as long as this lives.
///
/// Sendable although the epoch is not: only the instance's scheduler changes it, and cached pointers are validated
/// there. Other threads only read the part that never changes, and learn from it that they are other threads.
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
