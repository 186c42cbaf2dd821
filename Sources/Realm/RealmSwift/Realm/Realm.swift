public import Foundation
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract

/// A handle to an open realm, confined to one thread, serial queue or actor.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write {
///     realm.add(Book(value: ["isbn": "9780141439471", "title": "Frankenstein"]))
/// }
/// let books = realm.objects(Book.self).where { $0.year > 1800 }
/// ```
public struct Realm: Equatable {
    /// The open realm.
    let rlm: RLMRealm

    init(_ rlm: RLMRealm) { self.rlm = rlm }

    /// Opens the default configuration's realm for the calling thread, or for a serial queue, which must be the calling
    /// one. Opening it again there returns the same instance. Throws `Realm.Error`.
    public init(queue: DispatchQueue? = nil) throws {
        try self.init(configuration: .defaultConfiguration, queue: queue)
    }

    /// Opens a realm for the calling thread, or for a serial queue, which must be the calling one. Throws
    /// `Realm.Error`. Cost for a thread that has the realm open by the same configuration: a look-up.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        if queue == nil, configuration.syncConfiguration == nil, let known = ThreadRealms.known(configuration) {
            rlm = known
            return
        }
        let scheduler = trapOnError { try queue.map(Realm.scheduler) }
        let file = try fileErrors { try SharedRealmFile.open(configuration) }
        rlm = try fileErrors { try file.realm(on: scheduler ?? currentScheduler(), configuration) }
        rlm.subscribeInitially()
        if queue == nil { ThreadRealms.note(rlm, configuration) }
    }

    /// Returns the scheduler of a queue. Throws for one that is not serial, or not the calling one.
    private static func scheduler(_ queue: DispatchQueue) throws -> any LiveScheduler {
        guard let scheduler = try? RealmInstances.scheduler(of: queue) else {
            throw RealmException(
                "Invalid queue '\(queue.label)' (\(type(of: queue))): Realms can only be confined to serial queues or the main queue."
            )
        }
        guard scheduler.isCurrent else { throw RealmException("Realm opened from incorrect dispatch queue.") }
        return scheduler
    }

    /// Opens the realm in a file.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// Whether both handles are of the same instance.
    public static func == (a: Realm, b: Realm) -> Bool { a.rlm === b.rlm }

    /// The configuration that the realm was opened with.
    public var configuration: Configuration { rlm.configuration }

    /// Whether the realm contains no objects.
    public var isEmpty: Bool {
        trapOnError {
            try rlm.models.schema.classes.allSatisfy {
                try rlm.models[$0.id]?.isAsymmetric == true || rlm.count(of: $0.id) == 0
            }
        }
    }

    // MARK: Writing

    /// Whether this instance has an open write transaction, in which its objects can be changed.
    public var isInWriteTransaction: Bool { rlm.transaction != nil }

    /// Runs the block in a write transaction and commits it. If the block throws, rolls back and rethrows. Throws
    /// `Realm.Error` if the file or the log of a shared realm fails; objects show the state before the write then.
    @discardableResult
    public func write<R>(withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> R) throws -> R {
        do {
            try rlm.beginWrite()
        } catch let error as StoreError where error.code.isOfFiles {
            throw rlm.fileError(error)
        } catch {
            stop(error)
        }
        let result = try cancellingOnFailure(block)
        if isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Begins a write transaction: waits until no other is open, and refreshes to the latest version. Traps if the log of a
    /// shared realm cannot be reached; `write` throws then.
    public func beginWrite() { trapOnError { try rlm.beginWrite() } }

    /// Commits the write transaction durably. Throws `Realm.Error` if that fails; the changes are then lost, as after
    /// `cancelWrite`.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        do {
            try rlm.commitWrite(withoutNotifying: tokens.map(\.token))
        } catch let error as StoreError where error.code.isOfFiles {
            throw rlm.fileError(error)
        } catch {
            stop(error)
        }
    }

    /// Rolls back all changes since `beginWrite`.
    public func cancelWrite() { trapOnError { try rlm.cancelWrite() } }

    // MARK: Adding, creating and deleting

    /// The handling of an object whose primary key already exists.
    public enum UpdatePolicy: Int, Sendable {
        /// Fails.
        case error = 1
        /// Assigns the values that differ.
        case modified = 3
        /// Assigns all given values.
        case all = 2
    }

    /// Adds an object and all objects that it links to to the realm, within a write.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        trapOnError {
            _ = try rlm.writing(RLMRealm.notWritingRealm)
            guard !object.isInvalidated else {
                throw RealmException("Adding a deleted or invalidated object to a Realm is not permitted")
            }
            let persister = _ObjectPersister(rlm, update.policy)
            try persister.check(rlm.boundInWrite(type(of: object)))
            try persister.add(object)
        }
    }

    /// Adds each object; see `add`.
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error) where S.Iterator.Element: Object {
        for object in objects { add(object, update: update) }
    }

    /// Creates an object from a dictionary, an array or another object, or updates the existing object with its primary
    /// key.
    @discardableResult
    public func create<T: Object>(_ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error) -> T {
        trapOnError {
            _ = try rlm.writing(RLMRealm.notWritingRealm)
            let boundClass = try rlm.boundInWrite(type)
            if update == .error, !boundClass.isEmbedded, let key = try rlm.createPlain(boundClass, from: value) {
                let object = T()
                object.bind(to: rlm, boundClass, key, rlm.newLifetime)
                return object
            }
            let key = try ObjectBuilder(_ObjectPersister(rlm, update.policy)).create(boundClass, from: value)
            guard let object = try rlm.object(ObjectReference(boundClass.id, key)) as? T else {
                throw RealmException.invalidObject
            }
            return object
        }
    }

    /// Deletes an object. Does nothing if it was already deleted.
    public func delete(_ object: ObjectBase) {
        trapOnError {
            let transaction = try rlm.writing(RLMRealm.notWritingRealm)
            guard object._realm === rlm, let reference = object._objectReference else {
                throw RealmException("Can only delete an object from the Realm it belongs to.")
            }
            if rlm.contains(object) { try transaction.delete(reference.classID, reference.key) }
            object._isDeletedHere = true
        }
    }

    /// Deletes each object.
    public func delete<S: Sequence>(_ objects: S) where S.Iterator.Element: ObjectBase {
        for object in Array(objects) { delete(object) }
    }

    /// Deletes the objects of the results. Cost: the objects that link to them are visited once.
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) { delete(all: objects) }

    /// Deletes the list's objects, which also removes them from the list.
    public func delete<Element: ObjectBase>(_ objects: List<Element>) { delete(all: objects) }

    /// Deletes the set's objects, which also removes them from the set.
    public func delete<Element: ObjectBase>(_ objects: MutableSet<Element>) { delete(all: objects) }

    /// Deletes the objects that are the map's values, and removes its entries.
    public func delete<Key: _MapKey, Value: ObjectBase>(_ map: Map<Key, Value?>) {
        delete(all: map.values.lazy.compactMap { $0 }, of: map.realm)
        map.removeAll()
    }

    private func delete<Objects: RealmCollection>(all objects: Objects) where Objects.Element: ObjectBase {
        delete(all: objects, of: objects.realm)
    }

    private func delete<Objects: Sequence>(all objects: Objects, of realm: Realm?) where Objects.Element: ObjectBase {
        trapOnError {
            let transaction = try rlm.writing(RLMRealm.notWritingRealm)
            // An unmanaged collection may have managed objects.
            guard let realm else { return Array(objects).forEach { delete($0) } }
            guard realm == self else {
                throw RealmException("Can only delete an object from the Realm it belongs to.")
            }
            // An object may occur twice.
            var keys: [ClassID: [ObjectKey]] = [:]
            var seen: Set<ObjectReference> = []
            for object in objects {
                guard let reference = object._objectReference, seen.insert(reference).inserted else { continue }
                keys[reference.classID, default: []].append(reference.key)
            }
            for (classID, keys) in keys { try transaction.delete(classID, keys) }
        }
    }

    /// Deletes all objects of the classes of the realm's schema.
    public func deleteAll() {
        trapOnError {
            let transaction = try rlm.writing(RLMRealm.notWritingRealm)
            for objectClass in transaction.schema.classes
            where !objectClass.isEmbedded && rlm.models[objectClass.id]?.model?.isAsymmetric == false {
                try transaction.delete(
                    objectClass.id, transaction.select(BoundQuery(classID: objectClass.id), Window()))
            }
        }
    }

    // MARK: Queries

    /// Returns all objects of a class.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        Element._checkFetched()
        return trapOnError {
            try rlm.checkConfinement()
            let boundClass = try rlm.bound(Element._objectType)
            try boundClass.checkReadable()
            return Results(try ResultsAccessor(rlm, BoundQuery(classID: boundClass.id)))
        }
    }

    /// Returns the object with the primary key; nil if there is none.
    public func object<Element: Object, KeyType>(ofType type: Element.Type, forPrimaryKey key: KeyType) -> Element? {
        trapOnError {
            guard let reference = try rlm.find(rlm.bound(type), primaryKey: key) else { return nil }
            return try rlm.object(reference) as? Element
        }
    }

    // MARK: Versions

    /// Whether the realm refreshes to versions that others commit between turns of its run loop, queue or actor.
    /// Default: true.
    public var autorefresh: Bool {
        get { trapOnError { try rlm.live.autorefresh } }
        nonmutating set { trapOnError { try rlm.live.setAutorefresh(newValue) } }
    }

    /// Refreshes to the latest version. Returns whether anything changed.
    @discardableResult
    public func refresh() -> Bool { trapOnError { try rlm.live.refresh() } }

    /// Cancels an open write, releases the version, and invalidates all objects and collections of the instance.
    public func invalidate() { trapOnError { try rlm.invalidate() } }
}

extension Realm: WriteLifecycle {}

/// A type that `Realm.objects` accepts: a model class, or a projection of one.
public protocol RealmFetchable: RealmCollectionValue {
    static var _objectType: ObjectBase.Type { get }

    /// Traps for a projection with a property that leads to no stored one.
    static func _checkFetched()
}

extension RealmFetchable {
    public static func _checkFetched() {}
}

extension ObjectBase: RealmFetchable {
    public static var _objectType: ObjectBase.Type { self }
}

/// A value that belongs to a realm, and is confined to the realm's thread, queue or actor.
public protocol ThreadConfined {
    /// The realm; nil for an unmanaged value, which is not confined.
    var realm: Realm? { get }

    /// Whether the value can no longer be used.
    var isInvalidated: Bool { get }

    /// Whether the value is frozen at one version, and can be used on any thread.
    var isFrozen: Bool { get }

    /// Returns the value frozen at the present version, for use on any thread; a frozen value returns itself. Traps for
    /// unmanaged values.
    func freeze() -> Self

    /// Returns the live value for the calling thread; a live value returns itself. Returns nil if it was deleted. Traps
    /// for unmanaged values.
    func thaw() -> Self?
}

extension Realm.UpdatePolicy {
    var policy: StoreContract.UpdatePolicy {
        switch self {
        case .error: .error
        case .modified: .modified
        case .all: .all
        }
    }
}

extension StoreError.Code {
    /// Whether `Realm.Error` reports this error, of the file or the log that realms share; all others are misuse.
    var isOfFiles: Bool {
        [
            .fileAccess, .invalidFile, .unsupportedFormat, .full, .inputOutput, .busy, .closed, .logUnavailable,
            .logOutcomeUnknown, .logRefused, .logDamaged, .behind, .historyLost, .diverged,
        ].contains(self)
    }
}

/// Converts the store's file errors to `Realm.Error`, and stops the program on misuse.
func fileErrors<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let error as RealmException {
        stop(error)
    } catch let error as StoreError {
        throw Realm.Error(error, path: "")
    }
}

extension Realm {
    /// The classes of the realm.
    public var schema: Schema { Schema(rlm.models) }

    /// Returns all objects of a class as dynamic objects.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        trapOnError {
            try rlm.checkConfinement()
            let boundClass = try rlm.bound(named: typeName)
            try boundClass.checkReadable()
            return Results(try ResultsAccessor(rlm, BoundQuery(classID: boundClass.id)))
        }
    }

    /// Returns the object with the primary key; see `object(ofType:forPrimaryKey:)`.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        trapOnError {
            guard let reference = try rlm.find(rlm.bound(named: typeName), primaryKey: key) else { return nil }
            return try rlm.dynamicObject(reference)
        }
    }

    /// See `create(_:value:update:)`.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        trapOnError {
            _ = try rlm.writing(RLMRealm.notWritingRealm)
            let boundClass = try rlm.bound(named: typeName)
            try boundClass.checkReadable()
            let key = try ObjectBuilder(_ObjectPersister(rlm, update.policy)).create(boundClass, from: value)
            return try rlm.dynamicObject(ObjectReference(boundClass.id, key))
        }
    }
}

extension RLMRealm {
    func bound(named name: String) throws -> BoundClass {
        guard let boundClass = models[name] else { throw RealmException.unmanaged(name) }
        return boundClass
    }

    /// Finds the object with the primary key, given as a plain value.
    func find(_ boundClass: BoundClass, primaryKey key: Any) throws -> ObjectReference? {
        try boundClass.checkReadable()
        guard let primaryKey = boundClass.primaryKey else {
            throw RealmException("\(boundClass.name) does not have a primary key")
        }
        let context = _PropertyContext(className: boundClass.name, property: primaryKey.name, type: primaryKey.type)
        guard let value = Conversion.plain(flattened(key), as: primaryKey.type) else {
            throw context.typeMismatch(flattened(key))
        }
        return try self.key(of: boundClass.id, primaryKey: value).map { ObjectReference(boundClass.id, $0) }
    }
}

extension RealmException {
    static func unmanaged(_ name: String) -> RealmException {
        RealmException(
            "Object type '\(name)' is not managed by the Realm. If using a custom `objectClasses` / `objectTypes` array in your configuration, add `\(name)` to the list of `objectClasses` / `objectTypes`."
        )
    }
}

extension Realm {
    /// The events of a realm.
    public enum Notification: String, Sendable {
        /// The realm has moved to another version.
        case didChange = "RLMRealmDidChangeNotification"
        /// A newer version exists, and `autorefresh` is off.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    /// Calls the block when the realm moves to another version: within `commitWrite` for its own commits, else when it
    /// refreshes. Traps for read-only and frozen realms, and on threads without a run loop.
    public func observe(
        _ block: @escaping (_ notification: Notification, _ realm: Realm) -> Void
    ) -> NotificationToken {
        trapOnError {
            let token = try rlm.live.observeInstance { [rlm] event in
                block(event == .didChange ? .didChange : .refreshRequired, Realm(rlm))
            }
            return NotificationToken(token)
        }
    }
}
