import Dispatch
import ViewMaintenance
import LiveQueries
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract

/// An event for the observer of a collection or its sections, without the collection. Failures are not reported, and
/// no version is pinned.
enum ObserverNotification<Difference> {
    case initial
    case update(Difference)

    init?<State, Change>(_ event: LiveEvent<State, Change>, _ difference: (Change) -> Difference) {
        switch event {
        case .initial, .resumed: self = .initial
        case .update(let change): self = .update(difference(change))
        case .deleted, .failed: return nil
        }
    }
}

extension ObserverNotification: Sendable where Difference: Sendable {}

typealias CollectionNotification = ObserverNotification<LiveCollectionChange.Difference>

extension CollectionNotification {
    init?(_ event: LiveQueryEvent) { self.init(event) { .positions($0.indices) } }
    init?(_ event: LiveCollectionEvent) { self.init(event, \.difference) }
}

extension RLMRealm {
    /// Resolves key paths by Swift names; returns none for nil and for an empty list.
    func keyPaths(_ texts: [String]?, of classID: ClassID?) throws -> [LiveKeyPath] {
        guard let texts, !texts.isEmpty, let classID else { return [] }
        return try texts.flatMap { text in
            try inStore(LiveKeyPath(text, in: classID, of: models.schema, takesWildcards: false), text)
        }
    }

    /// Resolves key paths of the objects in mixed values, which can be of every class. A path must exist in one of them.
    func keyPathsFromMixed(_ texts: [String]?) throws -> [LiveKeyPath] {
        try (texts ?? []).flatMap { text in
            try LiveKeyPath.fromMixed(text, of: models.schema, takesWildcards: false).flatMap { try inStore($0, text) }
        }
    }

    /// The path with the names of the store, under which it may be resolved again later.
    private func inStore(_ path: LiveKeyPath, _ text: String) throws -> [LiveKeyPath] {
        guard models.renamesProperties else { return [path] }
        let stored = try transaction?.schema ?? snapshot.schema
        return try storedNames(of: text, from: path.classID).map {
            try LiveKeyPath($0, in: path.classID, of: stored, takesWildcards: false)
        }
    }

    /// Returns the key paths with the names of the store. Behind mixed values there is one for each name that a property
    /// with that name in Swift has in some class.
    private func storedNames(of path: String, from classID: ClassID) -> [String] {
        typealias ResolvedPath = (names: [String], classes: [BoundClass])
        var paths: [ResolvedPath] = [([], models[classID].map { [$0] } ?? [])]
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            paths = paths.flatMap { path -> [ResolvedPath] in
                let properties = path.classes.compactMap { $0[String(name)] }
                guard !properties.isEmpty else { return [(path.names + [String(name)], [])] }
                return Dictionary(grouping: properties, by: \.column).sorted { $0.key < $1.key }.map { column, alike in
                    (path.names + [column], targets(of: alike))
                }
            }
        }
        return paths.map { $0.names.joined(separator: ".") }
    }

    /// The classes that the properties may lead to.
    private func targets(of properties: [BoundProperty]) -> [BoundClass] {
        if properties.contains(where: \.type.isMixed) { return models.all }
        return Set(properties.compactMap(\.targetClass)).compactMap { models[$0] }
    }
}

extension ResultsAccessor {
    func keyPaths(_ texts: [String]?) throws -> [LiveKeyPath] { try realm.keyPaths(texts, of: query.classID) }

    func observe(_ keyPaths: [String]?, _ deliver: @escaping (CollectionNotification) -> Void) throws -> InstanceToken {
        try check()
        return try realm.live.observe(query, keyPaths: self.keyPaths(keyPaths)) { event in
            CollectionNotification(event).map { notification in
                Logger.log(.debug, Category.Storage.notification, "\(self.text): an observer is called.")
                deliver(notification)
            }
        }
    }

    func payload() throws -> CollectionReferencePayload { .objects(query) }
}

extension PropertyAccessor {
    func keyPaths(_ texts: [String]?) throws -> [LiveKeyPath] {
        property.type.isMixed ? try realm.keyPathsFromMixed(texts) : try realm.keyPaths(texts, of: property.targetClass)
    }

    func observe(_ keyPaths: [String]?, _ deliver: @escaping (CollectionNotification) -> Void) throws -> InstanceToken {
        try check()
        let keyPaths = try self.keyPaths(keyPaths)
        if property.type.isComputed, let query = try objectQuery() {
            return try realm.live.observe(query, keyPaths: keyPaths) { CollectionNotification($0).map(deliver) }
        }
        return try realm.live.observeCollection(owner, property.id, keyPaths: keyPaths) {
            CollectionNotification($0).map(deliver)
        }
    }

    func payload() throws -> CollectionReferencePayload { .property(owner, column: property.column) }
}

/// Passes a block, or its argument, to the one queue or actor that uses it from then on.
///
/// Sendable because it is passed once: its creator does not use the content afterwards, or uses it there.
struct Transferred<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Observes a collection on any thread, queue or actor; the same for positions and keys.
enum CollectionObservation {
    /// Observes on the collection's own thread, queue or actor, or on another queue. The block receives the collection
    /// at the version of the change.
    static func begin(
        _ accessor: any CollectionAccessor, _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (any CollectionAccessor, CollectionNotification) -> Void
    ) throws -> NotificationToken {
        try begin(accessor, on: queue, try queue.map { _ in try prepare(accessor, keyPaths) }) { accessor in
            try accessor.observe(keyPaths) { block(accessor, $0) }
        }
    }

    /// Begins an observation on the collection's own thread, queue or actor, or on another queue.
    ///
    /// - Parameters:
    ///   - prepared: what `prepare` returned; nil without a queue.
    ///   - observe: called there, with the collection.
    static func begin(
        _ accessor: any CollectionAccessor, on queue: DispatchQueue?, _ prepared: Prepared?,
        observe: @escaping (any CollectionAccessor) throws -> InstanceToken
    ) throws -> NotificationToken {
        guard let queue, let (payload, file, configuration) = prepared else {
            return NotificationToken(try observe(accessor))
        }
        let transferred = Transferred(observe)
        return NotificationToken(
            try file.hub.observe(on: queue, from: accessor.realm.snapshot.version) { _ in
                let realm = try file.realm(on: scheduler(of: queue), configuration)
                guard let accessor = try payload.accessor(in: realm) else { throw RealmException.invalidObject }
                return try transferred.value(accessor)
            } failed: { _ in
                // The owner was deleted: the observer is not called, as in Realm.
            })
    }

    /// Observes on an actor.
    static func begin<A: Actor>(
        _ accessor: any CollectionAccessor, _ keyPaths: [String]?, on actor: A,
        _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, Transferred<(any CollectionAccessor, CollectionNotification)>) -> Void
    ) async throws -> NotificationToken {
        try await begin(accessor, on: actor, try prepare(accessor, keyPaths), _isolation: _isolation) {
            actor, accessor in
            try accessor.observe(keyPaths) { [unowned actor] notification in
                let call = Transferred((accessor, notification))
                actor.assumeIsolated { block($0, call) }
            }
        }
    }

    /// Begins an observation on an actor. See `begin(_:on:_:observe:)`.
    static func begin<A: Actor>(
        _ accessor: any CollectionAccessor, on actor: A, _ prepared: Prepared, _isolation: isolated (any Actor)?,
        observe: @escaping @Sendable (isolated A, any CollectionAccessor) throws -> InstanceToken
    ) async throws -> NotificationToken {
        let (payload, file, configuration) = prepared
        let token = try await file.hub.observe(on: actor, from: accessor.realm.snapshot.version) { actor, _ in
            let realm = try file.realm(on: scheduler(of: actor), configuration)
            // If the owner was deleted, the observer is not called, as in Realm.
            guard let accessor = try payload.accessor(in: realm) else { return .ended }
            return try observe(actor, accessor)
        }
        return NotificationToken(token)
    }

    typealias Prepared = (CollectionReferencePayload, SharedRealmFile, Realm.Configuration)

    /// Throws errors here that would otherwise occur on the other queue or actor.
    static func prepare(
        _ accessor: any CollectionAccessor, _ keyPaths: [String]?
    ) throws -> Prepared {
        try accessor.realm.checkConfinement()
        if accessor.realm.isFrozen {
            throw RealmException("Frozen Realms do not change and do not have change notifications.")
        }
        if accessor.realm.configuration.readOnly {
            throw RealmException("Read-only Realms do not change and do not have change notifications.")
        }
        if accessor.realm.transaction != nil {
            throw RealmException("Cannot create asynchronous query after making changes in a write transaction.")
        }
        guard let file = accessor.realm.file else { throw RealmException("Not allowed within a migration.") }
        try accessor.check()
        _ = try accessor.keyPaths(keyPaths)
        return (try accessor.payload(), file, accessor.realm.configuration)
    }
}
