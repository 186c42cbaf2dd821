public import Dispatch

/// A collection of stored values by key, in the order of the keys' bytes.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible, SendableMetatype {
    /// The type of the keys: `String`.
    associatedtype Key: _MapKey
    /// The type of the values. For links to objects it is an optional.
    associatedtype Value: RealmCollectionValue

    /// The realm that manages the collection; nil for an unmanaged one.
    var realm: Realm? { get }

    /// Whether the collection can no longer be used. Never traps.
    var isInvalidated: Bool { get }

    /// The number of keys.
    var count: Int { get }

    /// The type, and up to 100 entries, one per line.
    var description: String { get }

    /// Sets the value of a key. In a managed collection an unmanaged object becomes managed, and keys that start with
    /// `$` or contain a `.` trap.
    func updateValue(_ value: Value, forKey key: Key)

    /// Removes the key and its value, if it exists. An embedded object is deleted.
    func removeObject(for key: Key)

    /// Removes all entries.
    func removeAll()

    /// The value of a key; nil if the key does not exist. Assigning nil removes the key; for optional values,
    /// `.some(nil)` stores null. Assigning requires a write if the collection is managed.
    subscript(key: Key) -> Value? { get set }

    /// Returns the value of a key; nil if the key does not exist or the value is null.
    func value(forKey key: String) -> AnyObject?

    /// Returns the value at a dotted path that starts with a key, or of an operator on the values; see
    /// `RealmCollection.value(forKeyPath:)`.
    func value(forKeyPath keyPath: String) -> AnyObject?

    /// Sets the value of a key; nil removes the key. Traps for values that do not fit.
    func setValue(_ value: Any?, forKey key: String)

    /// Returns whether the predicate is true of an entry. Stops at the first such entry.
    func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool

    /// The keys, in their order.
    var keys: [Key] { get }

    /// The values, in the order of their keys.
    var values: [Value] { get }

    /// Whether the map is frozen at one version.
    var isFrozen: Bool { get }

    /// Returns the map frozen at the present version, for use on any thread; a frozen map returns itself. Traps for
    /// unmanaged maps.
    func freeze() -> Self

    /// Returns the live map for the calling thread; a live map returns itself. Returns nil if its owner was deleted.
    func thaw() -> Self?

    /// Implements `observe(keyPaths:on:_:)`.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken

    /// Implements `observe` on an actor.
    func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken
}
