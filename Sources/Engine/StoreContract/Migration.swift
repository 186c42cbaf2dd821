package import ObjectModel

/// How the data is converted when the schema changes in a way that is not automatic.
///
/// It runs when the schema version rises, whether or not anything else changes. At the same version only the block of a
/// migration that adds objects runs; see `addsObjects`.
///
/// Without steps or a block: a property that is removed is dropped; one that is new, or whose type or linked class
/// changed, starts at zero, null or empty; one that became optional keeps its values; one that became required loses
/// all of them to zero. Declared defaults are not used. A class that is removed is dropped with its objects. Then
/// `steps` run in order, then `block`.
///
/// At the end, embedded objects that lost their owner (because the property or the owner's class was removed) are
/// deleted, and references from mixed values to objects of classes that were removed or became embedded are set to
/// null. Last, primary keys must be unique, and each object of a class that became embedded must be linked to exactly
/// once by one of the properties that own it now. Any failure leaves the store as it was, with `migrationFailed`, or
/// with the error that the block threw.
package struct Migration: Sendable {
    package var steps: [MigrationStep]
    package var block: (@Sendable (any MigrationTransaction) throws -> Void)?
    /// Whether the block also runs at the same schema version, after the changes that are automatic: to add objects in
    /// the commit that adds their classes.
    package var addsObjects: Bool

    package init(
        steps: [MigrationStep] = [], addsObjects: Bool = false,
        block: (@Sendable (any MigrationTransaction) throws -> Void)? = nil
    ) {
        self.steps = steps
        self.addsObjects = addsObjects
        self.block = block
    }
}

/// A migration step that needs no program. It visits objects in the order of their keys and skips those that an earlier
/// step deleted.
package enum MigrationStep: Hashable, Sendable {
    /// Renames a property and keeps its data. `from` exists in the old schema and not in the new one, `to` the other
    /// way round; base type and collection are the same, and `to` accepts null if `from` does. All renames take effect
    /// before the other steps, wherever they are in the list.
    case rename(class: String, from: String, to: String)
    /// Sets a property of every object to a value, or to its declared default, or to zero, null or empty.
    case setDefault(class: String, property: String, value: Value?)
    /// Copies an old property's values to a new property of the same type. Links to deleted objects become null or are
    /// left out; embedded objects are copied.
    case copy(class: String, from: String, to: String)
    /// Copies an old property's values to a new property of another type, converting each; see `Value.converted(to:)`.
    /// A value that cannot be converted fails the migration with an error that names the object, unless `fallback` is
    /// given, which then replaces the whole value. `from` and `to` may be the same name.
    case convert(class: String, from: String, to: String, fallback: Value?)
    /// Deletes the objects of a class, and the class itself if the new schema does not have it.
    case deleteClass(String)
}

/// The transaction of a migration's block: it writes under the new schema.
///
/// Primary keys may be assigned, and may be duplicates until the end. Objects of a class that becomes embedded need no
/// owner until the end: they are created and linked to like others.
package protocol MigrationTransaction: WriteTransaction {
    /// The store as it was before, under the old schema. Objects that both schemas have keep their keys.
    var old: any Snapshot { get }

    /// Renames a property; see `MigrationStep.rename`. Values assigned to the new property before are lost, and
    /// `schema` changes: the property keeps its old number. A new name that the new schema does not have is allowed if
    /// the property is renamed again before the block ends. Throws `migrationFailed`.
    func renameProperty(of className: String, from: String, to: String) throws

    /// Deletes the data of a class; see `MigrationStep.deleteClass`. Returns whether the class exists in the old or the
    /// new schema.
    @discardableResult
    func deleteData(of className: String) throws -> Bool
}
