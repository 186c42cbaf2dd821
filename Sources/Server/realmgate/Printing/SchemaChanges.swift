import Basics
import ObjectCoding
import ObjectModel

/// Describes the difference between a schema and a store's, as lines for people.
struct SchemaChanges {
    let lines: [String]

    init(_ plan: SchemaPlan) {
        var lines: [String] = []
        if plan.version.from != plan.version.to {
            lines.append("schema version \(plan.version.from) → \(plan.version.to)")
        }
        lines += plan.changes.map { Self.line($0, plan) }
        self.lines = lines
    }

    private static func line(_ entry: SchemaPlan.Change, _ plan: SchemaPlan) -> String {
        let change = entry.change
        let path = change.path
        var line =
            switch change.kind {
            case .classAdded: "+ class \(path)"
            case .classRemoved:
                "- class \(path)" + (entry.objectCount == 0 ? "" : ", with its \(entry.objectCount) objects")
            case .becameEmbedded: "! class \(path): embedded"
            case .becameTopLevel: "! class \(path): no longer embedded"
            case .primaryKey(let old, let new): "! \(path): primary key \(old ?? "none") → \(new ?? "none")"
            case .propertyAdded, .computedAdded:
                "+ \(path): \(plan.document.schema[change.className]?[change.property ?? ""]?.type.description ?? "")"
            case .propertyRemoved: "- \(path)" + (entry.objectCount == 0 ? "" : ", with its values")
            case .computedRemoved: "- \(path)"
            case .propertyRenamed(let from): "! \(change.className).\(from) → \(change.property ?? "")"
            case .typeChanged(let old, let new): "! \(path): \(old) → \(new)"
            case .becameOptional: "! \(path): optional"
            case .becameRequired: "! \(path): required"
            case .indexAdded: "+ index on \(path)"
            case .indexRemoved: "- index on \(path)"
            case .fullTextIndexAdded: "+ full-text index on \(path)"
            case .fullTextIndexRemoved: "- full-text index on \(path)"
            case .defaultChanged: "  \(path): another default"
            }
        if !entry.steps.isEmpty {
            line += ", by migration step \(entry.steps.map { String($0 + 1) }.joined(separator: ", "))"
        }
        if !entry.isCovered { line += "  (refused)" }
        return line
    }
}

extension Schema {
    /// Returns the class with that name. Throws `CommandError` with the nearest name.
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
        throw CommandError(message)
    }
}
