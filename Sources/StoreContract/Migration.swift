package import ObjectModel

/// What becomes of the data when the schema changes in a way that does not go without saying.
///
/// By itself: a property that is removed is dropped, one that is new or changed its type starts at zero or
/// null, one that became optional keeps its values, one that became required loses them to zero. Then `steps`
/// run in order, then `block`. Last, primary keys are checked for duplicates and embedded objects for their
/// owners. Anything that fails leaves the store as it was.
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

/// A migration that needs no program.
package enum MigrationStep: Hashable, Sendable {
    /// `from` exists in the old schema and not in the new one, `to` the other way round; the types are the
    /// same, or `to` is optional as well. The data stays.
    case rename(class: String, from: String, to: String)
    /// Sets a property of every object to a value, or to its declared default.
    case setDefault(class: String, property: String, value: Value?)
    /// Copies an old property's values to a new property of the same type.
    case copy(class: String, from: String, to: String)
    /// Copies an old property's values to a new property of another type, converting each. A value that cannot
    /// be converted fails the migration, naming the object, unless `fallback` is given.
    case convert(class: String, from: String, to: String, fallback: Value?)
    /// Lets go of the objects of a class; the class itself too if the new schema does not have it.
    case deleteClass(String)
}

/// The transaction of a migration's block: it writes under the new schema. Primary keys may be assigned, and be
/// there twice until the end.
package protocol MigrationTransaction: WriteTransaction {
    /// Everything as it was before, under the old schema. Objects that both schemas have keep their keys.
    var old: any Snapshot { get }

    /// See `MigrationStep.rename`. Throws `migrationFailed`.
    func renameProperty(of className: String, from: String, to: String) throws

    /// Whether the class existed. See `MigrationStep.deleteClass`.
    @discardableResult
    func deleteData(of className: String) throws -> Bool
}
