package import Dispatch
import LiveQueries
package import ObjectModel
package import StoreContract
import Synchronization

/// The instances of one store, for all of which it receives commits. Each store has one, created when the store is
/// opened, because a store keeps its listeners until it is closed.
package final class InstanceHub: CommitReceiver {
    private struct Member {
        let scheduler: LiveSchedulerID
        let inbox: InstanceInbox
    }

    package let store: any Store
    package let isReadOnly: Bool
    private let members = Mutex<[Member]>([])
    /// The queue that computes first results.
    private let background: DispatchQueue

    package init(
        _ store: any Store, isReadOnly: Bool = false,
        background: DispatchQueue = DispatchQueue(label: "realmgate.instances", attributes: .concurrent)
    ) {
        self.store = store
        self.isReadOnly = isReadOnly
        self.background = background
        let listener = CommitListener()
        store.onCommit { listener.forward($0) }
        listener.attach(self)
    }

    /// The store's instance of the given thread, queue or actor, at the newest version if it is opened now: there is
    /// one as long as it is referenced. Must be called there; throws `incorrectThread`, and the store's errors.
    package func instance(on scheduler: any LiveScheduler) throws -> LiveInstance {
        guard scheduler.isCurrent else { throw InstanceError.incorrectThread }
        let id = scheduler.id
        // Under the lock, so that change sets after the snapshot reach the inbox.
        return try members.withLock { members in
            members.removeAll { $0.inbox.instance == nil }
            if let known = members.first(where: { $0.scheduler == id })?.inbox.instance { return known }
            let inbox = InstanceInbox(scheduler)
            let instance = LiveInstance(self, scheduler, inbox, at: try store.snapshot())
            members.append(Member(scheduler: id, inbox: inbox))
            return instance
        }
    }

    package func receive(_ changes: [ChangeSet]) {
        let members = members.withLock { $0 }
        for member in members { member.inbox.receive(changes) { try? store.snapshot() } }
    }

    /// Runs a preparation in the background, and wakes the instance afterwards.
    func prepare(_ preparation: ViewPreparation, for inbox: InstanceInbox) {
        background.async {
            preparation.run()
            inbox.wake()
        }
    }
}

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
        let target = try scheduler(of: queue)
        let token = InstanceToken()
        target.run { [weak token] in
            guard let token, token.isValid else { return }
            do {
                token.resolve(try register(self.instance(on: target, from: version)))
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
