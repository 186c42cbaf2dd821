import Synchronization

/// The time that a view has taken so far: to be made, and for the changes of each commit. Its observers share it.
final class ViewCost: Sendable {
    private let spent = Atomic<Int64>(0)

    var nanoseconds: Int64 { spent.load(ordering: .relaxed) }

    func add(_ nanoseconds: Int64) { spent.wrappingAdd(nanoseconds, ordering: .relaxed) }
}

/// What an observation costs: the time that its view has taken so far, for all of its observers together.
package final class LiveCost: Sendable {
    private let view = Mutex<ViewCost?>(nil)

    /// Nanoseconds, without those in which observers received events; 0 before there is a view. Any thread.
    package var nanoseconds: Int64 { view.withLock { $0 }?.nanoseconds ?? 0 }

    func follow(_ cost: ViewCost) { view.withLock { $0 = cost } }
}
