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
    }

    /// All changes since the earlier version, merged.
    package let merged: ChangeSet
    private(set) var classes: [ClassID: Objects] = [:]

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
        for (id, own) in merged.classes {
            classes[id, default: Objects()].deleted = own.deletions
            classes[id]?.difference = own.deletions.count - own.insertions.count
            for key in own.deletions {
                let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: clusterCapacity)
                classes[id]?.deletedSlots[cluster, default: []].append(slot)
            }
        }
        let kinds = Dictionary(
            uniqueKeysWithValues: schema.classes.map { objectClass in
                (objectClass.id, objectClass.storedProperties.compactMap { p in LeafKind(p.type).map { (p.id, $0) } })
            })
        for (_, undo) in versions.reversed() {
            for step in undo.reversed() {
                guard let columns = kinds[step.classID], step.key.rawValue >= 0 else { throw .malformed }
                try takeBack(step, columns)
            }
        }
        for (id, objects) in classes {
            for (property, column) in objects.columns {
                classes[id]?.columns[property]?.keys = Dictionary(grouping: column.values.keys) {
                    Int($0.rawValue) / clusterCapacity
                }
            }
        }
    }

    private mutating func takeBack(_ step: UndoStep, _ columns: [(id: PropertyID, kind: LeafKind)]) throws(LeafError) {
        let key = step.key
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
                .values[key, default: AsOfValue()].takeBack(step.change, kind)
        }
    }
}
