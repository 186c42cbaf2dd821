import ObjectModel
import StoreContract

extension ModelTransaction {
    func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool {
        let objectClass = try state.objectClass(classID)
        let stored = try state.storedProperty(property, of: objectClass)
        let before = try state.row(classID, key)[property] ?? stored.type.zeroValue
        let place = Place(classID: classID, key: key, property: stored, objectClass: objectClass)
        switch before {
        case .list(let elements) where stored.type.collection == .list: return try edit(elements, operation, place)
        case .set(let elements) where stored.type.collection == .set: return try edit(elements, operation, set: place)
        case .dictionary(let map) where stored.type.collection == .map: return try edit(map, operation, place)
        default: throw StoreError.notACollection(stored, of: objectClass)
        }
    }

    /// The collection that is edited.
    private struct Place {
        let classID: ClassID
        let key: ObjectKey
        let property: PropertySchema
        let objectClass: ClassSchema

        var notSuchACollection: StoreError { StoreError.notACollection(property, of: objectClass) }
    }

    private func edit(_ before: [Value], _ operation: CollectionOperation, _ place: Place) throws -> Bool {
        var elements = before
        var edit = ListEdit()
        switch operation {
        case .insert(let value, let index):
            try checkIndex(index, below: before.count + 1, place)
            try checkNew(value, place)
            elements.insert(made(value, place), at: index)
            edit.recordInsertion(at: index)
        case .append(let value):
            try checkNew(value, place)
            elements.append(made(value, place))
            edit.recordInsertion(at: before.count)
        case .replace(let value, let index):
            try checkIndex(index, below: before.count, place)
            try checkNew(value, place, replacing: before[index])
            elements[index] = made(value, place)
            edit.recordModification(at: index)
        case .remove(let index):
            try checkIndex(index, below: before.count, place)
            elements.remove(at: index)
            edit.recordDeletion(at: index)
        case .move(let from, let to):
            try checkIndex(from, below: before.count, place)
            try checkIndex(to, below: before.count, place)
            guard from != to else { return false }
            elements.insert(elements.remove(at: from), at: to)
            edit.recordMove(from: from, to: to)
        case .removeAll:
            guard !before.isEmpty else { return false }
            elements = []
            edit = ListEdit(replacing: before.count, with: 0)
        case .add, .removeElement, .put, .removeKey: throw place.notSuchACollection
        }
        assign(.list(elements), .list(edit), place)
        return true
    }

    private func edit(_ before: [Value], _ operation: CollectionOperation, set place: Place) throws -> Bool {
        var elements = before
        var edit = SetEdit()
        switch operation {
        case .add(let value):
            try checkNew(value, place)
            guard !before.contains(where: { Value.order($0, value) == 0 }) else { return false }
            elements.append(value)
            edit.recordInsertion(value)
        case .removeElement(let value):
            try rules.checkElement(value, for: place.property, of: place.objectClass)
            guard let index = before.firstIndex(where: { Value.order($0, value) == 0 }) else { return false }
            edit.recordDeletion(elements.remove(at: index))
        case .removeAll:
            guard !before.isEmpty else { return false }
            elements = []
            edit = SetEdit(deletions: EditedElements(before))
        default: throw place.notSuchACollection
        }
        assign(ValueRules.normalised(.set(elements)), .set(edit), place)
        return true
    }

    private func edit(_ before: ValueMap, _ operation: CollectionOperation, _ place: Place) throws -> Bool {
        var map = before
        var edit = MapEdit()
        switch operation {
        case .put(let value, let key):
            try rules.check(mapKey: key, place.property, place.objectClass)
            try checkNew(value, place, replacing: before[key])
            map[key] = made(value, place)
            if before[key] == nil { edit.recordInsertion(MapKey(key)) } else { edit.recordModification(MapKey(key)) }
        case .removeKey(let key):
            guard before[key] != nil else { return false }
            map[key] = nil
            edit.recordDeletion(MapKey(key))
        case .removeAll:
            guard !before.isEmpty else { return false }
            map = ValueMap()
            for entry in before.entries { edit.recordDeletion(MapKey(entry.key)) }
        default: throw place.notSuchACollection
        }
        assign(.dictionary(map), .map(edit), place)
        return true
    }

    private func checkIndex(_ index: Int, below limit: Int, _ place: Place) throws {
        guard index < 0 || index >= limit else { return }
        throw StoreError(
            .indexOutOfBounds,
            "List '\(place.objectClass.name).\(place.property.name)' has no position \(index) for this.",
            property: place.property.name)
    }

    /// Checks a value for one place, whose present value is `present`.
    private func checkNew(_ value: Value, _ place: Place, replacing present: Value? = nil) throws {
        let held = present?.linkedKeys ?? []
        try rules.checkElement(value, for: place.property, of: place.objectClass, owned: { held.contains($0) })
    }

    /// One element as it is stored.
    private func made(_ value: Value, _ place: Place) -> Value {
        var single = place.property
        single.type.collection = .single
        return stored(value, in: single)
    }

    private func assign(_ value: Value, _ edit: CollectionEdit, _ place: Place) {
        assign(value, place.classID, place.key, place.property)
        recordEdit(place.classID, place.key, place.property.id, edit)
    }
}
