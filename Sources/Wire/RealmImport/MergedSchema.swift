import ObjectModel
import StoreContract

/// The schema of a store after an import: its own classes, and those of the file.
///
/// A class that both have keeps what the store says of it, and gets the properties that only the file has. Where the
/// types of a property differ, that of the store stays if it can hold the values of the file; otherwise it is that of
/// the file, and the change follows the rules of migrations: it needs a schema version of the file that is higher, and
/// must lose no values.
struct MergedSchema {
    /// Numbered anew; a store keeps its own numbers.
    let schema: Schema

    /// Throws `differentClass` with everything that does not go together.
    ///
    /// - Parameter hasObjects: called with the names of classes of the store.
    init(
        adding added: Schema, to present: Schema, _ style: RealmOptionStyle, hasObjects: (String) -> Bool
    ) throws(RealmImportFault) {
        var classes = present.classes
        for new in added.classes {
            if let place = classes.firstIndex(where: { $0.name == new.name }) {
                classes[place] = Self.merged(new, into: classes[place])
            } else {
                classes.append(new)
            }
        }
        // A new database has the version of the file. One that is there keeps its own if it can.
        let isNew = present.classes.isEmpty && present.version == 0
        let kept = Schema(version: isNew ? added.version : present.version, classes: classes)
        let reasons = MigrationPlan(from: present, to: kept, steps: []).difference.migrationReasons(
            hasObjects: hasObjects)
        guard !reasons.isEmpty else {
            schema = kept
            return
        }
        let losses = reasons.filter { $0.effect == .losesData }
        guard losses.isEmpty else {
            throw RealmImportFault(
                .differentClass,
                "The database has classes of these names with objects in another form, and would lose values. Import the class under another name with \(style.rename("CLASS", to: "NAME")), or leave the property out with \(style.leaveOut("CLASS.PROPERTY")). Nothing was written.",
                losses.map { RealmObstacle($0.sentence) }, style)
        }
        guard added.version > present.version else {
            throw RealmImportFault(
                .differentClass,
                "The database has classes of these names with objects in another form. The change is a migration, which needs a higher schema version than \(present.version), and the file has \(added.version). Change the schema of the database first, or import the class under another name with \(style.rename("CLASS", to: "NAME")). Nothing was written.",
                reasons.map { RealmObstacle($0.sentence) }, style)
        }
        schema = Schema(version: added.version, classes: classes)
    }

    private static func merged(_ new: ClassSchema, into present: ClassSchema) -> ClassSchema {
        var properties = present.properties
        for property in new.properties {
            guard let place = properties.firstIndex(where: { $0.name == property.name }) else {
                properties.append(property)
                continue
            }
            // Its index and its default are the store's matter.
            if !properties[place].type.keepsValues(of: property.type) { properties[place].type = property.type }
        }
        return ClassSchema(
            present.name, primaryKey: new.primaryKey, isEmbedded: new.isEmbedded, properties: properties)
    }
}
