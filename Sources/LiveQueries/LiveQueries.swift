import Dispatch
package import ObjectModel
package import QueryLanguage
package import StoreContract
import Synchronization

/// Keeps the results of queries current and tells their observers what became different.
///
/// Equal queries share one maintained result. All work is done on one thread of its own, so that writers only hand
/// over their change sets; when it falls behind, it takes everything that was committed meanwhile as one change.
/// Observers are called on that thread, one at a time: `deliver` must be quick, and must not wait for anything that
/// waits for this.
package final class LiveQueries: Sendable {
    private struct Inbox {
        var changes: [ChangeSet] = []
        var registrations: [LiveWork.Registration] = []
        var left: Set<LiveWork.Subject> = []
        var isScheduled = false
    }

    private let inbox = Mutex(Inbox())
    /// Taken on `queue` only, so never contended: it is here to prove that the work is not shared.
    private let work: Mutex<LiveWork>
    private let queue = DispatchQueue(label: "realmgate.live-queries")

    /// Begins to listen to the store. Throws when the store gives no snapshot.
    package init(_ store: any Store) throws {
        let listener = Listener()
        store.onCommit { changes in listener.forward(changes) }
        // Asked for after listening began, so that no version lies in between.
        let version = try store.snapshot().version
        work = Mutex(LiveWork(store, at: version))
        listener.attach(self)
    }

    /// Observes a query: `initial` when its result is known, then an update whenever the result became different.
    /// With key paths, an object counts as modified only when one of them leads to a change; without, when it or an
    /// object within three links was changed. `failed` when the query or a key path does not fit the schema.
    package func observe(
        _ query: BoundQuery, keyPaths: [LiveKeyPath] = [], deliver: @escaping @Sendable (LiveEvent) -> Void
    ) -> LiveToken {
        let subscriber = Subscriber(deliver)
        hand { $0.registrations.append(.query(query, keyPaths, subscriber)) }
        return LiveToken { [self] in
            subscriber.cancel()
            hand { $0.left.insert(.query(query)) }
        }
    }

    /// Observes one object: `initial`, then its changes until it is deleted. Without key paths, only assignments to
    /// its own stored properties count. `failed` with `notFound` when there is no such object.
    package func observeObject(
        _ classID: ClassID, _ key: ObjectKey, keyPaths: [LiveKeyPath] = [],
        deliver: @escaping @Sendable (LiveObjectEvent) -> Void
    ) -> LiveToken {
        let subscriber = Subscriber(deliver)
        hand { $0.registrations.append(.object(classID, key, keyPaths, subscriber)) }
        return LiveToken { [self] in
            subscriber.cancel()
            hand { $0.left.insert(.objects) }
        }
    }

    /// Waits until everything that was committed or registered before the call has been delivered. Not from
    /// `deliver`.
    package func settle() {
        queue.sync { run() }
    }

    /// The number of results that are maintained now, for metrics and tests.
    package var resultCount: Int {
        queue.sync { work.withLock { $0.resultCount } }
    }

    fileprivate func receive(_ changes: [ChangeSet]) {
        hand { $0.changes += changes }
    }

    private func hand(_ add: (inout Inbox) -> Void) {
        let mustSchedule = inbox.withLock { inbox in
            add(&inbox)
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if mustSchedule { queue.async { [self] in run() } }
    }

    /// On `queue`.
    private func run() {
        let taken = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox
        }
        work.withLock { work in
            work.take(changes: taken.changes, registrations: taken.registrations, left: taken.left)
            work.drain()
        }
    }
}

/// Stands between the store, which keeps its listeners for good, and live queries, which may go earlier.
private final class Listener: Sendable {
    private struct State {
        weak var target: LiveQueries?
        /// What came before there was a target.
        var early: [ChangeSet] = []
        var isAttached = false
    }

    private let state = Mutex(State())

    func attach(_ target: LiveQueries) {
        // Forwarding under the lock keeps what came early before what comes now.
        state.withLock { state in
            state.target = target
            state.isAttached = true
            target.receive(state.early)
            state.early = []
        }
    }

    func forward(_ changes: [ChangeSet]) {
        state.withLock { state in
            if state.isAttached { state.target?.receive(changes) } else { state.early += changes }
        }
    }
}
