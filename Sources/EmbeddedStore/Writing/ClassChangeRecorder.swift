import ObjectModel

/// What one piece of work does to one class, as it happens.
///
/// New objects get consecutive keys, so they are a range and the few of it that were deleted again; a bulk load
/// costs no set until its change set is made.
struct ClassChangeRecorder {
    private var created: Range<Int64>?
    private var createdAndDeleted: Set<ObjectKey> = []
    private var deletions: Set<ObjectKey> = []
    private var modifications: [ObjectKey: PropertySet] = [:]
    private var edits: [ObjectKey: [PropertyID: CollectionEdit]] = [:]

    mutating func recordInsertion(_ key: ObjectKey) {
        created = (created?.lowerBound ?? key.rawValue)..<key.rawValue + 1
    }

    mutating func recordDeletion(_ key: ObjectKey) {
        if created?.contains(key.rawValue) == true {
            createdAndDeleted.insert(key)
        } else {
            modifications[key] = nil
            edits[key] = nil
            deletions.insert(key)
        }
    }

    /// With what was done to a collection, if the property is one.
    mutating func recordModification(_ key: ObjectKey, _ property: PropertyID, _ edit: CollectionEdit? = nil) {
        guard created?.contains(key.rawValue) != true else { return }
        modifications[key, default: PropertySet()].insert(property)
        guard let edit else { return }
        if edits[key]?[property]?.merge(edit) == nil { edits[key, default: [:]][property] = edit }
    }

    var changes: ClassChanges {
        var insertions = Set<ObjectKey>(minimumCapacity: created?.count ?? 0)
        for key in created ?? 0..<0 { insertions.insert(ObjectKey(key)) }
        if !createdAndDeleted.isEmpty { insertions.subtract(createdAndDeleted) }
        return ClassChanges(insertions: insertions, deletions: deletions, modifications: modifications, edits: edits)
    }
}
