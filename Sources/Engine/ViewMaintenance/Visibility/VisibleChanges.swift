import Basics
import ObjectModel
import QueryExecution
import QueryLanguage
import QueryOperators
import StoreContract

/// Finds the visible part of a delta through a visibility filter: a function of what is visible before and after.
///
/// An object that becomes visible is an insertion, one that ceases to be visible a deletion. A property that may lead
/// to something hidden counts as modified if its visible value differs, whatever was assigned, and the edit of a list
/// follows from its two visible states: the recorded edit would reveal hidden elements. Any other property counts as
/// modified if it was assigned. Cost: the changed objects, those whose visibility depends on them, and those that link
/// to these; for a collection that may hold hidden links, its elements when it is edited.
struct VisibleChanges {
    /// The unrestricted delta.
    private let whole: VersionDelta
    /// The same two states through the visibility filter.
    private let before: any ObjectReads
    private let after: any ObjectReads
    private let earlier: VisibilityConditions
    private let later: VisibilityConditions
    /// Whether links and mixed values are compared by their visible values alone.
    private let byValue: Bool
    /// Objects that exist before and after, and are visible on one side only.
    private var turned: [ClassID: Turned] = [:]

    private struct Turned {
        var came: Set<ObjectKey> = []
        var went: Set<ObjectKey> = []

        func contains(_ key: ObjectKey) -> Bool { came.contains(key) || went.contains(key) }
    }

    /// - Parameter byValue: whether the delta covers several versions, some of which may have shown what is hidden on
    ///   both sides: then it does not matter what was assigned in between.
    init(
        _ whole: VersionDelta, from before: any ObjectReads, to after: any ObjectReads, _ earlier: VisibilityConditions,
        _ later: VisibilityConditions, byValue: Bool
    ) {
        self.byValue = byValue
        self.whole = whole
        self.before = before
        self.after = after
        self.earlier = earlier
        self.later = later
    }

    /// The visible changes to objects of these classes.
    mutating func changes(of classes: Set<ClassID>) throws -> ChangeSet {
        var seen = ChangeSet(version: after.version, schemaChanged: before.schema != after.schema)
        for classID in classes.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let objectClass = after.schema[classID] else { continue }
            let changes = try changes(of: objectClass)
            if !changes.isEmpty { seen.classes[classID] = changes }
        }
        return seen
    }

    private mutating func changes(of objectClass: ClassSchema) throws -> ClassChanges {
        let classID = objectClass.id
        let own = whole.changes.classes[classID] ?? ClassChanges()
        let turned = try turned(of: classID)
        var seen = ClassChanges(insertions: turned.came, deletions: turned.went)
        for key in own.insertions where try isThereAfter(classID, key) { seen.insertions.insert(key) }
        for key in own.deletions where try isThereBefore(classID, key) { seen.deletions.insert(key) }
        var candidates = own.modifications
        for property in objectClass.storedProperties {
            // A link to an object that became visible or hidden is another value, although nobody assigned it.
            for target in later.hiddenTargets(of: property) {
                let others = try self.turned(of: target)
                for key in others.came.union(others.went) {
                    let object = ObjectReference(target, key)
                    for holder in try whole.after.backlinks(to: object, from: classID, property.id) {
                        candidates[holder, default: PropertySet()].insert(property.id)
                    }
                }
            }
        }
        for (key, properties) in candidates {
            guard !turned.contains(key), !own.insertions.contains(key), !own.deletions.contains(key),
                try isThereAfter(classID, key)
            else { continue }
            for property in objectClass.storedProperties where properties.contains(property.id) {
                let isAssigned = own.modifications[key]?.contains(property.id) == true
                try compare(
                    property, of: classID, key, isAssigned: isAssigned, own.edits[key]?[property.id], into: &seen)
            }
        }
        return seen
    }

    // MARK: Visible objects

    private mutating func turned(of classID: ClassID) throws -> Turned {
        if let known = turned[classID] { return known }
        var found = Turned()
        if earlier[classID] != nil || later[classID] != nil {
            if let affectedKeys = try affectedKeys(of: classID) {
                let own = whole.changes.classes[classID]
                for key in affectedKeys
                where own?.insertions.contains(key) != true && own?.deletions.contains(key) != true {
                    switch (try isThereBefore(classID, key), try isThereAfter(classID, key)) {
                    case (false, true): found.came.insert(key)
                    case (true, false): found.went.insert(key)
                    default: break
                    }
                }
            } else {
                found = try compareAll(classID)
            }
        }
        turned[classID] = found
        return found
    }

    /// The objects whose visibility may differ; nil for any.
    private func affectedKeys(of classID: ClassID) throws -> Set<ObjectKey>? {
        guard !whole.changes.schemaChanged else { return nil }
        guard let condition = later[classID], let dependencies = condition.dependencies else {
            return later[classID] == nil ? [] : nil
        }
        guard dependencies.isTouched(by: whole.changes) || dependencies.mayRename(whole.changes) else { return [] }
        guard !dependencies.mayRename(whole.changes),
            case .objects(let affectedKeys) = try dependencies.affectedKeys(in: whole)
        else {
            return nil
        }
        return affectedKeys
    }

    private func compareAll(_ classID: ClassID) throws -> Turned {
        func all(_ conditions: VisibilityConditions, _ reads: any ObjectReads) throws -> Set<ObjectKey> {
            guard conditions.schema[classID] != nil else { return [] }
            return Set(try reads.select(conditions[classID]?.query ?? BoundQuery(classID: classID), .all))
        }
        let (old, new) = (try all(earlier, whole.before), try all(later, whole.after))
        let own = whole.changes.classes[classID] ?? ClassChanges()
        return Turned(
            came: new.subtracting(old).subtracting(own.insertions),
            went: old.subtracting(new).subtracting(own.deletions))
    }

    /// Whether an object that exists before is visible then.
    private func isThereBefore(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        guard let condition = earlier[classID] else { return true }
        let quick = try condition.quick.holds { try whole.valueBefore(classID, key, $0) }
        return try quick ?? before.exists(classID, key)
    }

    private func isThereAfter(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        guard let condition = later[classID] else { return true }
        let quick = try condition.quick.holds { try whole.valueAfter(classID, key, $0) }
        return try quick ?? after.exists(classID, key)
    }

    // MARK: Visible values of a property

    /// Records the difference of a property of an object that is visible on both sides.
    private mutating func compare(
        _ property: PropertySchema, of classID: ClassID, _ key: ObjectKey, isAssigned: Bool,
        _ recorded: CollectionEdit?, into seen: inout ClassChanges
    ) throws {
        let id = property.id
        guard before.schema[classID]?[id]?.type == property.type else { return seen.recordModification(key, id) }
        func assigned() {
            guard isAssigned else { return }
            seen.recordModification(key, id)
            if let recorded { seen.recordEdit(key, id, recorded) }
        }
        let ignoresAssignments = byValue && (property.type.isLink || property.type.isMixed)
        if !later.mayHide(within: property), !ignoresAssignments, !whole.changes.schemaChanged { return assigned() }
        // Observers of a collection as a result know which embedded objects it holds, and are notified of others in the
        // same positions. A single embedded object is compared by its visible values.
        let asParts = byValue || !property.type.isCollection
        func comparedForm(_ value: Value, _ reads: any ObjectReads) throws -> Value {
            asParts ? try parts(value, property, reads) : value
        }
        let (old, new) = (try before.value(classID, key, id), try after.value(classID, key, id))
        // An assignment of the value that was already visible is never reported: otherwise callers that are not
        // notified would learn of something hidden.
        guard try comparedForm(old, before) != comparedForm(new, after) else { return }
        seen.recordModification(key, id)
        if property.type.isCollection, let edit = try edit(property, from: old, to: new) {
            seen.recordEdit(key, id, edit)
        }
    }

    /// The edit of a collection, derived from its two visible states; nil where they are equal or of different kinds.
    ///
    /// Objects that are no longer visible leave a list as deleted ones do; the result is the same as if the list was
    /// written as a whole.
    private mutating func edit(_ property: PropertySchema, from old: Value, to new: Value) throws -> CollectionEdit? {
        guard case .list(let before) = old, case .list(let after) = new else {
            return CollectionEdit(from: old, to: new)
        }
        var (removed, nulled) = (IndexRuns(), IndexRuns())
        var left: [Value] = []
        left.reserveCapacity(before.count)
        for (index, element) in before.enumerated() {
            let cleared = try element.clearingLinks(in: property.targetClass) { try isNoLongerVisible($0) }
            if cleared == element {
                left.append(element)
            } else if property.type.isLink {
                removed.insert(index)
            } else {
                nulled.insert(index)
                left.append(cleared)
            }
        }
        var edit = ListEdit(deletions: removed, insertions: IndexRuns(), modifications: nulled)
        edit.merge(ListEdit(from: left, to: after))
        return edit.isEmpty ? nil : .list(edit)
    }

    /// Whether an object that was visible before is no longer visible.
    private mutating func isNoLongerVisible(_ object: ObjectReference) throws -> Bool {
        if whole.changes.classes[object.classID]?.deletions.contains(object.key) == true { return true }
        return try turned(of: object.classID).went.contains(object.key)
    }

    /// A value with embedded objects replaced by their visible values, without their identity.
    private func parts(_ value: Value, _ property: PropertySchema, _ reads: any ObjectReads) throws -> Value {
        guard property.ownsTarget, let target = property.targetClass.flatMap({ after.schema[$0] }) else { return value }
        switch value {
        case .link(let key):
            var contents: [PropertyID: Value] = [:]
            for property in target.storedProperties {
                contents[property.id] = try parts(reads.value(target.id, key, property.id), property, reads)
            }
            return .embedded(contents)
        case .list(let elements): return .list(try elements.map { try parts($0, property, reads) })
        case .dictionary(let map): return .dictionary(try map.mapValues { try parts($0, property, reads) })
        default: return value
        }
    }
}
