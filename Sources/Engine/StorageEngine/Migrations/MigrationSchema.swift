import ObjectModel

/// The schema that a migration works under: the new one plus everything that only the old one has, so that links from
/// there are maintained as long as a rename may still keep them.
struct MigrationSchema {
    let old: Schema
    var new: Schema {
        didSet {
            working = Self.working(new, since: old)
            becomingEmbedded = Self.becomingEmbedded(new, since: old)
        }
    }
    /// The new schema, but the classes whose objects need no owner until the end are not embedded.
    private(set) var working: Schema
    /// Classes whose primary keys may be duplicates until the end: they have an ordinary index meanwhile.
    private(set) var relaxed: Set<ClassID> = []
    /// Classes that are embedded now and were not before. Their objects need no owner until the end, nor do those of
    /// classes that are no longer embedded.
    private(set) var becomingEmbedded: [ClassSchema]

    init(from old: Schema, to new: Schema) {
        self.old = old
        self.new = new
        working = Self.working(new, since: old)
        becomingEmbedded = Self.becomingEmbedded(new, since: old)
        for after in new.classes {
            // A new key has the same value in every object.
            guard let before = old[after.id], let key = after.primaryKeyProperty else { continue }
            if before.primaryKeyProperty?.id != key.id { relaxed.insert(after.id) }
        }
    }

    /// Returns false when it was relaxed already.
    mutating func relax(_ classID: ClassID) -> Bool { relaxed.insert(classID).inserted }

    /// Classes whose objects can no longer be referenced.
    var unreferable: [ClassID] {
        old.classes.filter { !$0.isEmbedded && new[$0.id]?.isEmbedded != false }.map(\.id)
    }

    private static func becomingEmbedded(_ new: Schema, since old: Schema) -> [ClassSchema] {
        new.classes.filter { $0.isEmbedded && old[$0.id]?.isEmbedded == false }
    }

    private static func working(_ new: Schema, since old: Schema) -> Schema {
        Schema(
            version: new.version,
            numberedClasses: new.classes.map { objectClass in
                var free = objectClass
                free.isEmbedded = objectClass.isEmbedded && old[objectClass.id]?.isEmbedded != false
                return (free, free.id, free.properties.map(\.id), free.nextPropertyID)
            }, nextClassID: new.nextClassID)
    }

    /// Both schemas together. Parts that only the old one has get names that no schema can have.
    var union: Schema {
        typealias Entry = (class: ClassSchema, id: ClassID, propertyIDs: [PropertyID], nextPropertyID: UInt16)
        var entries: [Entry] = new.classes.map { after in
            var united = after
            if let before = old[after.id] {
                united.isEmbedded = after.isEmbedded && before.isEmbedded
                if relaxed.contains(after.id) {
                    united.primaryKey = nil
                    united.properties = after.properties.map { property in
                        var indexed = property
                        indexed.isIndexed = property.isIndexed || property.name == after.primaryKey
                        return indexed
                    }
                }
                united.properties += before.storedProperties.filter { after[$0.id] == nil }.map { Self.leftOver($0) }
            }
            return (united, after.id, united.properties.map(\.id), after.nextPropertyID)
        }
        for before in old.classes where new[before.id] == nil {
            var left = before
            left.primaryKey = nil
            left.properties = before.storedProperties.map { Self.leftOver($0) }
            entries.append((left, before.id, left.properties.map(\.id), before.nextPropertyID))
        }
        return Schema(version: new.version, numberedClasses: entries, nextClassID: new.nextClassID)
    }

    private static func leftOver(_ property: PropertySchema) -> PropertySchema {
        var left = property
        left.name = "$\(property.id.rawValue) \(property.name)"
        left.isIndexed = false
        left.isFullTextIndexed = false
        left.defaultValue = nil
        return left
    }
}
