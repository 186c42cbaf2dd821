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
    /// Assignments that are not entered in `others` yet: entering many at once costs less.
    private var assignments: [(key: ObjectKey, property: PropertyID)] = []

    mutating func recordInsertions(_ keys: Range<Int64>) {
        created = (created?.lowerBound ?? keys.lowerBound)..<keys.upperBound
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
        }
    }

    /// Records the modifications of objects that this piece of work did not create.
    mutating func recordModifications(_ run: AssignmentRun) {
        let columns = run.objectClass.columns
        for entry in run.entries { assignments.append((entry.key, columns[entry.position].id)) }
    }

    private mutating func enterAssignments() {
        guard !assignments.isEmpty else { return }
        others.modifications.reserveCapacity(others.modifications.count + assignments.count)
        for (key, property) in assignments { others.recordModification(key, property) }
        assignments.removeAll()
    }

    /// Whether this piece of work created the object.
    func isCreated(_ key: ObjectKey) -> Bool { created?.contains(key.rawValue) == true }

    /// The key of the first object that this piece of work created. Mutating, so that the record is not copied for the
    /// call.
    mutating func firstCreatedInPlace() -> Int64? { created?.lowerBound }

    var changes: ClassChanges {
        var insertions = Set<ObjectKey>(minimumCapacity: created?.count ?? 0)
        for key in created ?? 0..<0 { insertions.insert(ObjectKey(key)) }
        if !createdAndDeleted.isEmpty { insertions.subtract(createdAndDeleted) }
        var entered = self
        entered.enterAssignments()
        var changes = entered.others
        changes.insertions = insertions
        return changes
    }
}
