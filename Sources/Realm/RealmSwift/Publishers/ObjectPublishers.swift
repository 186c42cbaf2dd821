public import Dispatch
public import OpenCombine

extension RealmPublishers {
    /// The changes of an object; `deleted` is the last, and completes.
    public struct ObjectChangeset<O: ThreadConfined>: _ConfinedPublisher {
        public typealias Output = ObjectChange<O>
        public typealias Failure = Never

        public var _source: _PublisherSource<Output>

        init(observe: @escaping (DispatchQueue?, @escaping (ObjectChange<O>) -> Void) -> NotificationToken) {
            _source = _PublisherSource(merge: { $0.followed(by: $1) }) { queue, send in
                observe(queue) { change in
                    send(.value(change))
                    if case .deleted = change { send(.finished) }
                }
            }
        }
    }
}

// MARK: - Objects

extension Object: ObservableObject {
    /// Tells of each change of the object, after it happened.
    public var objectWillChange: RealmPublishers.WillChange<Object> { RealmPublishers.WillChange(self) }
}

extension EmbeddedObject: ObservableObject {
    /// Tells of each change of the object, after it happened.
    public var objectWillChange: RealmPublishers.WillChange<EmbeddedObject> { RealmPublishers.WillChange(self) }
}

/// An object after each change; completes when it is deleted.
public func valuePublisher<T: Object>(_ object: T, keyPaths: [String]? = nil) -> RealmPublishers.Value<T> {
    RealmPublishers.Value(object, keyPaths)
}

/// The same with Swift key paths.
public func valuePublisher<T: Object>(_ object: T, keyPaths: [PartialKeyPath<T>]) -> RealmPublishers.Value<T> {
    valuePublisher(object, keyPaths: keyPaths.map { _name(for: $0) })
}

/// An embedded object after each change; completes when it is deleted.
public func valuePublisher<T: EmbeddedObject>(_ object: T, keyPaths: [String]? = nil) -> RealmPublishers.Value<T> {
    RealmPublishers.Value(object, keyPaths)
}

/// The changes of an object.
public func changesetPublisher<T: Object>(
    _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
    RealmPublishers.ObjectChangeset { queue, send in object.observe(keyPaths: keyPaths, on: queue, send) }
}

/// The same with Swift key paths.
public func changesetPublisher<T: Object>(
    _ object: T, keyPaths: [PartialKeyPath<T>]
) -> RealmPublishers.ObjectChangeset<T> { changesetPublisher(object, keyPaths: keyPaths.map { _name(for: $0) }) }

/// The changes of an embedded object.
public func changesetPublisher<T: EmbeddedObject>(
    _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
    RealmPublishers.ObjectChangeset { queue, send in object.observe(keyPaths: keyPaths, on: queue, send) }
}

// MARK: - Projections

extension Projection: ObservableObject {
    /// Tells of each change of what is projected, after it happened.
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

/// A projection after each change of what it projects; completes when the object is deleted.
public func valuePublisher<T: ProjectionObservable & RealmSubscribable>(
    _ projection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(projection, keyPaths) }

/// The changes of what a projection projects.
public func changesetPublisher<T: ProjectionObservable>(
    _ projection: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
    RealmPublishers.ObjectChangeset { queue, send in projection.observe(keyPaths: keyPaths, on: queue, send) }
}
