import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract

extension RLMRealm {
    /// Returns a realm frozen at the present version; within a write, at the version before the write. All calls at one
    /// version share it.
    func frozen() throws -> RLMRealm {
        if isFrozen { return self }
        let version = try snapshot.version
        if let known = lastFrozen.flatMap({ $0.realm }), try known.snapshot.version == version { return known }
        guard let file else { throw RealmException("Not allowed within a migration.") }
        let frozen = try RLMRealm(file, live.freeze(), configuration)
        lastFrozen = WeakRealm(realm: frozen)
        return frozen
    }

    /// Returns the live realm of the calling thread, queue or actor for the file of a frozen realm.
    func thawed() throws -> RLMRealm {
        guard isFrozen, let file else { return self }
        return try file.realm(on: file.currentScheduler, configuration)
    }

    struct WeakRealm {
        weak var realm: RLMRealm?
    }
}

extension ObjectBase {
    /// Returns the object frozen at the present version, for use on any thread.
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

    /// Returns the live object; nil if it was deleted.
    final func thawed() throws -> Self? {
        guard let _realm, let reference = _objectReference else {
            throw RealmException("Unmanaged objects cannot be thawed.")
        }
        guard _realm.isFrozen else { return self }
        let live = try _realm.thawed()
        return try live.exists(reference) ? moved(to: live, reference) : nil
    }

    /// Returns the same stored object as seen by another realm of the file.
    final func moved(to realm: RLMRealm, _ reference: ObjectReference) throws -> Self {
        guard let object = try realm.object(reference, as: type(of: self)) as? Self else {
            throw RealmException.invalidObject
        }
        return object
    }
}

extension Object {
    /// Whether the object is frozen at one version.
    public var isFrozen: Bool { _realm?.isFrozen ?? false }

    /// Returns the object frozen at the present version, for use on any thread; a frozen object returns itself. While
    /// it exists, the file keeps the data of its version. Traps for unmanaged and deleted objects, and for an object
    /// created by the open write.
    public func freeze() -> Self { trapOnError { try frozen() } }

    /// Returns the live object for the calling thread; a live object returns itself. Returns nil if the object was
    /// deleted. Traps for unmanaged objects.
    public func thaw() -> Self? { trapOnError { try thawed() } }
}

extension EmbeddedObject {
    /// See `Object.isFrozen`.
    public var isFrozen: Bool { _realm?.isFrozen ?? false }

    /// See `Object.freeze`.
    public func freeze() -> Self { trapOnError { try frozen() } }

    /// See `Object.thaw`.
    public func thaw() -> Self? { trapOnError { try thawed() } }
}

extension RealmCollectionImpl {
    /// Whether the collection is frozen at one version.
    public var isFrozen: Bool { accessor?.realm.isFrozen ?? false }

    /// Returns the collection frozen at the present version, for use on any thread; a frozen collection returns itself.
    /// While it exists, the file keeps the data of its version. Traps for unmanaged collections.
    public func freeze() -> Self {
        trapOnError {
            guard let accessor else { throw unmanagedFault }
            if accessor.realm.isFrozen { return self }
            guard !accessor.isInvalidated else { throw RealmException.invalidObject }
            guard let frozen = try accessor.payload().accessor(in: accessor.realm.frozen()) else {
                throw RealmException("Cannot freeze an object in the same write transaction as it was created in.")
            }
            return Self(accessor: frozen)
        }
    }

    /// Returns the live collection for the calling thread; a live collection returns itself. Returns nil if the object
    /// that owns the collection was deleted.
    public func thaw() -> Self? {
        trapOnError {
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

/// A set, for error messages.
protocol _SetOfValues {}

extension Realm {
    /// Whether the realm is frozen at one version.
    public var isFrozen: Bool { rlm.isFrozen }

    /// Returns the realm frozen at the present version, for use on any thread; a frozen realm returns itself.
    public func freeze() -> Realm { trapOnError { Realm(try rlm.frozen()) } }

    /// Returns the live realm of the calling thread; a live realm returns itself.
    public func thaw() -> Realm { trapOnError { Realm(try rlm.thawed()) } }

    /// Returns the object as seen by this realm, which is frozen.
    public func freeze<T: ObjectBase>(_ object: T) -> T { trapOnError { try object.frozen() } }

    /// Returns the object as seen by this realm, which is live; nil if the object was deleted.
    public func thaw<T: ObjectBase>(_ object: T) -> T? { trapOnError { try object.thawed() } }

    /// Returns the collection at the realm's version.
    public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection { collection.freeze() }

    /// Returns the collection as seen by this realm, which is live; nil if the object that owns it was deleted.
    public func thaw<Collection: RealmCollection>(_ collection: Collection) -> Collection? { collection.thaw() }
}
