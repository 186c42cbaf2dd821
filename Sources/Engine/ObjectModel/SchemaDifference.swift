/// The differences between two schemas, each with Realm's sentence and its effect on the data.
///
/// Changes of classes come first in the order of the newer schema, those of removed classes last. The changes of a
/// class begin with those of the class as a whole; then come its properties in the newer order, then its removed
/// properties.
package struct SchemaDifference: Hashable, Sendable {
    /// The effect of a change on a class that has objects. On a class without objects every change is automatic.
    package enum Effect: String, Hashable, Sendable {
        /// Adopted at the same schema version.
        case automatic
        /// Keeps the data, but needs a higher schema version, because older programs cannot use it.
        case needsMigration
        /// Loses values unless a migration converts them; needs a higher schema version.
        case losesData
    }

    package enum Kind: Hashable, Sendable {
        case classAdded
        case classRemoved
        case becameEmbedded
        case becameTopLevel
        /// Names of the primary keys before and after.
        case primaryKey(String?, String?)
        case propertyAdded
        case propertyRemoved
        /// A property that is computed from links of others and stores nothing.
        case computedAdded
        case computedRemoved
        case propertyRenamed(from: String)
        case typeChanged(from: PropertyType, to: PropertyType)
        case becameOptional
        case becameRequired
        case indexAdded
        case indexRemoved
        case fullTextIndexAdded
        case fullTextIndexRemoved
        case defaultChanged
    }

    package struct Change: Hashable, Sendable {
        package var className: String
        /// Nil for a change of the class as a whole.
        package var property: String?
        package var kind: Kind

        /// `Dog`, or `Dog.name`.
        package var path: String { property.map { "\(className).\($0)" } ?? className }

        package var effect: Effect {
            switch kind {
            case .classAdded, .propertyAdded, .indexAdded, .indexRemoved, .fullTextIndexAdded, .fullTextIndexRemoved,
                .defaultChanged, .computedAdded, .computedRemoved:
                .automatic
            case .typeChanged(let from, let to) where from.isComputed: to.isComputed ? .automatic : .needsMigration
            case .classRemoved, .propertyRemoved, .typeChanged, .becameRequired: .losesData
            case .becameEmbedded, .becameTopLevel, .primaryKey, .propertyRenamed, .becameOptional: .needsMigration
            }
        }

        /// Whether Realm would require a higher schema version: for all changes except added and removed classes and
        /// indexes.
        package var needsMigrationInRealm: Bool {
            switch kind {
            case .classAdded, .classRemoved, .indexAdded, .indexRemoved, .fullTextIndexAdded, .fullTextIndexRemoved,
                .defaultChanged, .computedAdded, .computedRemoved:
                false
            case .typeChanged(let from, let to): !(from.isComputed && to.isComputed)
            default: true
            }
        }

        package var sentence: String {
            switch kind {
            case .classAdded: "Class '\(className)' has been added."
            case .classRemoved: "Class '\(className)' has been removed."
            case .becameEmbedded: "Class '\(className)' has been changed from top-level to embedded."
            case .becameTopLevel: "Class '\(className)' has been changed from embedded to top-level."
            case .primaryKey(nil, _): "Primary Key for class '\(className)' has been added."
            case .primaryKey(_, nil): "Primary Key for class '\(className)' has been removed."
            case .primaryKey(let from?, let to?):
                "Primary Key for class '\(className)' has changed from '\(from)' to '\(to)'."
            case .propertyAdded, .computedAdded: "Property '\(path)' has been added."
            case .propertyRemoved, .computedRemoved: "Property '\(path)' has been removed."
            case .propertyRenamed(let from): "Property '\(className).\(from)' has been renamed to '\(property ?? "")'."
            case .typeChanged(let from, let to): "Property '\(path)' has been changed from '\(from)' to '\(to)'."
            case .becameOptional: "Property '\(path)' has been made optional."
            case .becameRequired: "Property '\(path)' has been made required."
            case .indexAdded: "Property '\(path)' has been made indexed."
            case .indexRemoved: "Property '\(path)' has been made unindexed."
            case .fullTextIndexAdded: "Property '\(path)' has been made indexed for full-text search."
            case .fullTextIndexRemoved: "Property '\(path)' has been made unindexed for full-text search."
            case .defaultChanged: "Property '\(path)' has a new default value."
            }
        }
    }

    package private(set) var changes: [Change] = []

    /// `renames` lists the properties of the newer schema that have another name than before.
    package init(from old: Schema, to new: Schema, renames: PropertyRenames = PropertyRenames()) {
        for after in new.classes {
            guard let before = old[after.name] else {
                add(after.name, nil, .classAdded)
                continue
            }
            compare(before, after, renames)
        }
        for before in old.classes where new[before.name] == nil { add(before.name, nil, .classRemoved) }
    }

    package var isEmpty: Bool { changes.isEmpty }

    /// The changes that a store adopts only at a higher schema version. `hasObjects` is called with names of classes of
    /// the older schema.
    package func migrationReasons(hasObjects: (String) -> Bool) -> [Change] {
        changes.filter { $0.effect != .automatic && hasObjects($0.className) }
    }

    private mutating func compare(_ before: ClassSchema, _ after: ClassSchema, _ renames: PropertyRenames) {
        if before.isEmbedded != after.isEmbedded {
            add(after.name, nil, after.isEmbedded ? .becameEmbedded : .becameTopLevel)
        }
        let key = before.primaryKey.map { renames.newName(of: $0, in: after.name) ?? $0 }
        if key != after.primaryKey { add(after.name, nil, .primaryKey(before.primaryKey, after.primaryKey)) }
        for property in after.properties {
            let oldName = renames.oldName(of: property.name, in: after.name)
            guard let same = before[oldName ?? property.name] else {
                add(after.name, property.name, property.type.isComputed ? .computedAdded : .propertyAdded)
                continue
            }
            if let oldName { add(after.name, property.name, .propertyRenamed(from: oldName)) }
            compare(same, property, after.name)
        }
        for property in before.properties
        where after[property.name] == nil && renames.newName(of: property.name, in: after.name) == nil {
            add(after.name, property.name, property.type.isComputed ? .computedRemoved : .propertyRemoved)
        }
    }

    private mutating func compare(_ before: PropertySchema, _ after: PropertySchema, _ className: String) {
        let old = before.type
        let new = after.type
        if old.base != new.base || old.collection != new.collection {
            add(className, after.name, .typeChanged(from: old, to: new))
        } else if old.isOptional != new.isOptional {
            add(className, after.name, new.isOptional ? .becameOptional : .becameRequired)
        }
        if before.isIndexed != after.isIndexed {
            add(className, after.name, after.isIndexed ? .indexAdded : .indexRemoved)
        }
        if before.isFullTextIndexed != after.isFullTextIndexed {
            add(className, after.name, after.isFullTextIndexed ? .fullTextIndexAdded : .fullTextIndexRemoved)
        }
        if before.defaultValue != after.defaultValue { add(className, after.name, .defaultChanged) }
    }

    private mutating func add(_ className: String, _ property: String?, _ kind: Kind) {
        changes.append(Change(className: className, property: property, kind: kind))
    }
}

/// Renamed properties, by class.
package struct PropertyRenames: Hashable, Sendable {
    /// Old names by new names, by class.
    private var oldNames: [String: [String: String]] = [:]

    package init() {}

    package mutating func add(class className: String, from: String, to: String) {
        oldNames[className, default: [:]][to] = from
    }

    /// The property's former name; nil when it was not renamed.
    package func oldName(of name: String, in className: String) -> String? { oldNames[className]?[name] }

    /// The present name of an older property; nil when it was not renamed.
    package func newName(of oldName: String, in className: String) -> String? {
        oldNames[className]?.first { $0.value == oldName }?.key
    }
}
