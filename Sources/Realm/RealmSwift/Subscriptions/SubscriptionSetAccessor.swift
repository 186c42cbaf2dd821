import Foundation
import ObjectModel
import StoreContract
import SyncEngine

/// The implementation of `SyncSubscriptionSet`: a realm's subscriptions at one revision, or during an update.
final class SubscriptionSetAccessor {
    let realm: RLMRealm
    let sync: FileSync
    private var revision: Int
    private var known: [SyncQuery]
    private var draft: SubscriptionDraft?

    /// Throws for a realm without a gateway.
    init(_ realm: RLMRealm) throws {
        guard let sync = realm.file?.sync else {
            throw RealmException("This Realm was not configured with flexible sync")
        }
        self.realm = realm
        self.sync = sync
        let view = sync.client.view
        revision = view.revision
        known = view.queries
    }

    /// The subscriptions, with their present states if the set is the latest one.
    var queries: [SyncQuery] {
        if let draft { return draft.queries }
        let view = sync.client.view
        return view.revision == revision ? view.queries : known
    }

    var state: SyncSubscriptionState {
        let view = sync.client.view
        guard view.revision == revision else { return .superseded }
        do {
            return try view.isComplete ? .complete : .pending
        } catch {
            return .error(error)
        }
    }

    /// Returns the class's stored name and the condition as the gateway accepts them. Throws for misuse.
    func read<T: RealmFetchable>(_ type: T.Type, _ form: PredicateForm) throws -> (className: String, filter: String) {
        let boundClass = try realm.bound(T._objectType)
        try boundClass.checkReadable()
        guard let objectClass = realm.models.schema[boundClass.id] else { throw StoreError.unknownClass(boundClass.id) }
        let predicate = try form.bound(to: objectClass, in: realm)
        return (boundClass.storedName, try QueryText.filter(predicate, of: boundClass, in: realm))
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
        guard draft == nil, sync.updates.begin() else {
            throw RealmException(
                "Cannot initiate a write transaction on subscription set that is already been updated.")
        }
        defer {
            draft = nil
            sync.updates.end()
        }
        draft = SubscriptionDraft(sync.client.view.queries)
        try block()
        guard let changed = draft else { return }
        (revision, known) = try sync.client.replaceSubscriptions(changed.queries)
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
