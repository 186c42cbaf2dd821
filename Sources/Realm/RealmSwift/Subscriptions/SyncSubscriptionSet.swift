public import Foundation
import SyncEngine

/// The subscriptions of a realm that synchronises with a gateway: they determine which of the gateway's objects the
/// realm contains.
///
/// They are stored in the realm's file and changed together within `update`. A set shows the subscriptions as they were
/// when it was read, or after the last update through it.
public struct SyncSubscriptionSet: Sequence {
    let accessor: SubscriptionSetAccessor

    /// The number of subscriptions.
    public var count: Int { accessor.queries.count }

    /// The progress of the set.
    public var state: SyncSubscriptionState { accessor.state }

    /// The message of `state` if that is an error.
    public var error: (any Error)? {
        if case .error(let error) = state { error } else { nil }
    }

    /// Whether there are no subscriptions.
    public var isEmpty: Bool { count == 0 }
    /// The oldest subscription; nil if there is none.
    public var first: SyncSubscription? { makeIterator().first { _ in true } }
    /// The newest subscription; nil if there is none.
    public var last: SyncSubscription? { Array(self).last }

    /// The subscription at a position, in the order of creation. Traps if the position does not exist.
    public subscript(position: Int) -> SyncSubscription {
        let all = Array(self)
        trapOnError { try checkIndex(position, all.count) }
        return all[position]
    }

    public func makeIterator() -> IndexingIterator<[SyncSubscription]> {
        accessor.queries.map { SyncSubscription(query: $0, set: accessor) }.makeIterator()
    }

    // MARK: Finding

    /// Returns the subscription with that name; nil if there is none.
    public func first(named name: String) -> SyncSubscription? { first { $0.name == name } }

    /// Returns the first subscription, named or not, to the objects of the class that satisfy the condition; nil if
    /// there is none.
    public func first<T: RealmFetchable>(
        ofType type: T.Type, where query: (Query<T>) -> Query<Bool>
    ) -> SyncSubscription? { find(type, .query(query(Query<T>()).node)) }

    /// See `first(ofType:where:)`.
    public func first<T: RealmFetchable>(
        ofType type: T.Type, where predicateFormat: String, _ args: Any...
    ) -> SyncSubscription? { find(type, .format(predicateFormat, args)) }

    /// See `first(ofType:where:)`.
    public func first<T: RealmFetchable>(ofType type: T.Type, where predicate: NSPredicate) -> SyncSubscription? {
        find(type, .predicate(predicate))
    }

    private func find<T: RealmFetchable>(_ type: T.Type, _ form: PredicateForm) -> SyncSubscription? {
        trapOnError {
            let (className, filter) = try accessor.read(type, form)
            return first { $0.query.asks(className, filter) }
        }
    }

    // MARK: Changing

    /// Changes the set: all changes of the block are stored together. Traps within another update, and within a write
    /// of the realm.
    ///
    /// - Parameter onComplete: called on any thread, with nil when all matching objects have arrived, or with an error.
    public func update(_ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil) {
        trapOnError { try accessor.update(block) }
        guard let onComplete else { return }
        let sync = accessor.sync
        Task {
            do {
                try await sync.waitUntilComplete()
                onComplete(nil)
            } catch {
                onComplete(error)
            }
        }
    }

    /// Changes the set, and waits until all matching objects have arrived. Throws `Realm.Error` if the gateway rejects
    /// one of the queries, and `CancellationError`; the set is changed even then.
    public func update(_ block: () -> Void, _isolation: isolated (any Actor)? = #isolation) async throws {
        trapOnError { try accessor.update(block) }
        try await accessor.sync.waitUntilComplete()
    }

    /// Adds subscriptions. Does nothing for an unnamed query that already exists without a name. Traps for a name that
    /// is already used, and outside of `update`.
    public func append<T: RealmFetchable>(_ subscriptions: QuerySubscription<T>...) {
        trapOnError {
            for subscription in subscriptions {
                let (className, filter) = try accessor.read(T.self, subscription.form)
                try accessor.edit { try $0.append(subscription.name, className, filter) }
            }
        }
    }

    /// Removes the subscription with that name, if it exists. Traps outside of `update`, as do all methods below.
    public func remove(named name: String) { remove { $0.name == name } }

    /// Removes the first subscription, named or not, to the objects of the query.
    public func remove<T: RealmFetchable>(ofType type: T.Type, _ query: (Query<T>) -> Query<Bool>) {
        remove(type, .query(query(Query<T>()).node))
    }

    /// Removes the first subscription, named or not, to the objects of the query.
    // A trailing closure could be either.
    @_disfavoredOverload
    public func remove<T: RealmFetchable>(ofType type: T.Type, where query: (Query<T>) -> Query<Bool>) {
        remove(type, .query(query(Query<T>()).node))
    }

    /// See `remove(ofType:where:)`.
    public func remove<T: RealmFetchable>(ofType type: T.Type, where predicateFormat: String, _ args: Any...) {
        remove(type, .format(predicateFormat, args))
    }

    /// See `remove(ofType:where:)`.
    public func remove<T: RealmFetchable>(ofType type: T.Type, where predicate: NSPredicate) {
        remove(type, .predicate(predicate))
    }

    /// Removes these subscriptions, if they exist.
    public func remove(_ subscriptions: SyncSubscription...) {
        let ids = Set(subscriptions.map(\.query.id))
        remove { ids.contains($0.id) }
    }

    /// Removes all subscriptions, or those without a name.
    public func removeAll(unnamedOnly: Bool = false) { remove { !unnamedOnly || $0.name == nil } }

    /// Removes all subscriptions to a class.
    public func removeAll<T: RealmFetchable>(ofType type: T.Type) {
        let className = trapOnError { try accessor.realm.bound(T._objectType).storedName }
        remove { $0.className == className }
    }

    private func remove<T: RealmFetchable>(_ type: T.Type, _ form: PredicateForm) {
        trapOnError {
            let (className, filter) = try accessor.read(type, form)
            try accessor.edit { draft in
                guard let found = draft.queries.first(where: { $0.asks(className, filter) }) else { return }
                draft.remove { $0.id == found.id }
            }
        }
    }

    private func remove(where isChosen: (SyncQuery) -> Bool) {
        trapOnError { _ = try accessor.edit { $0.remove(where: isChosen) } }
    }
}

extension Realm {
    /// The subscriptions, which determine which of the gateway's objects the realm contains. Traps for a realm without
    /// `Configuration.syncConfiguration`.
    public var subscriptions: SyncSubscriptionSet {
        trapOnError { SyncSubscriptionSet(accessor: try SubscriptionSetAccessor(rlm)) }
    }
}
