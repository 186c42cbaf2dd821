/// The changes of one class by one commit, or by several merged ones. Keys are never reused, so an object that was
/// deleted and created again with the same primary key is one deletion and one insertion.
package struct ClassChanges: Hashable, Sendable {
    /// Objects that exist now and did not before.
    package var insertions: Set<ObjectKey>
    /// Objects that existed before and do not now.
    package var deletions: Set<ObjectKey>
    /// Objects that exist before and after, with the properties that were assigned. Assigning the present value counts.
    package var modifications: [ObjectKey: PropertySet]
    /// The edits of the lists, sets and maps among the modified properties of modified objects. A property without an
    /// entry was assigned its own value, or was changed back.
    package var edits: [ObjectKey: PropertyEdits]

    package init(
        insertions: Set<ObjectKey> = [], deletions: Set<ObjectKey> = [], modifications: [ObjectKey: PropertySet] = [:],
        edits: [ObjectKey: PropertyEdits] = [:]
    ) {
        self.insertions = insertions
        self.deletions = deletions
        self.modifications = modifications
        self.edits = edits
    }

    package var isEmpty: Bool { insertions.isEmpty && deletions.isEmpty && modifications.isEmpty }

    package mutating func recordInsertion(_ key: ObjectKey) { insertions.insert(key) }

    package mutating func recordDeletion(_ key: ObjectKey) {
        modifications[key] = nil
        edits[key] = nil
        if insertions.remove(key) == nil { deletions.insert(key) }
    }

    package mutating func recordModification(_ key: ObjectKey, _ property: PropertyID) {
        guard !insertions.contains(key) else { return }
        modifications[key, default: PropertySet()].insert(property)
    }

    /// Records an edit of a collection, which is a modification of its property.
    package mutating func recordEdit(_ key: ObjectKey, _ property: PropertyID, _ edit: CollectionEdit) {
        guard !insertions.contains(key) else { return }
        recordModification(key, property)
        // Removed from the dictionary while it grows, so that it is not copied.
        var whole = edit
        if var earlier = edits[key]?.removeValue(forKey: property) {
            earlier.merge(edit)
            whole = earlier
        }
        if !whole.isEmpty { edits[key, default: [:]][property] = whole }
        if edits[key]?.isEmpty == true { edits[key] = nil }
    }

    /// Merges the changes that happened after these.
    package mutating func merge(_ later: ClassChanges) {
        for key in later.deletions { recordDeletion(key) }
        insertions.formUnion(later.insertions)
        for (key, properties) in later.modifications where !insertions.contains(key) {
            modifications[key, default: PropertySet()].formUnion(properties)
        }
        for (key, properties) in later.edits {
            for (property, edit) in properties { recordEdit(key, property, edit) }
        }
    }
}

/// The changes up to `version`: of one commit, or of several merged ones.
package struct ChangeSet: Hashable, Sendable {
    /// The version that the changes lead to.
    package var version: Version
    /// Classes without changes are left out.
    package var classes: [ClassID: ClassChanges]
    /// Whether the schema was replaced; names and types must then be looked up again.
    package var schemaChanged: Bool

    package init(version: Version, classes: [ClassID: ClassChanges] = [:], schemaChanged: Bool = false) {
        self.version = version
        self.classes = classes
        self.schemaChanged = schemaChanged
    }

    /// Merges the changes that happened after these. Cost: linear in `later`, except for the first merge.
    package mutating func merge(_ later: ChangeSet) {
        version = later.version
        schemaChanged = schemaChanged || later.schemaChanged
        if classes.isEmpty {
            classes = later.classes
            return
        }
        for (id, changes) in later.classes {
            classes[id, default: ClassChanges()].merge(changes)
            if classes[id]?.isEmpty == true { classes[id] = nil }
        }
    }
}

extension ClassChanges {
    /// The approximate memory of the changes, in bytes. Cost: the objects with edits.
    fileprivate var sizeEstimate: Int {
        edits.values.reduce(16 * (insertions.count + deletions.count) + 48 * modifications.count) { sum, edits in
            edits.reduce(sum + 64) { $0 + $1.value.sizeEstimate }
        }
    }

    /// The changes that undo these.
    package var inverted: ClassChanges {
        ClassChanges(
            insertions: deletions, deletions: insertions, modifications: modifications,
            edits: edits.mapValues { $0.mapValues(\.inverted) })
    }
}

extension ChangeSet {
    /// The approximate memory of the changes, in bytes. Cost: the objects whose collections were edited.
    package var sizeEstimate: Int { classes.values.reduce(0) { $0 + $1.sizeEstimate } }

    /// The changes that undo these, from `version` to the version that they start from.
    package func inverted(to version: Version) -> ChangeSet {
        ChangeSet(version: version, classes: classes.mapValues(\.inverted), schemaChanged: schemaChanged)
    }
}
