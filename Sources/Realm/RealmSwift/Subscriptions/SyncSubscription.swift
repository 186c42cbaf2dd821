public import Foundation
import ObjectModel
import QueryLanguage

/// Whether `Results.subscribe` waits for the objects that it subscribes to.
public enum WaitForSyncMode: Sendable {
    /// When the call makes or changes the subscription.
    case onCreation
    /// For everything that the gateway has at the time of the call.
    case always
    /// Returns when the subscription is kept here.
    case never
}

/// How far a set of subscriptions is.
public enum SyncSubscriptionState: Equatable, Sendable {
    /// The gateway has not told everything that they match yet.
    case pending
    /// What they match is here.
    case complete
    /// The gateway does not follow one of them; the others are followed.
    case error(any Error)
    /// The set was changed meanwhile: ask the realm for it again.
    case superseded

    public static func == (a: SyncSubscriptionState, b: SyncSubscriptionState) -> Bool {
        switch (a, b) {
        case (.pending, .pending), (.complete, .complete), (.superseded, .superseded): true
        case (.error(let a), .error(let b)): String(describing: a) == String(describing: b)
        default: false
        }
    }
}

/// A query to add to a set of subscriptions. Its order and steps do not matter: a subscription is to objects.
public struct QuerySubscription<T: RealmFetchable> {
    let name: String?
    let form: PredicateForm

    private init(_ name: String?, _ form: PredicateForm) {
        self.name = name
        self.form = form
    }

    /// All objects of the class.
    public init(name: String? = nil) { self.init(name, .constant(true)) }

    /// Those that satisfy a type-safe condition.
    public init(name: String? = nil, query: (Query<T>) -> Query<Bool>) {
        self.init(name, .query(query(Query<T>()).node))
    }

    /// Those that satisfy a condition; see `RealmCollection.filter`.
    public init(name: String? = nil, where predicateFormat: String, _ args: Any...) {
        self.init(name, .format(predicateFormat, args))
    }

    /// Those that satisfy a predicate; see `RealmCollection.filter`.
    public init(name: String? = nil, where predicate: NSPredicate) { self.init(name, .predicate(predicate)) }
}

/// One subscription of a set, as it was when the set was looked at.
public struct SyncSubscription: Equatable {
    let query: SyncQuery
    let set: SubscriptionSetAccessor

    /// Nil for one without a name.
    public var name: String? { query.name }
    public var createdAt: Date { Date(query.createdAt) }
    public var updatedAt: Date { Date(query.updatedAt) }

    /// The same subscription, asking for the same.
    public static func == (a: SyncSubscription, b: SyncSubscription) -> Bool {
        a.query.id == b.query.id && a.query.number == b.query.number
    }

    /// Has it ask for other objects of the same class, within `SyncSubscriptionSet.update`. Traps outside of it, and for another
    /// class.
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
        raising {
            let (className, filter) = try set.read(type, form)
            try set.edit { draft in try draft.update(query.id, className, filter) }
        }
    }
}
