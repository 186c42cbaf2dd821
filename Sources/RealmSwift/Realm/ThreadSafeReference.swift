import LiveQueries
import ObjectModel
import StoreContract
import Synchronization

/// Something of a realm on its way to another thread, queue or actor, where `Realm.resolve` gives it. It keeps the version
/// that it was made at until then.
public final class ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    /// Of a frozen version; taken by the one that resolves it.
    private let handover: Mutex<(any _Handover)?>

    /// Traps for what is unmanaged or invalidated.
    public init(to threadConfined: Confined) {
        let made: any _Handover = raising {
            guard threadConfined.realm != nil else {
                throw RealmException(
                    "Cannot construct reference to unmanaged object, which can be passed across threads directly")
            }
            guard !threadConfined.isInvalidated else {
                throw RealmException("Cannot construct reference to invalidated object")
            }
            guard let confined = threadConfined as? any _HandsOver else {
                throw RealmException("Cannot construct reference to '\(Confined.self)'")
            }
            return try confined.handOver()
        }
        handover = Mutex(made)
    }

    /// Whether it was resolved.
    public var isInvalidated: Bool { handover.withLock { $0 == nil } }

    /// The thing as another realm shows it; nil when it is gone.
    func resolve(in realm: RLMRealm) throws -> Confined? {
        let taken = handover.withLock { handover in
            defer { handover = nil }
            return handover
        }
        guard let taken else {
            throw RealmException("Can only resolve a thread safe reference once.")
        }
        guard taken.path == realm.file?.path else {
            throw RealmException(
                "Cannot resolve thread safe reference in Realm with different configuration than the source Realm.")
        }
        guard try realm.transaction == nil || taken.version <= realm.snapshot.version else {
            throw RealmException(
                "Cannot resolve a reference of a newer version within a write transaction: refresh the Realm first.")
        }
        // What the reference was made from may have been committed after the version that the realm is at.
        if realm.transaction == nil, !realm.isFrozen, try realm.snapshot.version < taken.version {
            try realm.live.refresh()
        }
        return try taken.resolved(in: realm) as? Confined
    }
}

/// What can be handed over.
protocol _HandsOver {
    func handOver() throws -> any _Handover
}

/// Something of a realm, apart from the realm.
protocol _Handover: Sendable {
    var path: String { get }
    var version: Version { get }
    func resolved(in realm: RLMRealm) throws -> Any?
}

/// An object of a file.
private struct ObjectHandover: _Handover {
    let path: String
    let pinned: any Snapshot
    let object: ObjectReference
    let type: ObjectBase.Type

    var version: Version { pinned.version }

    func resolved(in realm: RLMRealm) throws -> Any? {
        try realm.exists(object) ? realm.object(object, as: type) : nil
    }
}

/// A collection of a file.
struct CollectionReference<C: RealmCollectionImpl>: _Handover {
    let path: String
    let pinned: any Snapshot
    let handover: CollectionHandover

    var version: Version { pinned.version }

    func resolved(in realm: RLMRealm) throws -> Any? { try handover.core(in: realm).map { C(core: $0) } }
}

extension ObjectBase: _HandsOver {
    func handOver() throws -> any _Handover {
        let (realm, boundClass) = try managed()
        return ObjectHandover(
            path: realm.file?.path ?? "", pinned: try realm.snapshot, object: ObjectReference(boundClass.id, _key),
            type: type(of: self))
    }
}

extension RealmCollectionImpl {
    func handOver() throws -> any _Handover {
        guard let core else { throw unmanagedFault }
        return CollectionReference<Self>(
            path: core.realm.file?.path ?? "", pinned: try core.realm.snapshot, handover: try core.handover())
    }
}

extension Results: _HandsOver {}
extension List: _HandsOver {}
extension LinkingObjects: _HandsOver {}

extension Realm {
    /// The thing that a reference leads to, for this realm; nil when it is gone. Once only. A realm at an older version
    /// than the reference moves on to the newest.
    public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        raising { try reference.resolve(in: rlm) }
    }
}

/// Something of a realm that may be used on any thread: it is resolved anew for each that asks.
@propertyWrapper
public final class ThreadSafe<Confined: ThreadConfined>: Sendable {
    private let state: Mutex<State>

    private struct State {
        var handover: (any _Handover)?
        var configuration: Realm.Configuration?
    }

    /// Keeps something managed, or nil.
    public init(wrappedValue: Confined?) {
        state = Mutex(raising { try ThreadSafe.state(of: wrappedValue) })
    }

    /// The thing for the calling thread; nil when it is gone.
    public var wrappedValue: Confined? {
        get {
            let state = state.withLock { $0 }
            guard let handover = state.handover, let configuration = state.configuration else { return nil }
            return raising {
                let file = try RealmFile.open(configuration)
                let realm = try file.realm(on: file.currentScheduler, configuration)
                if try realm.transaction == nil && realm.snapshot.version < handover.version {
                    try realm.live.refresh()
                }
                return try handover.resolved(in: realm) as? Confined
            }
        }
        set {
            let new = raising { try ThreadSafe.state(of: newValue) }
            state.withLock { $0 = new }
        }
    }

    private static func state(of value: Confined?) throws -> State {
        guard let value else { return State() }
        guard let realm = value.realm, let confined = value as? any _HandsOver else {
            throw RealmException("Only managed objects may be wrapped as thread safe.")
        }
        return State(handover: try confined.handOver(), configuration: realm.configuration)
    }
}
