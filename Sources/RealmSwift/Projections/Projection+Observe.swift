public import Dispatch

extension Projection {
    /// Calls the block after each version in which what the projected key paths lead to was changed, and at last when the
    /// object was deleted. There is no first call. `keyPaths` names projected properties; nil means all of them.
    ///
    /// Changes are named by the projection's properties; old values are told only of those that are the object's own.
    /// Threads and queues, and what traps, are as of `Object.observe`.
    public func observe<P: Projection<Root>>(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<P>) -> Void
    ) -> NotificationToken {
        raising {
            try rootObject.checkObservable()
            return try rootObject.begin(observed(keyPaths), on: queue) { (change: ObjectChange<Root>) in
                Self.projected(change).map(block)
            }
        }
    }

    /// `observe` with Swift key paths of the projection.
    public func observe<P: Projection<Root>>(
        keyPaths: [PartialKeyPath<P>], on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<P>) -> Void
    ) -> NotificationToken {
        raising {
            try rootObject.checkObservable()
            let names = keyPaths.map { _name(for: $0) }
            return try rootObject.begin(names.isEmpty ? observed(nil) : names, on: queue) {
                (change: ObjectChange<Root>) in
                Self.projected(change).map(block)
            }
        }
    }

    /// `observe` on an actor, with a projection of the object of the actor's realm.
    public func observe<A: Actor, P: Projection<Root>>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<P>) -> Void
    ) async -> NotificationToken {
        do {
            try rootObject.checkObservable()
            return try await rootObject.begin(observed(keyPaths), on: actor, _isolation: _isolation) {
                (actor: isolated A, change: ObjectChange<Root>) in
                if let change: ObjectChange<P> = Self.projected(change) { block(actor, change) }
            }
        } catch {
            stop(error)
        }
    }

    /// The object's key paths for the names of projected properties.
    private func observed(_ labels: [String]?) throws -> [String] {
        let own = ownProperties
        guard let labels, !labels.isEmpty else { return try own.map { try $0.wrapper.names().joined(separator: ".") } }
        return try labels.map { label in
            guard let property = own.first(where: { $0.label == label }) else {
                throw RealmException(
                    "Invalid property name: property '\(label)' not found in object of type '\(type(of: self))'")
            }
            return try property.wrapper.names().joined(separator: ".")
        }
    }

    /// The change of the object as one of its projection.
    private static func projected<P: Projection<Root>>(_ change: ObjectChange<Root>) -> ObjectChange<P>? {
        switch change {
        case .deleted: return .deleted
        case .error(let error): return .error(error)
        case .change(let root, let changes):
            guard let projection = (Self.self as? P.Type)?.init(projecting: root) else { return nil }
            return raising {
                var projected: [PropertyChange] = []
                for property in projection.ownProperties {
                    let names = try property.wrapper.names()
                    guard let change = changes.first(where: { $0.name == names.first }) else { continue }
                    let new = names.count == 1 ? change.newValue : try property.wrapper.anyValue(in: root)
                    projected.append(
                        PropertyChange(
                            name: property.label, oldValue: names.count == 1 ? change.oldValue : nil, newValue: new))
                }
                return .change(projection, projected)
            }
        }
    }
}
