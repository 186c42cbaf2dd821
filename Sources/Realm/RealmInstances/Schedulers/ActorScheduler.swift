import CExecutor

/// An actor, or the `shared` instance of a global actor.
package struct ActorScheduler: LiveScheduler {
    private let actor: any Actor
    /// The two words of the actor's executor reference.
    private let executor: (identity: UInt, implementation: UInt)

    package init(_ actor: any Actor) {
        self.actor = actor
        // The runtime's ABI defines an executor reference as these two words.
        executor = unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    }

    package var id: LiveSchedulerID { LiveSchedulerID(actor) }
    package var isCurrent: Bool { executor_is_current(executor.identity, executor.implementation) }
    package var mark: SchedulerMark {
        .actor(identity: executor.identity, implementation: executor.implementation)
    }
    package var canDeliver: Bool { true }

    package func run(_ job: @escaping @Sendable () -> Void) {
        Task { [actor] in await Self.perform(job, on: actor) }
    }

    private static func perform(_ job: @Sendable () -> Void, on actor: isolated any Actor) { job() }
}
