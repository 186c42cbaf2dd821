import CExecutor
package import LiveQueries

/// An actor, also a global one's `shared`.
package struct ActorScheduler: LiveScheduler {
    private let actor: any Actor
    /// The two words of the actor's executor.
    private let executor: (identity: UInt, implementation: UInt)

    package init(_ actor: any Actor) {
        self.actor = actor
        // An executor is these two words by definition of the runtime's interface.
        executor = unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    }

    package var id: LiveSchedulerID { LiveSchedulerID(actor) }
    package var isCurrent: Bool { executor_is_current(executor.identity, executor.implementation) }
    package var canDeliver: Bool { true }

    package func run(_ job: @escaping @Sendable () -> Void) {
        Task { [actor] in await Self.perform(job, on: actor) }
    }

    private static func perform(_ job: @Sendable () -> Void, on actor: isolated any Actor) { job() }
}
