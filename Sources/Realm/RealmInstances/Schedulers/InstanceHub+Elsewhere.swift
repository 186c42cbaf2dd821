package import Dispatch
package import ObjectModel

extension InstanceHub {
    /// Returns the instance of the calling thread, queue or actor, at the given version or a later one.
    private func instance(on scheduler: any LiveScheduler, from version: Version) throws -> LiveInstance {
        let instance = try instance(on: scheduler)
        if try instance.version < version { try instance.refresh() }
        return instance
    }

    /// Observes on a queue: calls `register` there with that queue's instance, some time after this returns. Changes
    /// before that moment are not reported individually. Throws `concurrentQueue`.
    ///
    /// - Parameters:
    ///   - version: the caller's version, so that the other instance is not behind the caller.
    ///   - failed: called on the queue with the error of `register`; then nothing is observed.
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

    /// Observes on an actor: calls `register` there with the actor's instance, before this returns. All later commits
    /// are reported. Returns an inactive token if the task was already cancelled.
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
