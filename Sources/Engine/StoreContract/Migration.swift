package import ObjectModel

/// What becomes of the data when the schema changes in a way that does not go without saying.
///
/// It runs when the schema version rises, whether or not anything else changes, and never at the same version.
///
/// By itself: a property that is removed is dropped, one that is new or changed its type or the class that it links
/// to starts at zero, null or empty, one that became optional keeps its values, one that became required loses all
/// of them to zero. Declared defaults are not used. A class that is removed is dropped with its objects. Then
/// `steps` run in order, then `block`.
///
/// At the end, embedded objects whose owner let go of them (because the property or the owner's class is gone) are
/// deleted, and references from mixed values to objects of classes that are gone or embedded now become null. Last,
/// primary keys must be unique, and each object of a class that became embedded must be linked to exactly once by
/// one of the properties that own it now. Anything that fails leaves the store as it was, with `migrationFailed`,
/// or with the error that the block threw.
package struct Migration: Sendable {
    package var steps: [MigrationStep]
    package var block: (@Sendable (any MigrationTransaction) throws -> Void)?

    package init(
        steps: [MigrationStep] = [], block: (@Sendable (any MigrationTransaction) throws -> Void)? = nil
    ) {
        self.steps = steps
        self.block = block
    }
}

/// A migration that needs no program. Objects are visited in the order of their keys; those that an earlier step
/// deleted are left out.
package enum MigrationStep: Hashable, Sendable {
    /// `from` exists in the old schema and not in the new one, `to` the other way round; base type and collection
    /// are the same, and `to` takes null if `from` does. The data stays. All renames take effect before the other
    /// steps, wherever they stand.
    case rename(class: String, from: String, to: String)
    /// Sets a property of every object to a value, or to its declared default, or to zero, null or empty.
    case setDefault(class: String, property: String, value: Value?)
    /// Copies an old property's values to a new property of the same type; links to objects that are gone become
    /// null or are left out, embedded objects are copied.
    case copy(class: String, from: String, to: String)
    /// Copies an old property's values to a new property of another type, converting each; see
    /// `Value.converted(to:)`. A value that cannot be converted fails the migration, naming the object, unless
    /// `fallback` is given, which then takes the place of the whole value. `from` and `to` may be the same name.
    case convert(class: String, from: String, to: String, fallback: Value?)
    /// Lets go of the objects of a class; the class itself too if the new schema does not have it.
    case deleteClass(String)
}

/// The transaction of a migration's block: it writes under the new schema.
///
/// Primary keys may be assigned, and be there twice until the end. Objects of a class that becomes embedded are
/// free until the end: they are created and linked to like others.
package protocol MigrationTransaction: WriteTransaction {
    /// Everything as it was before, under the old schema. Objects that both schemas have keep their keys.
    var old: any Snapshot { get }

    /// See `MigrationStep.rename`; what has been assigned to the new property before is lost, and `schema` changes:
    /// the property goes on under its old number. A new name that the new schema does not have is allowed if the
    /// property is renamed again before the block ends. Throws `migrationFailed`.
    func renameProperty(of className: String, from: String, to: String) throws

    /// Whether the class exists in the old or the new schema. See `MigrationStep.deleteClass`.
    @discardableResult
    func deleteData(of className: String) throws -> Bool
}
