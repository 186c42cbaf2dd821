import ObjectModel
import RealmInstances
import StoreContract
import Synchronization

/// A reference that passes a managed value to another thread, queue or actor, where `Realm.resolve` returns the value.
/// Until then it keeps the version at which it was created.
public final class ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    /// The value at a frozen version; removed when the reference is resolved.
    private let payload: Mutex<(any _ReferencePayload)?>
    /// Whether it was created within a write transaction, which may have created the value itself.
    private let wasWriting: Bool

    /// Traps for unmanaged and invalidated values.
    public init(to threadConfined: Confined) {
        let made: any _ReferencePayload = trapOnError {
            guard !threadConfined.isInvalidated else {
                throw RealmException("Cannot construct reference to invalidated object")
            }
            guard threadConfined.realm != nil else {
                throw RealmException(
                    "Cannot construct reference to unmanaged object, which can be passed across threads directly")
            }
            guard let confined = threadConfined as? any _ReferencePayloadSource else {
                throw RealmException("Cannot construct reference to '\(Confined.self)'")
            }
            return try confined.referencePayload()
        }
        wasWriting = threadConfined.realm?.isInWriteTransaction ?? false
        payload = Mutex(made)
    }

    /// Whether the reference was resolved.
    public var isInvalidated: Bool { payload.withLock { $0 == nil } }

    /// Returns the value as seen by another realm; nil if it was deleted or belongs to another file.
    func resolve(in realm: RLMRealm) throws -> Confined? {
        let taken = payload.withLock { payload in
            defer { payload = nil }
            return payload
        }
        guard let taken else {
            throw RealmException("Can only resolve a thread safe reference once.")
        }
        guard taken.pin.file === realm.file else { return nil }
        try taken.advance(realm, wasWriting: wasWriting)
        return try taken.resolved(in: realm) as? Confined
    }
}

/// A value that can be passed to another thread.
protocol _ReferencePayloadSource {
    func referencePayload() throws -> any _ReferencePayload
}

/// The version at which a reference was created; within a write, the version before it. It keeps the file open, so that
/// realms that are opened meanwhile share its store.
struct PinnedVersion: Sendable {
    // Released before the file, which waits for its snapshots when it closes.
    let snapshot: any Snapshot
    let file: SharedRealmFile

    /// Throws within a migration, whose objects cannot leave it.
    init(_ realm: RLMRealm) throws {
        guard let file = realm.file else { throw RealmException("Not allowed within a migration.") }
        snapshot = try realm.snapshot
        self.file = file
    }
}

/// A managed value without its realm.
protocol _ReferencePayload: Sendable {
    var pin: PinnedVersion { get }
    func resolved(in realm: RLMRealm) throws -> Any?
}

extension _ReferencePayload {
    /// Moves a realm of the file to a version that includes the value: a realm without a version gets the reference's,
    /// and one at an older version refreshes to the latest.
    func advance(_ realm: RLMRealm, wasWriting: Bool) throws {
        guard !realm.isFrozen, realm.transaction == nil else { return }
        if !wasWriting { try realm.live.begin(at: pin.snapshot) }
        let (version, pinned) = (try realm.snapshot.version, pin.snapshot.version)
        if version < pinned || wasWriting && version == pinned { try realm.catchUp() }
    }
}

/// An object of a file.
private struct ObjectReferencePayload: _ReferencePayload {
    let pin: PinnedVersion
    let object: ObjectReference
    let type: ObjectBase.Type

    func resolved(in realm: RLMRealm) throws -> Any? {
        try realm.exists(object) ? realm.object(object, as: type) : nil
    }
}

/// A collection of a file.
struct CollectionReference<C: RealmCollectionImpl>: _ReferencePayload {
    let pin: PinnedVersion
    let payload: CollectionReferencePayload

    func resolved(in realm: RLMRealm) throws -> Any? { try payload.accessor(in: realm).map { C(accessor: $0) } }
}

extension ObjectBase: _ReferencePayloadSource {
    func referencePayload() throws -> any _ReferencePayload {
        let (realm, boundClass) = try managed()
        return ObjectReferencePayload(
            pin: try PinnedVersion(realm), object: ObjectReference(boundClass.id, _objectKey), type: type(of: self))
    }
}

extension RealmCollectionImpl {
    func referencePayload() throws -> any _ReferencePayload {
        guard let accessor else { throw unmanagedFault }
        return CollectionReference<Self>(pin: try PinnedVersion(accessor.realm), payload: try accessor.payload())
    }
}

extension Results: _ReferencePayloadSource {}
extension List: _ReferencePayloadSource {}
extension LinkingObjects: _ReferencePayloadSource {}

extension Realm {
    /// Returns the value of a reference for this realm; nil if it was deleted or belongs to another file. A reference
    /// can be resolved once. A realm at an older version than the reference refreshes to the latest; a realm that has
    /// not been read yet gets the reference's version.
    public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        trapOnError { try reference.resolve(in: rlm) }
    }
}

/// A property wrapper for a managed value that any thread can use: each access resolves it for the calling thread, and
/// takes a reference to the state that it found there. So another thread sees a change that was made through it.
@propertyWrapper
public final class ThreadSafe<Confined: ThreadConfined>: Sendable {
    private let state: Mutex<State>

    private struct State {
        var payload: (any _ReferencePayload)?
        var configuration: Realm.Configuration?
        var wasWriting = false
    }

    /// Wraps a managed value, or nil.
    public init(wrappedValue: Confined?) {
        state = Mutex(trapOnError { try ThreadSafe.state(of: wrappedValue) })
    }

    /// The value for the calling thread; nil if it was deleted.
    public var wrappedValue: Confined? {
        get {
            let state = state.withLock { $0 }
            guard let payload = state.payload, let configuration = state.configuration else { return nil }
            return trapOnError {
                let file = payload.pin.file
                let realm = try file.realm(on: file.currentScheduler, configuration)
                try payload.advance(realm, wasWriting: state.wasWriting)
                let value = try payload.resolved(in: realm) as? Confined
                renew(try ThreadSafe.state(of: value))
                return value
            }
        }
        set {
            let new = trapOnError { try ThreadSafe.state(of: newValue) }
            state.withLock { $0 = new }
        }
    }

    /// Replaces the reference by one that another access has taken, unless a later version was assigned meanwhile.
    private func renew(_ new: State) {
        state.withLock { state in
            guard let present = state.payload?.pin.snapshot.version, let own = new.payload?.pin.snapshot.version else {
                return
            }
            if (own, new.wasWriting ? 1 : 0) > (present, state.wasWriting ? 1 : 0) { state = new }
        }
    }

    private static func state(of value: Confined?) throws -> State {
        guard let value else { return State() }
        guard let realm = value.realm, let confined = value as? any _ReferencePayloadSource else {
            throw RealmException("Only managed objects may be wrapped as thread safe.")
        }
        return State(
            payload: try confined.referencePayload(), configuration: realm.configuration,
            wasWriting: realm.isInWriteTransaction)
    }
}
