import ObjectModel

/// Records the changes that one piece of work makes to one class.
///
/// New objects get consecutive keys, so they are recorded as a range with the few that were deleted again; a bulk load
/// needs no set until its change set is made.
struct ClassChangeRecorder {
    private var created: Range<Int64>?
    private var createdAndDeleted: Set<ObjectKey> = []
    /// The changes of objects that existed before.
    private var others = ClassChanges()
    /// Assignments that are not entered in `others` yet: entering many at once costs less. They take 16 bytes each.
    private var assignments: [(key: ObjectKey, property: PropertyID)] = []
    private static let mostAssignments = 1 << 16

    mutating func recordInsertion(_ key: ObjectKey) {
        created = (created?.lowerBound ?? key.rawValue)..<key.rawValue + 1
    }

    mutating func recordDeletion(_ key: ObjectKey) {
        if created?.contains(key.rawValue) == true {
            createdAndDeleted.insert(key)
        } else {
            enterAssignments()
            others.recordDeletion(key)
        }
    }

    /// Records a modification, with the edit if the property is a collection.
    mutating func recordModification(_ key: ObjectKey, _ property: PropertyID, _ edit: CollectionEdit? = nil) {
        guard created?.contains(key.rawValue) != true else { return }
        if let edit {
            others.recordEdit(key, property, edit)
        } else {
            assignments.append((key, property))
            if assignments.count == Self.mostAssignments { enterAssignments() }
        }
    }

    private mutating func enterAssignments() {
        guard !assignments.isEmpty else { return }
        others.modifications.reserveCapacity(others.modifications.count + assignments.count)
        for (key, property) in assignments { others.recordModification(key, property) }
        assignments.removeAll(keepingCapacity: true)
    }

    /// Whether this piece of work created the object.
    func isCreated(_ key: ObjectKey) -> Bool { created?.contains(key.rawValue) == true }

    /// The changes so far. It enters what is not entered yet, here and not in a copy, which would take the memory of
    /// all changes again.
    mutating func changes() -> ClassChanges {
        enterAssignments()
        var changes = others
        var insertions = Set<ObjectKey>(minimumCapacity: created?.count ?? 0)
        for key in created ?? 0..<0 { insertions.insert(ObjectKey(key)) }
        if !createdAndDeleted.isEmpty { insertions.subtract(createdAndDeleted) }
        changes.insertions = insertions
        return changes
    }
}
