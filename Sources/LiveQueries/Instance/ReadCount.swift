import Synchronization

/// Rises before what was read of an instance can be another thing than what is read next: with each version, and when
/// whoever writes says so. Who keeps something of a snapshot that is not held compares it first.
package final class ReadCount: Sendable {
    // Only the instance's scheduler changes it, and looks at it; atomic because instances are Sendable.
    private let count = Atomic<UInt>(1)

    package init() {}

    /// Never 0.
    @inline(__always)
    package var now: UInt { count.load(ordering: .relaxed) }

    package func rise() { count.add(1, ordering: .relaxed) }
}
