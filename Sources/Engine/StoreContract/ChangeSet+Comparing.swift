package import ObjectModel
import QueryLanguage

extension ChangeSet {
    /// The difference between two versions, found by comparing all their objects. It serves where no log has the
    /// changes: after a migration. Cost: everything that both versions hold.
    ///
    /// Classes and properties are matched by their numbers. A property that only the later schema has counts as
    /// assigned where its value is not its initial value; a property that only the earlier schema has is ignored.
    /// Objects of a class that the later schema does not have are deleted.
    package init(comparing before: any Snapshot, with after: any Snapshot) throws {
        self.init(version: after.version, schemaChanged: before.schema != after.schema)
        let numbers = Set(before.schema.classes.map(\.id)).union(after.schema.classes.map(\.id))
        for id in numbers {
            let changes = try ClassChanges(of: id, comparing: before, with: after)
            if !changes.isEmpty { classes[id] = changes }
        }
    }
}

extension ClassChanges {
    fileprivate init(of id: ClassID, comparing before: any Snapshot, with after: any Snapshot) throws {
        self.init()
        let all = BoundQuery(classID: id)
        let earlier = before.schema[id] == nil ? [] : try before.select(all, .all)
        let later = after.schema[id] == nil ? [] : try after.select(all, .all)
        let present = Set(later)
        deletions = Set(earlier).subtracting(present)
        insertions = present.subtracting(earlier)
        guard let now = after.schema[id], let then = before.schema[id] else { return }
        let properties = now.storedProperties.map { property in
            (property, isOld: then[property.id]?.type.keeps(property.type) == true)
        }
        for key in earlier where present.contains(key) {
            for (property, isOld) in properties {
                let old = isOld ? try before.value(id, key, property.id) : property.type.zeroValue
                if try after.value(id, key, property.id) != old { recordModification(key, property.id) }
            }
        }
    }
}

extension PropertyType {
    /// Whether values of this type can be compared with those of another.
    fileprivate func keeps(_ later: PropertyType) -> Bool { later.keepsValues(of: self) }
}
