import ObjectModel
import QueryExecution
import StoredRecords

extension MemberTransaction {
    private struct PropertyLocation: Hashable {
        let classID: ClassID
        let key: ObjectKey
        let property: PropertyID

        /// Hashes one number, because there is one of these for every assignment.
        func hash(into hasher: inout Hasher) {
            hasher.combine(key.rawValue << 16 ^ Int64(property.rawValue) ^ Int64(classID.rawValue) << 48)
        }
    }

    /// The undo data of all changes of the work, for the change log; nil when it would be longer than `limit` bytes. It
    /// leaves out objects that the work itself created, and all later changes of a property that it assigned. Cost:
    /// at most some 0.5 µs for each assigned value or other step, and next to nothing for created objects.
    package func undo(limit: Int) -> [UInt8]? {
        if cannotRollBack { return nil }
        var writer = UndoRecord.Writer(limit: limit)
        var assigned: Set<PropertyLocation> = []
        // Otherwise no value occurs twice in the runs.
        let areRunsChecked = mayRepeatAssignments || journal.hasSingleAssignments
        // The final size if all steps are assignments, but not for journals of mostly other steps.
        switch journal.last {
        case .assigned, .assignedMany:
            if areRunsChecked { assigned.reserveCapacity(journal.assignmentLimit) }
        default: break
        }
        /// Whether the state before the step is irrelevant.
        func isSettled(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) -> Bool {
            if isCreated(objectClass, key) { return true }
            if assigned.isEmpty { return false }
            return assigned.contains(PropertyLocation(classID: objectClass.schema.id, key: key, property: column.id))
        }
        for step in journal.steps {
            switch step {
            case .created, .recordStored: continue
            case .assigned(let objectClass, let key, let column, let old):
                if isSettled(objectClass, key, column) { continue }
                let classID = objectClass.schema.id
                assigned.insert(PropertyLocation(classID: classID, key: key, property: column.id))
                guard let old = old.value(atMost: limit) else { return nil }
                writer.append(UndoStep(classID, key, .assigned(column.id, old: old)))
            case .assignedMany(let run):
                let classID = run.objectClass.schema.id
                for entry in run.entries {
                    let property = run.objectClass.columns[entry.position].id
                    if areRunsChecked {
                        let location = PropertyLocation(classID: classID, key: entry.key, property: property)
                        guard assigned.insert(location).inserted else { continue }
                    }
                    writer.append(UndoStep(classID, entry.key, .assigned(property, old: entry.old)))
                    if writer.isFull { return nil }
                }
            case .deleted(let objectClass, let key, let values):
                if isCreated(objectClass, key) { continue }
                var row: [Value] = []
                for value in values {
                    guard let value = value.value(atMost: limit) else { return nil }
                    row.append(value)
                }
                writer.append(UndoStep(objectClass.schema.id, key, .deleted(row)))
            case .inserted(let objectClass, let key, let column, let position):
                if isSettled(objectClass, key, column) { continue }
                writer.append(UndoStep(objectClass.schema.id, key, .inserted(column.id, position..<position + 1)))
            case .replaced(let objectClass, let key, let column, let position, let old):
                if isSettled(objectClass, key, column) { continue }
                writer.append(UndoStep(objectClass.schema.id, key, .replaced(column.id, at: position, old: old)))
            case .removed(let objectClass, let key, let column, let position, let mapKey, let old):
                if isSettled(objectClass, key, column) { continue }
                writer.append(
                    UndoStep(
                        objectClass.schema.id, key, .removed(column.id, at: position, mapKey: mapKey, old: old)))
            }
            if writer.isFull { return nil }
        }
        return writer.section
    }

    private func isCreated(_ objectClass: MutableClass, _ key: ObjectKey) -> Bool {
        changes[objectClass.schema.id]?.isCreated(key) == true
    }
}

/// The steps of a piece of work, in the order of execution. They are in chunks, so that a long journal grows without a
/// copy of itself.
struct Journal {
    private var chunks: [[MemberTransaction.Step]] = []

    private static let chunk = 1024

    var isEmpty: Bool { chunks.isEmpty }
    /// An upper bound of the number of assignments among the steps.
    private(set) var assignmentLimit = 0
    private(set) var hasSingleAssignments = false
    var last: MemberTransaction.Step? { chunks.last?.last }
    var steps: some BidirectionalCollection<MemberTransaction.Step> { chunks.joined() }

    mutating func append(_ step: MemberTransaction.Step) {
        switch step {
        case .assignedMany(let run): assignmentLimit += run.entries.count
        case .assigned:
            assignmentLimit += 1
            hasSingleAssignments = true
        default: break
        }
        if chunks.last.map({ $0.count < Self.chunk }) == true {
            chunks[chunks.count - 1].append(step)
        } else {
            chunks.append([step])
        }
    }

    /// Replaces the last step; there must be one.
    mutating func replaceLast(with step: MemberTransaction.Step) {
        guard let last = chunks.indices.last else { return }
        chunks[last][chunks[last].count - 1] = step
    }
}
