/// The thread, serial queue or actor that an instance is confined to, and where its observers are called.
package protocol LiveScheduler: Sendable {
    /// Equal for two schedulers of the same thread, queue or actor.
    var id: LiveSchedulerID { get }

    /// Whether the calling code runs there.
    var isCurrent: Bool { get }

    /// What tells the scheduler's thread from all others, where it has one of its own and there is a quicker way to ask
    /// for that than `isCurrent`.
    var threadMark: UnsafeRawPointer? { get }

    /// Whether what is given to `run` will be run; asked there. False on a thread without a run loop.
    var canDeliver: Bool { get }

    /// Runs the job there soon, and not within this call. From any thread. Two jobs never run at the same time.
    func run(_ job: @escaping @Sendable () -> Void)
}

/// Tells schedulers apart. It keeps what identifies them alive, so that nothing else comes to look the same.
package struct LiveSchedulerID: Hashable, Sendable {
    private let object: any AnyObject & Sendable

    /// The same object stands for the same thread, queue or actor.
    package init(_ object: any AnyObject & Sendable) { self.object = object }

    package static func == (a: LiveSchedulerID, b: LiveSchedulerID) -> Bool { a.object === b.object }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}

extension LiveScheduler {
    package var threadMark: UnsafeRawPointer? { nil }
}
