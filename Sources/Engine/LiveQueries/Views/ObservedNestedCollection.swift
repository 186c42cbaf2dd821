import ViewMaintenance
import ObjectModel
import StoreContract

/// A list or dictionary within a mixed value. Used by one thread at a time.
///
/// The store records only that the whole value was assigned, so the changes are found by a comparison of the two
/// collections. A collection that no longer exists counts as empty.
final class ObservedNestedCollection: MaintainedView {
    private let path: NestedCollectionPath
    private var object: ObjectReference { path.object }
    private var links: ElementLinks
    var subscriberGroups: [SubscriberGroup<LiveCollectionEvent, Void>] = []

    /// Throws `unknownClass`, `unknownProperty`, `notACollection`.
    init(_ path: NestedCollectionPath, _ snapshot: any Snapshot) throws {
        self.path = path
        links = try Self.links(path, snapshot.schema)
    }

    private static func links(_ path: NestedCollectionPath, _ schema: Schema) throws -> ElementLinks {
        let stored = try schema.stored(path.property, of: path.object.classID)
        guard stored.type.isMixed else {
            throw StoreError(
                .notACollection, "Property '\(stored.name)' holds no mixed values, and no collections within them.",
                property: stored.name)
        }
        return ElementLinks(stored, schema)
    }

    var watches: Set<LiveWatch> {
        links.watches(of: subscriberGroups, in: object, nil).union([.object(object)])
    }

    /// Adds an observer and sends it the begin of the observation: it knows no earlier version. Throws `notFound`,
    /// `unknownProperty`.
    func add(
        _ subscriber: Subscriber<LiveCollectionEvent>, _ interest: LiveInterest, _ snapshot: any Snapshot,
        since known: Resumption?
    ) throws {
        guard try snapshot.exists(object.classID, object.key) else {
            throw StoreError(.notFound, "The object that holds the collection does not exist.")
        }
        let index = try subscriberGroup(interest, snapshot.schema, new: ())
        subscriberGroups[index].subscribers.append(subscriber)
        subscriber.send(.initial(snapshot: snapshot, ()))
    }

    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter? {
        try ElementLinks.filter(keyPaths, of: schema[object.classID]?[path.property], schema)
    }

    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws {
        let changes = step.changes.classes[object.classID]
        if changes?.deletions.contains(object.key) == true {
            let deleted = NestedDifference(from: try path.contents(step.before), to: nil, isList: path.isList)
            finish(deleted.changes, snapshot)
            return
        }
        if step.changes.schemaChanged {
            links = try Self.links(path, snapshot.schema)
            adoptKeyPaths(snapshot.schema)
        }
        let isAssigned =
            step.changes.schemaChanged || changes?.modifications[object.key]?.contains(path.property) == true
        if isAssigned { links.forget() }
        let linked = try subscriberGroups.map { subscriberGroup in
            try links.modified(by: step, for: subscriberGroup) { classes in
                try path.contents(step.after)?.collectLinkedClasses(into: &classes)
            }
        }
        guard isAssigned || linked.contains(where: { !$0.isEmpty }) else { return }
        let after = try path.contents(step.after)
        let before = isAssigned ? try path.contents(step.before) : after
        let difference = NestedDifference(from: before, to: after, isList: path.isList)
        for (subscriberGroup, linked) in zip(subscriberGroups, linked) {
            let changes = difference.changes(with: linked)
            guard !changes.isEmpty else { continue }
            subscriberGroup.send(
                .update(LiveCollectionChange(snapshot: snapshot, difference: changes, ownerIsDeleted: false)))
        }
    }

    /// Reports that all elements were deleted with the object: the last event.
    private func finish(_ deleted: LiveCollectionChange.Difference, _ snapshot: any Snapshot) {
        if deleted.isEmpty {
            for subscriber in subscriberGroups.flatMap(\.subscribers) { subscriber.cancel() }
            subscriberGroups = []
        } else {
            finish(.update(LiveCollectionChange(snapshot: snapshot, difference: deleted, ownerIsDeleted: true)))
        }
    }
}

/// The difference of two states of a list or dictionary.
private struct NestedDifference {
    /// What was assigned, inserted and removed.
    private(set) var changes: LiveCollectionChange.Difference
    private let after: Value?

    init(from before: Value?, to after: Value?, isList: Bool) {
        self.after = after
        guard before != after else {
            changes = isList ? .positions(IndexChanges()) : .keys(deletions: [], insertions: [], modifications: [])
            return
        }
        if isList {
            changes = .positions(IndexChanges(from: before.elements, to: after.elements))
        } else {
            let (old, new) = (before.map, after.map)
            changes = .keys(
                deletions: old.entries.map(\.key).filter { new[$0] == nil },
                insertions: new.entries.map(\.key).filter { old[$0] == nil },
                modifications: new.entries.filter { entry in old[entry.key].map { $0 != entry.value } ?? false }
                    .map(\.key))
        }
    }

    /// The changes, with elements that lead to modified objects.
    func changes(with linked: ModifiedLinks) -> LiveCollectionChange.Difference {
        guard !linked.isEmpty else { return changes }
        switch changes {
        case .positions(var indices):
            let elements = after.elements
            let modified = Set(indices.modificationsNew).union(
                elements.indices.filter { linked.contains(elements[$0]) })
            (indices.modifications, indices.modificationsNew) = ([], [])
            indices.addModifications(atNew: modified.sorted())
            return .positions(indices)
        case .keys(let deletions, let insertions, let modifications):
            let known = Set(modifications.map { Value.string($0) } + insertions.map { Value.string($0) })
            let modified = after.map.entries.filter {
                !known.contains(.string($0.key)) && linked.contains($0.value)
            }
            guard !modified.isEmpty else { return changes }
            let all = (modifications + modified.map(\.key)).sorted { Value.orderBytes($0, $1) < 0 }
            return .keys(deletions: deletions, insertions: insertions, modifications: all)
        }
    }
}

extension Value? {
    fileprivate var elements: [Value] {
        if case .list(let elements)? = self { return elements }
        return []
    }

    fileprivate var map: ValueMap {
        if case .dictionary(let map)? = self { return map }
        return ValueMap()
    }
}

extension IndexChanges {
    /// Between two unchanged elements, replaced elements are modifications; surplus ones are deletions or insertions.
    fileprivate init(from old: [Value], to new: [Value]) {
        var (deleted, inserted): (Set<Int>, Set<Int>) = ([], [])
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): deleted.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var (deletions, insertions): ([Int], [Int]) = ([], [])
        var (modifications, modificationsNew): ([Int], [Int]) = ([], [])
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            switch (deleted.contains(i), inserted.contains(j)) {
            case (true, true):
                modifications.append(i)
                modificationsNew.append(j)
                (i, j) = (i + 1, j + 1)
            case (true, false):
                deletions.append(i)
                i += 1
            case (false, true):
                insertions.append(j)
                j += 1
            case (false, false): (i, j) = (i + 1, j + 1)
            }
        }
        self.init(
            deletions: deletions, insertions: insertions, modifications: modifications,
            modificationsNew: modificationsNew)
    }
}
