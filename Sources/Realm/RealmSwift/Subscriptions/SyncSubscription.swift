public import Foundation
import ObjectModel
import QueryLanguage
import SyncEngine

/// Determines whether `Results.subscribe` waits for the matching objects.
public enum WaitForSyncMode: Sendable {
    /// Waits if the call creates or changes the subscription.
    case onCreation
    /// Waits for all matching objects that the gateway has at the time of the call.
    case always
    /// Returns once the subscription is stored locally.
    case never
}

/// The progress of a set of subscriptions.
public enum SyncSubscriptionState: Equatable, Sendable {
    /// The gateway has not yet sent all matching objects.
    case pending
    /// All matching objects have arrived.
    case complete
    /// The gateway rejected one of the subscriptions; the others are active.
    case error(any Error)
    /// The set was changed meanwhile: read it from the realm again.
    case superseded

    public static func == (a: SyncSubscriptionState, b: SyncSubscriptionState) -> Bool {
        switch (a, b) {
        case (.pending, .pending), (.complete, .complete), (.superseded, .superseded): true
        case (.error(let a), .error(let b)): String(describing: a) == String(describing: b)
        default: false
        }
    }
}

/// A query to add to a set of subscriptions. Its sorts and distincts are ignored: a subscription is to objects.
public struct QuerySubscription<T: RealmFetchable> {
    let name: String?
    let form: PredicateForm

    private init(_ name: String?, _ form: PredicateForm) {
        self.name = name
        self.form = form
    }

    /// Subscribes to all objects of the class.
    public init(name: String? = nil) { self.init(name, .constant(true)) }

    /// Subscribes to the objects that satisfy a type-safe condition.
    public init(name: String? = nil, query: (Query<T>) -> Query<Bool>) {
        self.init(name, .query(query(Query<T>()).node))
    }

    /// Subscribes to the objects that satisfy a condition; see `RealmCollection.filter`.
    public init(name: String? = nil, where predicateFormat: String, _ args: Any...) {
        self.init(name, .format(predicateFormat, args))
    }

    /// Subscribes to the objects that satisfy a predicate; see `RealmCollection.filter`.
    public init(name: String? = nil, where predicate: NSPredicate) { self.init(name, .predicate(predicate)) }
}

/// One subscription of a set, at the revision of the set.
public struct SyncSubscription: Equatable {
    let query: SyncQuery
    let set: SubscriptionSetAccessor

    /// The name; nil for an unnamed subscription.
    public var name: String? { query.name }
    /// The time when the subscription was added to the set.
    public var createdAt: Date { Date(query.createdAt) }
    /// The time when the query was last changed; that of the creation if it never was.
    public var updatedAt: Date { Date(query.updatedAt) }

    /// Whether both are the same subscription with the same query.
    public static func == (a: SyncSubscription, b: SyncSubscription) -> Bool {
        a.query.id == b.query.id && a.query.number == b.query.number
    }

    /// Changes the query, to objects of the same class, within `SyncSubscriptionSet.update`. Traps outside of it, and
    /// for another class.
    public func updateQuery<T: RealmFetchable>(toType type: T.Type, _ query: (Query<T>) -> Query<Bool>) {
        update(type, .query(query(Query<T>()).node))
    }

    /// See `updateQuery(toType:_:)`.
    public func updateQuery<T: RealmFetchable>(to type: T.Type) { update(type, .constant(true)) }

    /// See `updateQuery(toType:_:)`.
    public func updateQuery<T: RealmFetchable>(to type: T.Type, where predicate: NSPredicate) {
        update(type, .predicate(predicate))
    }

    /// See `updateQuery(toType:_:)`.
    public func updateQuery<T: RealmFetchable>(to type: T.Type, where predicateFormat: String, _ args: Any...) {
        update(type, .format(predicateFormat, args))
    }

    private func update<T: RealmFetchable>(_ type: T.Type, _ form: PredicateForm) {
        trapOnError {
            let (className, filter) = try set.read(type, form)
            try set.edit { draft in try draft.update(query.id, className, filter) }
        }
    }
}
