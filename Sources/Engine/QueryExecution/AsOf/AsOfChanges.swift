package import Columnar
package import ObjectModel

/// The difference between an earlier version and a later one, as changes from the later one: the objects that did not
/// exist, those that did, and the former values of properties.
package struct AsOfChanges: Sendable {
    /// The objects of one class.
    struct Objects: Sendable {
        /// Keys count up, so all objects from this one on are newer than the earlier version.
        var firstNew = Int64.max
        /// The number of objects in the earlier version minus that in the later one.
        var difference = 0
        var deleted: Set<ObjectKey> = []
        /// The slots of deleted objects by cluster.
        var deletedSlots: [Int: [Int]] = [:]
        var columns: [PropertyID: Column] = [:]
    }

    /// The former values of one property that differ, or belong to deleted objects.
    struct Column: Sendable {
        var values: [ObjectKey: AsOfValue] = [:]
        /// The keys by cluster.
        var keys: [Int: [ObjectKey]] = [:]

        /// Drops the values of objects that did not exist.
        mutating func drop(_ objects: Set<ObjectKey>) {
            guard objects.count > values.count else {
                for key in objects { values[key] = nil }
                return
            }
            values = values.filter { !objects.contains($0.key) }
        }
    }

    /// The stored properties of a class, in order.
    private typealias Kinds = [(id: PropertyID, kind: LeafKind)]

    /// All changes since the earlier version, merged; none where they were taken back one by one.
    package let merged: ChangeSet
    private(set) var classes: [ClassID: Objects] = [:]
    private let kinds: [ClassID: Kinds]
    private let clusterCapacity: Int

    /// No difference: the earlier version is the later one, until changes are taken back.
    package init(at version: Version, schema: Schema, clusterCapacity: Int) {
        merged = ChangeSet(version: version)
        kinds = Self.kinds(schema)
        self.clusterCapacity = clusterCapacity
    }

    private static func kinds(_ schema: Schema) -> [ClassID: Kinds] {
        Dictionary(
            uniqueKeysWithValues: schema.classes.map { objectClass in
                (objectClass.id, objectClass.storedProperties.compactMap { p in LeafKind(p.type).map { (p.id, $0) } })
            })
    }

    /// Makes the difference of the changes of each version since the earlier one, oldest first, under one schema, and
    /// their undo steps. Throws when they do not fit the schema, which only a damaged file can cause.
    package init(
        since version: Version, _ versions: [(changes: ChangeSet, undo: [UndoStep])], schema: Schema,
        clusterCapacity: Int
    ) throws(LeafError) {
        var merged = ChangeSet(version: version)
        for (changes, _) in versions {
            merged.merge(changes)
            for (id, own) in changes.classes {
                guard let first = own.insertions.min() else { continue }
                classes[id, default: Objects()].firstNew = min(classes[id]?.firstNew ?? .max, first.rawValue)
            }
        }
        self.merged = merged
        kinds = Self.kinds(schema)
        self.clusterCapacity = clusterCapacity
        for (id, own) in merged.classes {
            classes[id, default: Objects()].deleted = own.deletions
            classes[id]?.difference = own.deletions.count - own.insertions.count
        }
        for (_, undo) in versions.reversed() {
            for step in undo.reversed() { try revert(step) }
        }
        finish()
    }

    /// Takes back one more version, the one that led to the present earlier version, and its undo steps. `finish` must
    /// follow before the difference is used. Throws as `init(since:)`. Cost: the changes.
    package mutating func revert(_ changes: ChangeSet, _ undo: [UndoStep]) throws(LeafError) {
        for (id, own) in changes.classes {
            // Taken out while it changes, so that it is not copied.
            var objects = classes.removeValue(forKey: id) ?? Objects()
            if let first = own.insertions.min() {
                objects.firstNew = min(objects.firstNew, first.rawValue)
                for property in Array(objects.columns.keys) { objects.columns[property]?.drop(own.insertions) }
            }
            objects.deleted.subtract(own.insertions)
            objects.deleted.formUnion(own.deletions)
            objects.difference += own.deletions.count - own.insertions.count
            classes[id] = objects
        }
        for step in undo.reversed() { try revert(step) }
    }

    /// Arranges what is different by clusters, for scans. Cost: all that is different.
    package mutating func finish() {
        let clusterCapacity = clusterCapacity
        for (id, objects) in classes {
            classes[id]?.deletedSlots = [:]
            for key in objects.deleted {
                let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: clusterCapacity)
                classes[id]?.deletedSlots[cluster, default: []].append(slot)
            }
            for (property, column) in objects.columns {
                classes[id]?.columns[property]?.keys = Dictionary(grouping: column.values.keys) {
                    Int($0.rawValue) / clusterCapacity
                }
            }
        }
    }

    private mutating func revert(_ step: UndoStep) throws(LeafError) {
        let key = step.key
        guard let columns = kinds[step.classID], key.rawValue >= 0 else { throw .malformed }
        guard key.rawValue < classes[step.classID]?.firstNew ?? .max else { return }
        switch step.change {
        case .deleted(let row):
            guard row.count == columns.count else { throw .malformed }
            for (value, column) in zip(row, columns) {
                let value = try AsOfValue.whole(value, column.kind)
                classes[step.classID, default: Objects()].columns[column.id, default: Column()].values[key] =
                    AsOfValue(start: value)
            }
        case .assigned(let property, _), .inserted(let property, _), .replaced(let property, _, _),
            .removed(let property, _, _, _):
            guard let kind = columns.first(where: { $0.id == property })?.kind else { throw .malformed }
            try classes[step.classID, default: Objects()].columns[property, default: Column()]
                .values[key, default: AsOfValue()].revert(step.change, kind)
        }
    }
}
