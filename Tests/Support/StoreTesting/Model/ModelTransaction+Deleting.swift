import ObjectModel
import StoreContract

extension ModelTransaction {
    /// Deletes objects with all that they own, and removes every link to any of these from the remaining objects.
    func remove(_ objects: [ObjectReference]) {
        let deleted = withOwned(objects)
        guard !deleted.isEmpty else { return }
        let schema = linkSchema
        for object in deleted {
            state.tables[object.classID]?.rows[object.key] = nil
            state.tables[object.classID]?.keys.removeAll { $0 == object.key }
            changes[object.classID, default: ClassChanges()].recordDeletion(object.key)
        }
        for objectClass in schema.classes {
            for property in objectClass.storedProperties where property.type.isLink || property.type.isMixed {
                for key in state.keys(of: objectClass.id) {
                    dropLinks(to: deleted, from: objectClass.id, key, property)
                }
            }
        }
    }

    private func withOwned(_ objects: [ObjectReference]) -> Set<ObjectReference> {
        let schema = linkSchema
        var found: Set<ObjectReference> = []
        var open = objects
        while let next = open.popLast() {
            guard let row = state.tables[next.classID]?.rows[next.key], found.insert(next).inserted else { continue }
            for property in schema[next.classID]?.storedProperties ?? [] where property.ownsTarget {
                guard let target = property.targetClass else { continue }
                open += (row[property.id] ?? .null).linkedKeys.map { ObjectReference(target, $0) }
            }
        }
        return found
    }

    /// Links in lists and sets are removed with their element; everywhere else they become null.
    private func dropLinks(
        to deleted: Set<ObjectReference>, from classID: ClassID, _ key: ObjectKey, _ property: PropertySchema
    ) {
        guard let before = state.tables[classID]?.rows[key]?[property.id] else { return }
        /// The value without the links; nil when it is such a link itself.
        func cleared(_ value: Value) -> Value? {
            switch value {
            case .link(let key):
                property.targetClass.map { deleted.contains(ObjectReference($0, key)) } ?? false ? nil : value
            case .reference(let target): deleted.contains(target) ? nil : value
            case .list(let elements): .list(elements.map { cleared($0) ?? .null })
            case .dictionary(let map): .dictionary(map.mapValues { cleared($0) ?? .null })
            default: value
            }
        }
        let after: Value
        var edit: CollectionEdit?
        switch (property.type.collection, before) {
        case (.list, .list(let elements)):
            var listEdit = ListEdit()
            var kept: [Value] = []
            for element in elements {
                let value = property.type.isMixed ? cleared(element) ?? .null : cleared(element)
                if let value {
                    kept.append(value)
                    if value != element { listEdit.recordModification(at: kept.count - 1) }
                } else {
                    listEdit.recordDeletion(at: kept.count)
                }
            }
            after = .list(kept)
            edit = .list(listEdit)
        case (.set, .set(let elements)):
            let kept = elements.filter { cleared($0) != nil }
            after = .set(kept)
            edit = .set(SetEdit(deletions: EditedElements(Set(elements).subtracting(kept))))
        case (.map, .dictionary(let map)):
            let kept = map.mapValues { cleared($0) ?? .null }
            var mapEdit = MapEdit()
            for (old, new) in zip(map.entries, kept.entries) where old != new {
                mapEdit.recordModification(MapKey(old.key))
            }
            after = .dictionary(kept)
            edit = .map(mapEdit)
        default: after = cleared(before) ?? .null
        }
        guard after != before else { return }
        state.tables[classID]?.rows[key]?[property.id] = after
        changes[classID, default: ClassChanges()].recordModification(key, property.id)
        if let edit { recordEdit(classID, key, property.id, edit) }
    }
}
