import ObjectModel
import StoreContract

extension ModelTransaction {
    func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool {
        let objectClass = try state.objectClass(classID)
        let stored = try state.storedProperty(property, of: objectClass)
        let before = try state.row(classID, key)[property] ?? stored.type.zeroValue
        let target = Target(classID: classID, key: key, property: stored, objectClass: objectClass)
        switch before {
        case .list(let elements) where stored.type.collection == .list: return try edit(elements, operation, target)
        case .set(let elements) where stored.type.collection == .set: return try edit(elements, operation, set: target)
        case .dictionary(let map) where stored.type.collection == .map: return try edit(map, operation, target)
        default: throw StoreError.notACollection(stored, of: objectClass)
        }
    }

    /// The collection that is edited.
    private struct Target {
        let classID: ClassID
        let key: ObjectKey
        let property: PropertySchema
        let objectClass: ClassSchema

        var notSuchACollection: StoreError { StoreError.notACollection(property, of: objectClass) }
    }

    private func edit(_ before: [Value], _ operation: CollectionOperation, _ target: Target) throws -> Bool {
        var elements = before
        var edit = ListEdit()
        switch operation {
        case .insert(let value, let index):
            try checkIndex(index, below: before.count + 1, target)
            try checkNew(value, target)
            elements.insert(made(value, target), at: index)
            edit.recordInsertion(at: index)
        case .append(let value):
            try checkNew(value, target)
            elements.append(made(value, target))
            edit.recordInsertion(at: before.count)
        case .replace(let value, let index):
            try checkIndex(index, below: before.count, target)
            try checkNew(value, target, replacing: before[index])
            elements[index] = made(value, target)
            edit.recordModification(at: index)
        case .remove(let index):
            try checkIndex(index, below: before.count, target)
            elements.remove(at: index)
            edit.recordDeletion(at: index)
        case .move(let from, let to):
            try checkIndex(from, below: before.count, target)
            try checkIndex(to, below: before.count, target)
            guard from != to else { return false }
            elements.insert(elements.remove(at: from), at: to)
            edit.recordMove(from: from, to: to)
        case .removeAll:
            guard !before.isEmpty else { return false }
            elements = []
            edit = ListEdit(replacing: before.count, with: 0)
        case .add, .removeElement, .put, .removeKey: throw target.notSuchACollection
        }
        assign(.list(elements), .list(edit), target)
        return true
    }

    private func edit(_ before: [Value], _ operation: CollectionOperation, set target: Target) throws -> Bool {
        var elements = before
        var edit = SetEdit()
        switch operation {
        case .add(let value):
            try checkNew(value, target)
            guard !before.contains(where: { Value.order($0, value) == 0 }) else { return false }
            elements.append(value)
            edit.recordInsertion(value)
        case .removeElement(let value):
            try rules.checkElement(value, for: target.property, of: target.objectClass)
            guard let index = before.firstIndex(where: { Value.order($0, value) == 0 }) else { return false }
            edit.recordDeletion(elements.remove(at: index))
        case .removeAll:
            guard !before.isEmpty else { return false }
            elements = []
            edit = SetEdit(deletions: EditedElements(before))
        default: throw target.notSuchACollection
        }
        assign(ValueRules.normalised(.set(elements)), .set(edit), target)
        return true
    }

    private func edit(_ before: ValueMap, _ operation: CollectionOperation, _ target: Target) throws -> Bool {
        var map = before
        var edit = MapEdit()
        switch operation {
        case .put(let value, let key):
            try rules.check(mapKey: key, target.property, target.objectClass)
            try checkNew(value, target, replacing: before[key])
            map[key] = made(value, target)
            if before[key] == nil { edit.recordInsertion(MapKey(key)) } else { edit.recordModification(MapKey(key)) }
        case .removeKey(let key):
            guard before[key] != nil else { return false }
            map[key] = nil
            edit.recordDeletion(MapKey(key))
        case .removeAll:
            guard !before.isEmpty else { return false }
            map = ValueMap()
            for entry in before.entries { edit.recordDeletion(MapKey(entry.key)) }
        default: throw target.notSuchACollection
        }
        assign(.dictionary(map), .map(edit), target)
        return true
    }

    private func checkIndex(_ index: Int, below limit: Int, _ target: Target) throws {
        guard index < 0 || index >= limit else { return }
        throw StoreError(
            .indexOutOfBounds,
            "List '\(target.objectClass.name).\(target.property.name)' has no position \(index) for this.",
            property: target.property.name)
    }

    /// Checks a value for one position, whose present value is `present`.
    private func checkNew(_ value: Value, _ target: Target, replacing present: Value? = nil) throws {
        let held = present?.linkedKeys ?? []
        try rules.checkElement(value, for: target.property, of: target.objectClass, owned: { held.contains($0) })
    }

    /// One element as it is stored.
    private func made(_ value: Value, _ target: Target) -> Value {
        var single = target.property
        single.type.collection = .single
        return stored(value, in: single)
    }

    private func assign(_ value: Value, _ edit: CollectionEdit, _ target: Target) {
        assign(value, target.classID, target.key, target.property)
        recordEdit(target.classID, target.key, target.property.id, edit)
    }
}
