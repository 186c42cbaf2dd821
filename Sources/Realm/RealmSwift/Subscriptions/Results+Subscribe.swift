public import Foundation
import LiveQueries
import LiveSchedulers
import ObjectModel
import QueryLanguage
import StoreContract

extension Results {
    /// Has the realm hold the gateway's objects that these results are of, and waits for them if that is asked for. Gives
    /// these results, which keep their conditions and their order: only the conditions are subscribed to.
    ///
    /// - Without a name, a subscription without a name to the same query is used again; named ones do not count.
    /// - With a name, the subscription of that name is made, or asks for this query from now on; if it does already, nothing
    ///   changes. Those without a name do not count.
    ///
    /// - Parameters:
    ///   - waitForSync: see `WaitForSyncMode`.
    ///   - timeout: seconds to wait at most. The subscription stays when they are over.
    ///
    /// Throws `Realm.Error` with the code `subscriptionFailed` when the gateway does not follow the query, or the time is
    /// over, and `CancellationError`. For realms of the main thread or of an actor; traps for others, for realms without a
    /// gateway, for classes without a primary key, and for what is not a query of a class's objects.
    @discardableResult
    public func subscribe(
        name: String? = nil, waitForSync: WaitForSyncMode = .onCreation, timeout: TimeInterval? = nil,
        _isolation: isolated (any Actor)? = #isolation
    ) async throws -> Results<Element> {
        let (client, id, changed) = raising { () -> (SyncClient, Int, Bool) in
            let results = try subscribable()
            try results.realm.checkSubscribing()
            let set = try SubscriptionSetAccessor(results.realm)
            let (className, filter) = try results.subscription()
            var place = (index: 0, changed: false)
            try set.update {
                place = try set.edit { $0.subscribe(name, className, filter) }
            }
            results.subscriptionName = name
            return (set.client, set.queries[place.index].id, place.changed)
        }
        switch waitForSync {
        case .never: return self
        case .onCreation: guard changed else { return self }
        case .always: break
        }
        let start = ContinuousClock.now
        try await client.stateStore.wait(timeout: timeout) { syncState -> Void? in
            guard let query = syncState.queries.first(where: { $0.id == id }) else { return () }
            if let failure = query.failure { throw failure }
            return query.state == .complete ? () : nil
        }
        if waitForSync == .always, !changed {
            let rest = timeout.map { Swift.max(0, $0 - (ContinuousClock.now - start) / .seconds(1)) }
            try await client.download(timeout: rest)
        }
        raising { _ = try (source as? ResultsAccessor)?.realm.live.refresh() }
        return self
    }

    /// Takes back the subscription that `subscribe` made for these results with a name; if there is none, the subscription
    /// without a name to the same query. Others stay, and without any nothing happens. The objects go when the gateway has
    /// been told and no other subscription matches them; the results stay what they are.
    public func unsubscribe() {
        raising {
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
        guard let results = source as? ResultsAccessor, case .all = results.query.scope else {
            throw RealmException("Only queries of a class's objects can be subscribed to.")
        }
        try results.check()
        return results
    }
}

extension ResultsAccessor {
    /// The class and the condition as the gateway is told them.
    fileprivate func subscription() throws -> (className: String, filter: String) {
        for case .distinct in query.steps {
            throw RealmException("Distinct results cannot be subscribed to: subscribe before 'distinct'.")
        }
        let boundClass = try realm.bound(query.classID)
        return (boundClass.name, try QueryText.filter(query.predicate, of: boundClass, in: realm))
    }
}

extension RLMRealm {
    /// Throws for realms whose thread cannot wait.
    func checkSubscribing() throws {
        guard try live.scheduler is MainScheduler || live.scheduler is ActorScheduler else {
            throw RealmException("Results can be subscribed to on the main thread and on actors only.")
        }
    }

    /// Throws when objects of the class cannot be created, because the gateway would not be told of them.
    func checkSubscribed(_ boundClass: BoundClass) throws {
        guard let sync = file?.sync, !boundClass.isEmbedded, !sync.stateStore.follows(boundClass.name) else { return }
        throw RealmException(
            "Cannot write to class \(boundClass.name) when no flexible sync subscription has been created.")
    }
}
