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
