import Foundation
import ObjectModel
import StoreContract
import Synchronization

/// The implementation of `SyncSubscriptionSet`: a realm's subscriptions at one revision, or during an update.
final class SubscriptionSetAccessor {
    private let realm: RLMRealm
    let client: SyncClient
    private var revision: Int
    private var known: [SyncQuery]
    private var draft: SubscriptionDraft?

    /// Throws for a realm without a gateway.
    init(_ realm: RLMRealm) throws {
        guard let client = realm.file?.sync else {
            throw RealmException("This Realm was not configured with flexible sync")
        }
        self.realm = realm
        self.client = client
        let syncState = client.stateStore.syncState
        revision = syncState.revision
        known = syncState.queries
    }

    /// The subscriptions, with their present states if the set is the latest one.
    var queries: [SyncQuery] {
        if let draft { return draft.queries }
        let syncState = client.stateStore.syncState
        return syncState.revision == revision ? syncState.queries : known
    }

    var state: SyncSubscriptionState {
        let syncState = client.stateStore.syncState
        guard syncState.revision == revision else { return .superseded }
        do {
            return try syncState.isComplete ? .complete : .pending
        } catch {
            return .error(error)
        }
    }

    /// Returns the class's stored name and the condition as the gateway accepts them. Throws for misuse.
    func read<T: RealmFetchable>(_ type: T.Type, _ form: PredicateForm) throws -> (className: String, filter: String) {
        let boundClass = try realm.bound(T._objectType)
        guard let objectClass = realm.models.schema[boundClass.id] else { throw StoreError.unknownClass(boundClass.id) }
        let predicate = try form.bound(to: objectClass, in: realm)
        return (boundClass.name, try QueryText.filter(predicate, of: boundClass, in: realm))
    }

    /// Changes the set within an update.
    func edit<R>(_ body: (inout SubscriptionDraft) throws -> R) throws -> R {
        guard var edited = draft else {
            throw RealmException(
                "Can only add, remove, or update subscriptions within a write subscription block.")
        }
        defer { draft = edited }
        return try body(&edited)
    }

    /// Runs the block and stores its changes to the set. Throws for misuse, and the errors of the store.
    func update(_ block: () throws -> Void) throws {
        guard realm.transaction == nil else {
            throw RealmException("Cannot update subscriptions within a write transaction of the Realm.")
        }
        guard draft == nil, client.updates.begin() else {
            throw RealmException(
                "Cannot initiate a write transaction on subscription set that is already been updated.")
        }
        defer {
            draft = nil
            client.updates.end()
        }
        draft = SubscriptionDraft(client.stateStore.syncState.queries)
        try block()
        guard let changed = draft else { return }
        let result = try client.stateStore.write { syncState, _ in
            let queries = syncState.take(changed)
            return (syncState.revision, queries)
        }
        let isNew = result.0 != revision
        (revision, known) = result
        if isNew { client.subscriptionsChanged() }
    }
}

extension SyncView {
    /// Whether the data of all subscriptions has arrived. Throws if the gateway has rejected one of them.
    var isComplete: Bool {
        get throws {
            for query in queries {
                if let failure = query.failure { throw failure }
            }
            return !queries.contains { $0.state == .pending }
        }
    }
}

extension SyncQuery {
    var failure: Realm.Error? {
        guard case .failed(_, let message) = state else { return nil }
        return Realm.Error(.subscriptionFailed, message)
    }
}

/// Serialises updates of the subscriptions.
final class SubscriptionUpdates: Sendable {
    private let lock = NSLock()
    /// The thread that is updating; 0 for none.
    private let owner = Atomic<UInt>(0)

    private static var thread: UInt { UInt(bitPattern: Int(pthread_self())) }

    /// Waits for updates by other threads. Returns false within an update by this thread.
    func begin() -> Bool {
        guard owner.load(ordering: .acquiring) != Self.thread else { return false }
        lock.lock()
        owner.store(Self.thread, ordering: .releasing)
        return true
    }

    func end() {
        owner.store(0, ordering: .releasing)
        lock.unlock()
    }
}
