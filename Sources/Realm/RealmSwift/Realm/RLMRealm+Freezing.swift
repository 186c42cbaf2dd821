import LiveQueries
import LiveSchedulers
import ObjectModel
import QueryLanguage
import StoreContract

extension RLMRealm {
    /// The realm that stays at the present version; within a write, at the version before it. Shared by all who freeze at
    /// that version.
    func frozen() throws -> RLMRealm {
        if isFrozen { return self }
        let version = try snapshot.version
        if let known = lastFrozen.flatMap({ $0.realm }), try known.snapshot.version == version { return known }
        guard let file else { throw RealmException("Not allowed within a migration.") }
        let frozen = try RLMRealm(file, live.freeze(), configuration)
        lastFrozen = WeakRealm(realm: frozen)
        return frozen
    }

    /// The live realm of the calling thread, queue or actor that a frozen one is a version of.
    func thawed() throws -> RLMRealm {
        guard isFrozen, let file else { return self }
        return try file.realm(on: file.currentScheduler, configuration)
    }

    struct WeakRealm {
        weak var realm: RLMRealm?
    }
}

extension ObjectBase {
    /// The object at the present version, for use on any thread.
    final func frozen() throws -> Self {
        guard let _realm, let reference = _objectReference else {
            throw RealmException("Unmanaged objects cannot be frozen.")
        }
        if _realm.isFrozen { return self }
        try _realm.check(self)
        let frozen = try _realm.frozen()
        guard try frozen.exists(reference) else {
            throw RealmException("Cannot freeze an object in the same write transaction as it was created in.")
        }
        return try moved(to: frozen, reference)
    }

    /// The live object; nil when it is gone.
    final func thawed() throws -> Self? {
        guard let _realm, let reference = _objectReference else {
            throw RealmException("Unmanaged objects cannot be thawed.")
        }
        guard _realm.isFrozen else { return self }
        let live = try _realm.thawed()
        return try live.exists(reference) ? moved(to: live, reference) : nil
    }

    /// The same stored object as another realm of the file shows it.
    final func moved(to realm: RLMRealm, _ reference: ObjectReference) throws -> Self {
        guard let object = try realm.object(reference, as: type(of: self)) as? Self else {
            throw RealmException.invalidObject
        }
        return object
    }
}

extension Object {
    /// Whether the object stays at one version.
    public var isFrozen: Bool { _realm?.isFrozen ?? false }

    /// The object at the present version, for use on any thread; itself if it is frozen. It keeps the space of its version
    /// from being used again. Traps for unmanaged and deleted objects, and for one that the open write has created.
    public func freeze() -> Self { raising { try frozen() } }

    /// The live object for the calling thread; itself if it is live; nil when it has been deleted since. Traps for
    /// unmanaged objects.
    public func thaw() -> Self? { raising { try thawed() } }
}

extension EmbeddedObject {
    /// See `Object.isFrozen`.
    public var isFrozen: Bool { _realm?.isFrozen ?? false }

    /// See `Object.freeze`.
    public func freeze() -> Self { raising { try frozen() } }

    /// See `Object.thaw`.
    public func thaw() -> Self? { raising { try thawed() } }
}

extension RealmCollectionImpl {
    /// Whether the collection stays at one version.
    public var isFrozen: Bool { accessor?.realm.isFrozen ?? false }

    /// The collection at the present version, for use on any thread; itself if it is frozen. It keeps the space of its
    /// version from being used again. Traps for unmanaged collections.
    public func freeze() -> Self {
        raising {
            guard let accessor else { throw unmanagedFault }
            if accessor.realm.isFrozen { return self }
            guard !accessor.isInvalidated else { throw RealmException.invalidObject }
            guard let frozen = try accessor.payload().accessor(in: accessor.realm.frozen()) else {
                throw RealmException("Cannot freeze an object in the same write transaction as it was created in.")
            }
            return Self(accessor: frozen)
        }
    }

    /// The live collection for the calling thread; itself if it is live; nil when the object that holds it is gone.
    public func thaw() -> Self? {
        raising {
            guard let accessor else { throw unmanagedFault }
            guard accessor.realm.isFrozen else { return self }
            return try accessor.payload().accessor(in: accessor.realm.thawed()).map { Self(accessor: $0) }
        }
    }

    var unmanagedFault: RealmException {
        let name = self is any _SetOfValues ? "RLMSet" : "RLMArray"
        return RealmException("This method may only be called on \(name) instances retrieved from an RLMRealm")
    }
}

/// A set, for messages.
protocol _SetOfValues {}

extension Realm {
    /// Whether the realm stays at one version.
    public var isFrozen: Bool { rlm.isFrozen }

    /// The realm at the present version, for use on any thread; itself if it is frozen.
    public func freeze() -> Realm { raising { Realm(try rlm.frozen()) } }

    /// The live realm of the calling thread; itself if it is live.
    public func thaw() -> Realm { raising { Realm(try rlm.thawed()) } }

    /// The object as the realm, which is frozen, shows it.
    public func freeze<T: ObjectBase>(_ object: T) -> T { raising { try object.frozen() } }

    /// The object as the realm, which is live, shows it; nil when it is gone.
    public func thaw<T: ObjectBase>(_ object: T) -> T? { raising { try object.thawed() } }

    /// The collection at the realm's version.
    public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection { collection.freeze() }

    /// The collection as the realm, which is live, shows it; nil when the object that holds it is gone.
    public func thaw<Collection: RealmCollection>(_ collection: Collection) -> Collection? { collection.thaw() }
}
