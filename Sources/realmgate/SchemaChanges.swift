import ObjectModel

/// What differs between two schemas, as lines for a person.
struct SchemaChanges {
    private(set) var lines: [String] = []

    init(from old: Schema, to new: Schema) {
        for objectClass in new.classes {
            guard let before = old[objectClass.name] else {
                lines.append("+ class \(objectClass.name)")
                continue
            }
            compare(before, objectClass)
        }
        for objectClass in old.classes where new[objectClass.name] == nil {
            lines.append("- class \(objectClass.name), with its objects")
        }
    }

    private mutating func compare(_ old: ClassSchema, _ new: ClassSchema) {
        if old.primaryKey != new.primaryKey {
            lines.append("! \(new.name): primary key \(old.primaryKey ?? "none") → \(new.primaryKey ?? "none")")
        }
        for property in new.properties {
            let path = "\(new.name).\(property.name)"
            guard let before = old[property.name] else {
                lines.append("+ \(path): \(property.type)")
                continue
            }
            if before.type != property.type { lines.append("! \(path): \(before.type) → \(property.type)") }
            if before.isIndexed != property.isIndexed {
                lines.append("\(property.isIndexed ? "+" : "-") index on \(path)")
            }
            if before.defaultValue != property.defaultValue { lines.append("  \(path): another default") }
        }
        for property in old.properties where new[property.name] == nil {
            lines.append("- \(new.name).\(property.name), with its values")
        }
    }
}

extension Schema {
    /// The class of that name. Throws `CommandFailure` with the nearest one.
    func named(_ name: String) throws -> ClassSchema {
        if let objectClass = self[name] { return objectClass }
        var message = "There is no class '\(name)'."
        if let near = classes.map(\.name).nearest(to: name) {
            message += " Did you mean '\(near)'?"
        } else if classes.isEmpty {
            message += " The database has no classes; give it some with `realmgate schema --apply FILE`."
        } else {
            message += " The classes are: \(classes.map(\.name).sorted().joined(separator: ", "))."
        }
        throw CommandFailure(message)
    }
}
