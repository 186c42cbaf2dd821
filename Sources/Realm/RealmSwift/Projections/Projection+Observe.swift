public import Dispatch

/// A projection, for methods that return its own type: see `Projection`.
public protocol ProjectionObservable: AnyObject, ThreadConfined, SendableMetatype {
    /// The class of the projected objects.
    associatedtype Root: ObjectBase

    /// The projected object.
    var rootObject: Root { get }

    /// Creates a projection of an object, which may be unmanaged. It copies nothing.
    init(projecting object: Root)
}

extension Projection: ProjectionObservable {}

extension ProjectionObservable {
    /// Calls the block after each version that changed a value at the projected key paths, and finally when the object
    /// was deleted. There is no initial call. `keyPaths` names projected properties, or the properties
    /// of the object that they project; nil and none mean all of them.
    ///
    /// The changes have the names of the projection's properties. Old values are reported only for the object's own
    /// properties. The same threads, queues and traps apply as for `Object.observe`.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        trapOnError {
            try rootObject.checkObservable()
            let paths = try projection().paths(of: keyPaths)
            return try rootObject.begin(paths, on: queue) { (change: ObjectChange<Root>) in
                block(Self.projected(change, paths))
            }
        }
    }

    /// Calls `observe` with Swift key paths of the projection.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: labels(of: keyPaths), on: queue, block) }

    /// Observes on an actor, with a projection of the object of the actor's realm.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        do {
            try rootObject.checkObservable()
            let paths = try projection().paths(of: keyPaths)
            return try await rootObject.begin(
                paths, on: actor, _isolation: _isolation
            ) { (actor: isolated A, change: ObjectChange<Root>) in
                block(actor, Self.projected(change, paths))
            }
        } catch {
            stop(error)
        }
    }

    /// Calls `observe` on an actor with Swift key paths of the projection.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: labels(of: keyPaths), on: actor, _isolation: _isolation, block)
    }

    private func projection() throws -> Projection<Root> {
        guard let projection = self as? Projection<Root> else {
            throw RealmException("'\(Self.self)' does not derive from Projection.")
        }
        return projection
    }

    /// Returns the names of the projected properties at key paths.
    private func labels(of keyPaths: [PartialKeyPath<Self>]) -> [String] {
        trapOnError {
            let own = try projection().ownProperties
            return try keyPaths.map { keyPath in
                let trace = _Trace()
                _ = Self(projecting: trace.object(Root.self))[keyPath: keyPath]
                guard let property = try own.first(where: { try $0.wrapper.names() == trace.names }) else {
                    throw RealmException("The key path \(keyPath) does not lead to a property of '\(Self.self)'.")
                }
                return property.label
            }
        }
    }

    /// Converts a change of the object to a change of its projection; `paths` are those that are observed.
    private static func projected(_ change: ObjectChange<Root>, _ paths: [String]) -> ObjectChange<Self> {
        switch change {
        case .deleted: .deleted
        case .error(let error): .error(error)
        case .change(let root, let changes):
            trapOnError {
                let projection = Self(projecting: root)
                return .change(projection, try projection.projection().projected(changes, paths))
            }
        }
    }
}

extension Projection {
    /// Returns the object's key paths for the names of projected properties.
    fileprivate func paths(of labels: [String]?) throws -> [String] {
        let own = ownProperties
        guard let labels, !labels.isEmpty else { return try own.map { try $0.wrapper.names().joined(separator: ".") } }
        return try labels.map { label in
            if let property = own.first(where: { $0.label == label }) {
                return try property.wrapper.names().joined(separator: ".")
            }
            // The object's name of a projected property.
            guard try own.contains(where: { try $0.wrapper.names().joined(separator: ".") == label }) else {
                throw RealmException(
                    "Invalid property name: property '\(label)' not found in object of type '\(type(of: self))'")
            }
            return label
        }
    }

    /// Converts changes of the object's properties to changes of the projected ones at the paths. A change behind a link
    /// is reported for each of them that leads through the link.
    fileprivate func projected(_ changes: [PropertyChange], _ paths: [String]) throws -> [PropertyChange] {
        try ownProperties.compactMap { property in
            let names = try property.wrapper.names()
            guard paths.contains(names.joined(separator: ".")) else { return nil }
            guard let change = changes.first(where: { $0.name == names.first }) else { return nil }
            // The old value as the path computes it, unless it lies behind a link.
            var old: Any?
            if names.count == 1, let oldValue = change.oldValue {
                let before = Root()
                try before.setDynamicValue(before.slot(of: change.name), oldValue)
                old = try property.wrapper.anyValue(in: before)
            }
            return PropertyChange(
                name: property.label, oldValue: old, newValue: try property.wrapper.anyValue(in: rootObject))
        }
    }
}
