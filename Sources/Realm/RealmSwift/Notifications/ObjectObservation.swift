public import Dispatch
import Foundation
import LiveQueries
import ObjectModel
import RealmInstances
import StoreContract

extension ObjectBase {
    /// Observes the stored object on the realm's thread, queue or actor.
    fileprivate final func observe(
        _ keyPaths: [String]?, _ deliver: @escaping (LiveObjectEvent) -> Void
    ) throws -> InstanceToken {
        let (realm, boundClass) = try managed()
        return try realm.live.observeObject(
            ObjectReference(boundClass.id, _objectKey), keyPaths: realm.keyPaths(keyPaths, of: boundClass.id),
            deliver: deliver)
    }

    /// Returns the change with Swift names and values; nil for events that are not reported.
    fileprivate final func change<T: ObjectBase>(_ event: LiveObjectEvent) -> ObjectChange<T>? {
        switch event {
        case .initial, .resumed, .failed: return nil
        case .deleted: return .deleted
        case .update(let change):
            guard let _class, let object = self as? T else { return nil }
            let changes = change.properties.compactMap { change -> PropertyChange? in
                guard let property = _class.properties.first(where: { $0.id == change.id }) else { return nil }
                return PropertyChange(
                    name: property.name, oldValue: swiftValue(change.oldValue, property),
                    newValue: swiftValue(change.newValue, property))
            }
            return .change(object, changes)
        }
    }

    /// Converts a stored value to what `value(forKey:)` gives for the property, as Realm does: the raw value of an enum,
    /// the content of a mixed value. Nil for null.
    private func swiftValue(_ value: Value?, _ property: BoundProperty) -> Any? {
        guard let value, !value.isNull, let _realm else { return nil }
        let stored = _Stored(property.reference(value))
        func named(_ value: Any) -> Any? {
            let plain = KeyValuePath.plain(value)
            return plain is NSNull ? nil : plain
        }
        func typed<V: _Persistable>(_: V.Type) -> Any? {
            guard let storable = V.self as? any _Storable.Type else { return nil }
            func restored<S: _Storable>(_: S.Type) -> Any? {
                (try? S._restored(stored, in: _realm)).flatMap { named($0) }
            }
            return restored(storable)
        }
        if let model = _class?.model, model.type == type(of: self) {
            return typed(model.properties[property.slot].wrapper.valueType)
        }
        return (try? property.type.base.visit(DynamicProperty.AsValue(value: stored.value, realm: _realm)))
            .flatMap { named($0) }
    }

    final func begin<T: ObjectBase>(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (ObjectChange<T>) -> Void
    ) throws -> NotificationToken {
        guard let queue else {
            return NotificationToken(try observe(keyPaths) { [self] event in change(event).map(block) })
        }
        let (reference, file, realm) = try prepare(keyPaths)
        let configuration = realm.configuration
        let transferred = Transferred(block)
        return NotificationToken(
            try file.hub.observe(on: queue, from: realm.snapshot.version) { _ in
                let object = try file.realm(on: scheduler(of: queue), configuration).object(reference)
                return try object.observe(keyPaths) { object.change($0).map(transferred.value) }
            } failed: { _ in
                // The object was deleted before the observation began.
                transferred.value(.deleted)
            })
    }

    final func begin<A: Actor, T: ObjectBase>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, ObjectChange<T>) -> Void
    ) async throws -> NotificationToken {
        let (reference, file, realm) = try prepare(keyPaths)
        let configuration = realm.configuration
        let token = try await file.hub.observe(on: actor, from: realm.snapshot.version) { actor, _ in
            let realm = try file.realm(on: scheduler(of: actor), configuration)
            guard try realm.exists(reference) else {
                // The object was deleted before the observation began.
                block(actor, .deleted)
                return .ended
            }
            let object = try realm.object(reference)
            return try object.observe(keyPaths) { [unowned actor] event in
                guard let change: ObjectChange<T> = object.change(event) else { return }
                let call = Transferred(change)
                actor.assumeIsolated { block($0, call.value) }
            }
        }
        return NotificationToken(token)
    }

    /// Throws errors here that would otherwise occur on the other queue or actor.
    private func prepare(_ keyPaths: [String]?) throws -> (ObjectReference, SharedRealmFile, RLMRealm) {
        let (realm, boundClass) = try managed()
        if realm.isFrozen {
            throw RealmException("Frozen Realms do not change and do not have change notifications.")
        }
        if realm.configuration.readOnly {
            throw RealmException("Read-only Realms do not change and do not have change notifications.")
        }
        if realm.transaction != nil {
            throw RealmException("Cannot create asynchronous query after making changes in a write transaction.")
        }
        guard let file = realm.file else { throw RealmException("Not allowed within a migration.") }
        _ = try realm.keyPaths(keyPaths, of: boundClass.id)
        return (ObjectReference(boundClass.id, _objectKey), file, realm)
    }

    final func checkObservable() throws {
        guard _realm != nil else {
            throw RealmException("Only objects which are managed by a Realm support change notifications")
        }
    }
}

extension Object {
    /// Calls the block after each version in which a property of the object was assigned, even to the same value, and
    /// finally when the object was deleted. There is no initial call. With key paths, only changes of these properties
    /// and of the objects on the paths count; a change at the end of a path is reported as a change of the path's first
    /// property.
    ///
    /// The same threads, queues and traps apply as for `RealmCollection.observe`.
    public func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        trapOnError {
            try checkObservable()
            return try begin(keyPaths, on: queue, block)
        }
    }

    /// Calls `observe` with Swift key paths; none means all properties of the object itself.
    public func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Observes on an actor, with the object of the actor's realm. When it returns, the observation is registered, so
    /// that no later write is missed. Returns an inactive token if the task was already cancelled.
    public func observe<A: Actor, T: Object>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        do {
            try checkObservable()
            return try await begin(keyPaths, on: actor, _isolation: _isolation, block)
        } catch {
            stop(error)
        }
    }

    /// Calls `observe` on an actor with Swift key paths.
    public func observe<A: Actor, T: Object>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}

extension EmbeddedObject {
    /// See `Object.observe`.
    public func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        trapOnError {
            try checkObservable()
            return try begin(keyPaths, on: queue, block)
        }
    }

    /// See `Object.observe`.
    public func observe<A: Actor, T: EmbeddedObject>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        do {
            try checkObservable()
            return try await begin(keyPaths, on: actor, _isolation: _isolation, block)
        } catch {
            stop(error)
        }
    }
}
