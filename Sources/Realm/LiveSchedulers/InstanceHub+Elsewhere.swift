package import Dispatch
package import LiveQueries
package import ObjectModel

extension InstanceHub {
    /// The instance of the calling thread, queue or actor, brought up to a version that the caller knows of already.
    private func instance(on scheduler: any LiveScheduler, from version: Version) throws -> LiveInstance {
        let instance = try instance(on: scheduler)
        if try instance.version < version { try instance.refresh() }
        return instance
    }

    /// Observes on a queue: `register` is called there, with that queue's instance, some time after this returns.
    /// Changes before that moment are not told as such. Throws `concurrentQueue`.
    ///
    /// - Parameters:
    ///   - version: the caller's, so that the other instance knows at least what the caller does.
    ///   - failed: is told on the queue what `register` threw; nobody observes then.
    package func observe(
        on queue: DispatchQueue, from version: Version,
        _ register: @escaping @Sendable (LiveInstance) throws -> InstanceToken,
        failed: @escaping @Sendable (any Error) -> Void
    ) throws -> InstanceToken {
        let place = try scheduler(of: queue)
        let token = InstanceToken()
        place.run { [weak token] in
            guard let token, token.isValid else { return }
            do {
                token.resolve(try register(self.instance(on: place, from: version)))
            } catch {
                failed(error)
            }
        }
        return token
    }

    /// Observes on an actor: `register` is called there, with the actor's instance, before this returns. All that is
    /// committed later is told. The token is a dead one when the task was cancelled before.
    package func observe<A: Actor>(
        on actor: A, from version: Version,
        _ register: @Sendable (isolated A, LiveInstance) throws -> InstanceToken
    ) async throws -> InstanceToken {
        guard !Task.isCancelled else {
            let token = InstanceToken()
            token.invalidate()
            return token
        }
        return try await registering(on: actor, from: version, register)
    }

    private func registering<A: Actor>(
        on actor: isolated A, from version: Version,
        _ register: @Sendable (isolated A, LiveInstance) throws -> InstanceToken
    ) throws -> InstanceToken {
        try register(actor, instance(on: scheduler(of: actor), from: version))
    }
}
