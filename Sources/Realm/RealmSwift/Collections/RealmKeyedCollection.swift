public import Dispatch

/// A collection of stored values by keys, in the order of the keys' bytes.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible, SendableMetatype {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue

    /// The realm that manages the collection; nil when none does.
    var realm: Realm? { get }

    /// Whether the collection cannot be used any more. Never fails itself.
    var isInvalidated: Bool { get }

    /// The number of keys.
    var count: Int { get }

    /// The type, and up to 100 entries, a line each.
    var description: String { get }

    /// Puts a value in under a key, in the place of the one that is there. An unmanaged object becomes managed with that.
    /// Traps for keys that start with `$` or contain a `.` in a managed collection.
    func updateValue(_ value: Value, forKey key: Key)

    /// Takes the key and its value out, if it is there. An embedded object is deleted with that.
    func removeObject(for key: Key)

    /// Takes all entries out.
    func removeAll()

    /// The value of a key, nil if it is not there. Assigning nil takes the key out; for optional values a `.some(nil)` is
    /// a null that is kept under the key. Assigning takes a write, if the collection is managed.
    subscript(key: Key) -> Value? { get set }

    /// The value of a key, nil if it is not there or null.
    func value(forKey key: String) -> Any?

    /// The value of a key, and what its objects have on the further path; or of an operator over the values, see
    /// `RealmCollection.value(forKeyPath:)`.
    func value(forKeyPath keyPath: String) -> Any?

    /// Assigns a value by its key; nil takes the key out. Traps for what does not fit.
    func setValue(_ value: Any?, forKey key: String)

    /// Whether the predicate is true of an entry; it is not asked for further ones then.
    func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool

    /// The keys, in their order.
    var keys: [Key] { get }

    /// The values, in the order of their keys.
    var values: [Value] { get }

    /// Whether the map stays at one version.
    var isFrozen: Bool { get }

    /// The map at the present version, for use on any thread; itself if it is frozen. Traps for unmanaged maps.
    func freeze() -> Self

    /// The live map for the calling thread; itself if it is live; nil when the object that has it is gone.
    func thaw() -> Self?

    /// What `observe(keyPaths:on:_:)` does.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken

    /// The same on an actor.
    func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken
}
