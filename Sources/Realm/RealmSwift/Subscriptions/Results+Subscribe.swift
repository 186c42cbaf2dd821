public import Foundation
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract
import SyncEngine

extension Results {
    /// Subscribes to the condition of these results, so that the realm downloads the gateway's objects that satisfy it.
    /// Waits for them as `waitForSync` says. Returns these results, with their conditions and order.
    ///
    /// - Without a name, an unnamed subscription to the same query is reused; named ones are ignored.
    /// - With a name, creates the subscription with that name, or changes its query if it differs. Unnamed ones are
    ///   ignored.
    ///
    /// - Parameters:
    ///   - waitForSync: see `WaitForSyncMode`.
    ///   - timeout: the maximum time to wait, in seconds. The subscription stays after it.
    ///
    /// Throws `Realm.Error` with the code `subscriptionFailed` if the gateway rejects the query or the timeout elapses,
    /// and `CancellationError`. Requires a realm of the main actor or of another actor; traps for other realms, for realms
    /// without a gateway, for classes without a primary key, and for results that are not a query of a class's objects.
    @discardableResult
    public func subscribe(
        name: String? = nil, waitForSync: WaitForSyncMode = .onCreation, timeout: TimeInterval? = nil,
        _isolation: isolated (any Actor)? = #isolation
    ) async throws -> Results<Element> {
        let (client, id, changed) = trapOnError { () -> (SyncClient, Int, Bool) in
            let results = try subscribable()
            try results.realm.checkAwaitable("`subscribe`")
            let set = try SubscriptionSetAccessor(results.realm)
            let (className, filter) = try results.subscription()
            var outcome = (index: 0, changed: false)
            try set.update {
                outcome = try set.edit { $0.subscribe(name, className, filter) }
            }
            results.subscriptionName = name
            return (set.sync.client, set.queries[outcome.index].id, outcome.changed)
        }
        switch waitForSync {
        case .never: return self
        case .onCreation: guard changed else { return self }
        case .always: break
        }
        let start = ContinuousClock.now
        do {
            try await client.wait(timeout: timeout) { view -> Void? in
                guard let query = view.queries.first(where: { $0.id == id }) else { return () }
                if let failure = query.failure { throw failure }
                return query.state == .complete ? () : nil
            }
            if waitForSync == .always, !changed {
                let rest = timeout.map { Swift.max(0, $0 - (ContinuousClock.now - start) / .seconds(1)) }
                try await client.download(timeout: rest)
            }
        } catch let fault as FollowerFault {
            throw fault.published
        }
        trapOnError { _ = try (accessor as? ResultsAccessor)?.realm.live.refresh() }
        return self
    }

    /// Removes the named subscription that `subscribe` created for these results; if there is none, the unnamed
    /// subscription to the same query. Does nothing if neither exists. The objects are removed once the gateway has
    /// confirmed and if no other subscription matches them; the results remain usable.
    public func unsubscribe() {
        trapOnError {
            let results = try subscribable()
            let set = try SubscriptionSetAccessor(results.realm)
            let name = results.subscriptionName
            let (className, filter) = try results.subscription()
            try set.update {
                try set.edit { draft in
                    _ = draft.remove { query in
                        name == nil ? query.name == nil && query.asks(className, filter) : query.name == name
                    }
                }
            }
            results.subscriptionName = nil
        }
    }

    private func subscribable() throws -> ResultsAccessor {
        guard let results = accessor as? ResultsAccessor, case .all = results.query.scope else {
            throw RealmException("Only queries of a class's objects can be subscribed to.")
        }
        try results.check()
        return results
    }
}

extension ResultsAccessor {
    /// Returns the class and the condition as the gateway accepts them.
    fileprivate func subscription() throws -> (className: String, filter: String) {
        for case .distinct in query.steps {
            throw RealmException("Distinct results cannot be subscribed to: subscribe before 'distinct'.")
        }
        let boundClass = try realm.bound(query.classID)
        return (boundClass.storedName, try QueryText.filter(query.predicate, of: boundClass, in: realm))
    }
}

extension RLMRealm {
    /// Throws if objects of the class cannot be created because it has no subscription.
    func checkSubscribed(_ boundClass: BoundClass) throws {
        guard let sync = file?.sync, !boundClass.isEmbedded, !boundClass.isAsymmetric,
            !sync.client.follows(boundClass.storedName)
        else { return }
        throw RealmException(
            "Cannot write to class \(boundClass.name) when no flexible sync subscription has been created.")
    }
}
