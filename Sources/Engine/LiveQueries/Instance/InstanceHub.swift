package import Dispatch
import ObjectModel
package import StoreContract
import Synchronization

/// The instances of one store: hears of commits for all of them. There is one per store, made by whoever opens it,
/// because a store keeps its listeners until it is closed.
package final class InstanceHub: CommitReceiver {
    private struct Member {
        let scheduler: LiveSchedulerID
        let inbox: InstanceInbox
    }

    package let store: any Store
    package let isReadOnly: Bool
    private let members = Mutex<[Member]>([])
    /// Where first results are made.
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

    /// The store's instance of that thread, queue or actor, at the newest version if it is opened now: there is one
    /// as long as somebody holds it. To be called there; throws `incorrectThread`, and what the store throws.
    package func instance(on scheduler: any LiveScheduler) throws -> LiveInstance {
        guard scheduler.isCurrent else { throw InstanceError.incorrectThread }
        let id = scheduler.id
        // Under the lock, so that what is committed after the snapshot reaches the inbox.
        return try members.withLock { members in
            members.removeAll { $0.inbox.instance == nil }
            if let known = members.first(where: { $0.scheduler == id })?.inbox.instance { return known }
            let inbox = InstanceInbox(scheduler)
            let instance = LiveInstance(self, scheduler, inbox, at: try store.snapshot())
            members.append(Member(scheduler: id, inbox: inbox))
            return instance
        }
    }

    func receive(_ changes: [ChangeSet]) {
        let members = members.withLock { $0 }
        for member in members { member.inbox.receive(changes) { try? store.snapshot() } }
    }

    /// Has something made in the background, and the instance called in a turn after that.
    func prepare(_ preparation: SubjectPreparation, for inbox: InstanceInbox) {
        background.async {
            preparation.run()
            inbox.wake()
        }
    }
}
