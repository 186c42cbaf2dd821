import Basics
import ViewMaintenance
import ObjectModel
import StoreContract

/// One object's list, set or map, of values or links. Used by one thread at a time.
///
/// It stores no elements: the change set has the edit of the collection, and its elements are read where a linked
/// object changed.
final class ObservedCollection: MaintainedView {
    private let object: ObjectReference
    private let property: PropertyID
    private var type: PropertyType
    private var links: ElementLinks
    var subscriberGroups: [SubscriberGroup<LiveCollectionEvent, Void>] = []

    /// Throws `unknownClass`, `unknownProperty`, `notACollection`. Whether the object exists is checked when an
    /// observer is added.
    init(_ object: ObjectReference, _ property: PropertyID, _ snapshot: any Snapshot) throws {
        self.object = object
        self.property = property
        let stored = try snapshot.schema.stored(property, of: object.classID)
        type = try Self.type(of: stored)
        links = ElementLinks(stored, snapshot.schema)
    }

    private static func type(of stored: PropertySchema) throws -> PropertyType {
        guard stored.type.isCollection else {
            throw StoreError(
                .notACollection, "Property '\(stored.name)' is not a list, set or map: observe its object instead.",
                property: stored.name)
        }
        return stored.type
    }

    var watches: Set<LiveWatch> {
        links.watches(of: subscriberGroups, in: object, property).union([.object(object)])
    }

    /// Adds an observer and sends it the begin of the observation, and the difference since the version that it knows.
    /// Throws `notFound`, `unknownProperty`.
    func add(
        _ subscriber: Subscriber<LiveCollectionEvent>, _ interest: LiveInterest, _ snapshot: any Snapshot,
        since known: Resumption?
    ) throws {
        guard try snapshot.exists(object.classID, object.key) else {
            let step = try known.flatMap { try $0.step(for: watches) }
            guard let step, try step.before.exists(object.classID, object.key) else { throw notFound(snapshot) }
            subscriber.send(.resumed(snapshot: snapshot, ()))
            let deletion = try deletedWithOwner(step)
            if deletion.isEmpty {
                subscriber.cancel()
            } else {
                subscriber.finish(.update(change(deletion, snapshot, true)))
            }
            return
        }
        let index = try subscriberGroup(interest, snapshot.schema, new: ())
        subscriberGroups[index].subscribers.append(subscriber)
        let step = try known.flatMap { try $0.step(for: watches) }
        if let step, try step.before.exists(object.classID, object.key) {
            let whole = try difference(step, subscriberGroups[index])
            subscriber.send(.resumed(snapshot: snapshot, ()))
            if !whole.isEmpty { subscriber.send(.update(change(whole, snapshot, false))) }
        } else {
            subscriber.send(.initial(snapshot: snapshot, ()))
        }
    }

    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws {
        if step.changes.classes[object.classID]?.deletions.contains(object.key) == true {
            try finish(step, snapshot)
            return
        }
        if step.changes.schemaChanged { try adopt(snapshot.schema) }
        if try edit(step) != nil { links.forget() }
        var last: LiveCollectionChange?
        for subscriberGroup in subscriberGroups {
            let difference = try difference(step, subscriberGroup)
            guard !difference.isEmpty else { continue }
            let event =
                if let last, last.difference == difference { last } else { change(difference, snapshot, false) }
            last = event
            subscriberGroup.send(.update(event))
        }
    }

    /// Reports that all elements were deleted with their object: the last event.
    private func finish(_ step: VersionDelta, _ snapshot: any Snapshot) throws {
        let deletion = try deletedWithOwner(step)
        if deletion.isEmpty {
            for subscriber in subscriberGroups.flatMap(\.subscribers) { subscriber.cancel() }
            subscriberGroups = []
        } else {
            finish(.update(change(deletion, snapshot, true)))
        }
    }

    private func change(
        _ difference: LiveCollectionChange.Difference, _ snapshot: any Snapshot, _ ownerIsDeleted: Bool
    ) -> LiveCollectionChange {
        LiveCollectionChange(snapshot: snapshot, difference: difference, ownerIsDeleted: ownerIsDeleted)
    }

    private func notFound(_ snapshot: any Snapshot) -> StoreError {
        let name = snapshot.schema[object.classID]?.name ?? "\(object.classID.rawValue)"
        return StoreError(.notFound, "Class '\(name)' has no object with key \(object.key.rawValue).")
    }

    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter? {
        try ElementLinks.filter(keyPaths, of: schema[object.classID]?[property], schema)
    }

    /// Looks up again everything that depends on the schema. Observers whose key paths no longer exist fail on their
    /// own.
    private func adopt(_ schema: Schema) throws {
        let stored = try schema.stored(property, of: object.classID)
        let now = try Self.type(of: stored)
        guard now.collection == type.collection else {
            throw StoreError(.unknownProperty, "The type of the observed collection has changed.")
        }
        type = now
        links = ElementLinks(stored, schema)
        adoptKeyPaths(schema)
    }
}

// MARK: - Differences

extension ObservedCollection {
    private typealias Difference = LiveCollectionChange.Difference

    /// The difference by a step after which the object still exists. Cost: the edit of the collection, and, if objects
    /// changed that it may hold, a pass over its elements.
    private func difference(
        _ step: VersionDelta, _ subscriberGroup: SubscriberGroup<LiveCollectionEvent, Void>
    ) throws -> LiveCollectionChange.Difference {
        let edit = try edit(step)
        let linked = try modifiedLinks(step, subscriberGroup)
        switch type.collection {
        case .map: return try keys(edit, linked, step)
        case .set: return .positions(try setChanges(edit, linked, step))
        default: return .positions(try listChanges(edit, linked, step))
        }
    }

    private func collection(_ reads: any ObjectReads) -> StoredElements {
        StoredElements(reads, object, property)
    }

    /// The recorded edit, or the visible difference where a migration has written other elements.
    private func edit(_ step: VersionDelta) throws -> CollectionEdit? {
        guard step.changes.schemaChanged else {
            return step.changes.classes[object.classID]?.edits[object.key]?[property]
        }
        guard step.before.schema[object.classID]?[property]?.type.collection == type.collection else { return nil }
        let before = try step.before.value(object.classID, object.key, property)
        let after = try step.after.value(object.classID, object.key, property)
        return before == after ? nil : CollectionEdit(replacing: before, with: after, in: type)
    }

    /// The objects in the collection that count as modified.
    private func modifiedLinks(
        _ step: VersionDelta, _ subscriberGroup: SubscriberGroup<LiveCollectionEvent, Void>
    ) throws -> ModifiedLinks {
        try links.modified(by: step, for: subscriberGroup) { classes in
            try collection(step.after).forEach { _, value in value.collectLinkedClasses(into: &classes) }
        }
    }

    private func listChanges(_ edit: CollectionEdit?, _ linked: ModifiedLinks, _ step: VersionDelta) throws
        -> IndexChanges
    {
        var changes = IndexChanges()
        var modified = IndexRuns()
        if case .list(let edit) = edit {
            changes.deletions = edit.deletions.indices
            changes.insertions = edit.insertions.indices
            modified = edit.modifications
        }
        let elements = collection(step.after)
        if try elements.mayHold(linked) {
            try elements.forEach { index, value in if linked.contains(value) { modified.insert(index) } }
        }
        changes.addModifications(atNew: modified.indices)
        return changes
    }

    private func setChanges(_ edit: CollectionEdit?, _ linked: ModifiedLinks, _ step: VersionDelta) throws
        -> IndexChanges
    {
        var changes = IndexChanges()
        if case .set(let edit) = edit {
            changes.deletions = try collection(step.before).positions(of: edit.deletions.ascending)
            changes.insertions = try collection(step.after).positions(of: edit.insertions.ascending)
        }
        changes.addModifications(atNew: try collection(step.after).positions(of: linked.values))
        return changes
    }

    private func keys(_ edit: CollectionEdit?, _ linked: ModifiedLinks, _ step: VersionDelta) throws -> Difference {
        var whole = MapEdit()
        if case .map(let edit) = edit { whole = edit }
        if try collection(step.after).mayHold(linked),
            case .dictionary(let map) = try step.after.value(object.classID, object.key, property)
        {
            for entry in map.entries where linked.contains(entry.value) { whole.recordModification(MapKey(entry.key)) }
        }
        return Difference(whole)
    }

    /// Every former element, as deleted.
    private func deletedWithOwner(_ step: VersionDelta) throws -> LiveCollectionChange.Difference {
        let value = try step.before.value(object.classID, object.key, property)
        if case .dictionary(let map) = value {
            return .keys(deletions: map.entries.map(\.key), insertions: [], modifications: [])
        }
        let count = try step.before.elementCount(object.classID, object.key, property)
        return .positions(IndexChanges(deletions: Array(0..<count)))
    }
}
