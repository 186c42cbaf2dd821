import ViewMaintenance
import ObjectModel
import StoreContract

/// One observed object. Used by one thread at a time.
final class ObservedObject: MaintainedView {
    private let object: ObjectReference
    private var classID: ClassID { object.classID }
    private var key: ObjectKey { object.key }
    var subscriberGroups: [SubscriberGroup<LiveObjectEvent, Void>] = []

    /// When false, the view only serves to report the deletion to observers that knew the object.
    private let exists: Bool

    /// Throws `notFound`, `unknownClass`.
    ///
    /// - Parameter isResumed: whether it is for an observer that knows an earlier version, to which a deletion can be
    ///   reported.
    init(_ object: ObjectReference, _ snapshot: any Snapshot, isResumed: Bool) throws {
        self.object = object
        guard let objectClass = snapshot.schema[object.classID] else {
            throw StoreError(.unknownClass, "There is no class number \(object.classID.rawValue).")
        }
        exists = try snapshot.exists(object.classID, object.key)
        guard exists || isResumed else { throw Self.notFound(object, objectClass) }
    }

    private static func notFound(_ object: ObjectReference, _ objectClass: ClassSchema) -> StoreError {
        StoreError(.notFound, "Class '\(objectClass.name)' has no object with key \(object.key.rawValue).")
    }

    /// The object itself, and the objects on the paths that begin with it.
    var watches: Set<LiveWatch> {
        var watches: Set<LiveWatch> = [.object(object)]
        for subscriberGroup in subscriberGroups {
            for branch in subscriberGroup.branches where !branch.tree.isLocal {
                watches.insert(.paths(branch.tree, from: key))
            }
        }
        return watches
    }

    /// Sends the observer the begin of the observation, and the changes that it missed since the version that it knows;
    /// if the object was deleted, only that. Throws `notFound`, `unknownClass`, `unknownProperty`.
    func add(
        _ subscriber: Subscriber<LiveObjectEvent>, _ interest: LiveInterest, _ snapshot: any Snapshot,
        since known: Resumption?
    ) throws {
        guard let objectClass = snapshot.schema[classID] else {
            throw StoreError(.unknownClass, "The class of the observed object was removed from the schema.")
        }
        guard exists else {
            let step = try known.flatMap { try $0.step(for: watches) }
            guard try step?.before.exists(classID, key) == true else { throw Self.notFound(object, objectClass) }
            subscriber.finish(.deleted(snapshot.version))
            return
        }
        let index = try subscriberGroup(interest, snapshot.schema, new: ())
        subscriberGroups[index].subscribers.append(subscriber)
        let step = try known.flatMap { try $0.step(for: watches) }
        // An observer that knows a version before the object was created knows another object, or none.
        guard let step, try step.before.exists(classID, key) else {
            subscriber.send(.initial(snapshot: snapshot, ()))
            return
        }
        let missed = try changes(subscriberGroups[index], objectClass, step)
        subscriber.send(.resumed(snapshot: snapshot, ()))
        if !missed.isEmpty {
            subscriber.send(.update(LiveObjectChange(snapshot: snapshot, before: step.before, properties: missed)))
        }
    }

    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter? {
        try KeyPathFilter(keyPaths, from: classID, schema, else: "the object")
    }
}

// MARK: Steps

extension ObservedObject {
    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws {
        if step.changes.classes[classID]?.deletions.contains(key) == true {
            finish(.deleted(snapshot.version))
            return
        }
        guard let objectClass = snapshot.schema[classID] else {
            throw StoreError(.unknownClass, "The class of the observed object was removed from the schema.")
        }
        if step.changes.schemaChanged { adoptKeyPaths(snapshot.schema) }
        for subscriberGroup in subscriberGroups {
            let properties = try changes(subscriberGroup, objectClass, step)
            guard !properties.isEmpty else { continue }
            subscriberGroup.send(
                .update(LiveObjectChange(snapshot: snapshot, before: step.before, properties: properties)))
        }
    }

    /// The changes that a step made to the object: in the order of declaration, linking objects last.
    private func changes(
        _ subscriberGroup: SubscriberGroup<LiveObjectEvent, Void>, _ objectClass: ClassSchema, _ step: VersionDelta
    ) throws -> [LivePropertyChange] {
        var changed = try subscriberGroup.branches.changedProperties(of: key, by: step)
        if subscriberGroup.filter == nil {
            changed.formUnion(step.changes.classes[classID]?.modifications[key] ?? PropertySet())
        }
        guard !changed.isEmpty else { return [] }
        let stored = objectClass.storedProperties.filter { changed.contains($0.id) }
        let computed = objectClass.properties.filter { $0.type.isComputed && changed.contains($0.id) }
        return try stored.map { try change(of: $0, step) }
            + computed.map { LivePropertyChange(id: $0.id, oldValue: nil, newValue: nil) }
    }

    /// A collection is only reported as changed: observing the collection itself gives its edits.
    private func change(of property: PropertySchema, _ step: VersionDelta) throws -> LivePropertyChange {
        guard !property.type.isCollection else {
            return LivePropertyChange(id: property.id, oldValue: nil, newValue: nil)
        }
        return LivePropertyChange(
            id: property.id, oldValue: try oldValue(of: property, step),
            newValue: try step.after.value(classID, key, property.id))
    }

    /// Nil for a property that did not exist or had another type, and where the earlier version was released.
    private func oldValue(of property: PropertySchema, _ step: VersionDelta) throws -> Value? {
        guard step.before.schema[classID]?[property.id]?.type == property.type else { return nil }
        return try VersionDelta.ifRetained { try step.before.value(classID, key, property.id) }
    }
}

extension SubscriberGroup {
    /// The branches along which changes count for one object.
    fileprivate var branches: [LiveKeyPath.Branch] {
        filter?.branches ?? interest.shape?.branches ?? []
    }
}
