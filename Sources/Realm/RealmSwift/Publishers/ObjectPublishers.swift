public import Dispatch
public import OpenCombine

extension RealmPublishers {
    /// Publishes the changes of an object, and completes when it is deleted.
    public struct ObjectChangeset<O: ThreadConfined>: _ConfinedPublisher {
        public typealias Output = ObjectChange<O>
        public typealias Failure = Never

        public var _source: _PublisherSource<Output>

        init(observe: @escaping (DispatchQueue?, @escaping (ObjectChange<O>) -> Void) -> NotificationToken) {
            _source = _PublisherSource(merge: { $0.followed(by: $1) }) { queue, send in
                observe(queue) { change in
                    if case .deleted = change { send(.finished) } else { send(.value(change)) }
                }
            }
        }
    }
}

// MARK: - Objects

extension Object: ObservableObject {
    /// Publishes after each change of the object.
    public var objectWillChange: RealmPublishers.WillChange<Object> { RealmPublishers.WillChange(self) }
}

extension EmbeddedObject: ObservableObject {
    /// Publishes after each change of the object.
    public var objectWillChange: RealmPublishers.WillChange<EmbeddedObject> { RealmPublishers.WillChange(self) }
}

/// Publishes an object after each change, and completes when it is deleted.
public func valuePublisher<T: Object>(_ object: T, keyPaths: [String]? = nil) -> RealmPublishers.Value<T> {
    RealmPublishers.Value(object, keyPaths)
}

/// Publishes an object after each change at Swift key paths.
public func valuePublisher<T: Object>(_ object: T, keyPaths: [PartialKeyPath<T>]) -> RealmPublishers.Value<T> {
    valuePublisher(object, keyPaths: keyPaths.map { _name(for: $0) })
}

/// Publishes an embedded object after each change, and completes when it is deleted.
public func valuePublisher<T: EmbeddedObject>(_ object: T, keyPaths: [String]? = nil) -> RealmPublishers.Value<T> {
    RealmPublishers.Value(object, keyPaths)
}

/// Publishes the changes of an object.
public func changesetPublisher<T: Object>(
    _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
    RealmPublishers.ObjectChangeset { queue, send in object.observe(keyPaths: keyPaths, on: queue, send) }
}

/// Publishes the changes of an object at Swift key paths.
public func changesetPublisher<T: Object>(
    _ object: T, keyPaths: [PartialKeyPath<T>]
) -> RealmPublishers.ObjectChangeset<T> { changesetPublisher(object, keyPaths: keyPaths.map { _name(for: $0) }) }

/// Publishes the changes of an embedded object.
public func changesetPublisher<T: EmbeddedObject>(
    _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
    RealmPublishers.ObjectChangeset { queue, send in object.observe(keyPaths: keyPaths, on: queue, send) }
}

// MARK: - Projections

extension Projection: ObservableObject {
    /// Publishes after each change of the projected properties.
    public var objectWillChange: RealmPublishers.WillChange<Projection<Root>> { RealmPublishers.WillChange(self) }
}

extension Projection: RealmSubscribable {
    public func _subscribe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (_ this: Any?) -> Void
    ) -> NotificationToken {
        let type = type(of: self)
        return observe(keyPaths: keyPaths, on: queue) { change in
            switch change {
            case .change(let projection, _): block(type.init(projecting: projection.rootObject))
            case .deleted: block(nil)
            case .error: break
            }
        }
    }
}

/// Publishes a projection after each change of its properties, and completes when the object is deleted.
public func valuePublisher<T: ProjectionObservable & RealmSubscribable>(
    _ projection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(projection, keyPaths) }

/// Publishes the changes of a projection's properties.
public func changesetPublisher<T: ProjectionObservable>(
    _ projection: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
    RealmPublishers.ObjectChangeset { queue, send in projection.observe(keyPaths: keyPaths, on: queue, send) }
}
