/// The thread, serial queue or actor that an instance is confined to, and where its observers are called.
package protocol LiveScheduler: Sendable {
    /// Equal for two schedulers of the same thread, queue or actor.
    var id: LiveSchedulerID { get }

    /// Whether the calling code runs there.
    var isCurrent: Bool { get }

    /// Recognises the scheduler more quickly than `isCurrent`; asked for on the scheduler.
    var mark: SchedulerMark { get }

    /// Whether jobs given to `run` will be executed; called there. False on a thread without a run loop.
    var canDeliver: Bool { get }

    /// Runs the job there soon, and not within this call. From any thread. Two jobs never run at the same time.
    func run(_ job: @escaping @Sendable () -> Void)
}

/// Identifies a scheduler. It keeps the identifying object alive, so that its address is not reused.
package struct LiveSchedulerID: Hashable, Sendable {
    private let object: any AnyObject & Sendable

    /// The same object represents the same thread, queue or actor.
    package init(_ object: any AnyObject & Sendable) { self.object = object }

    package static func == (a: LiveSchedulerID, b: LiveSchedulerID) -> Bool { a.object === b.object }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}

extension LiveScheduler {
    package var mark: SchedulerMark { .unknown }
}
