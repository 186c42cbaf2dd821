package import ObjectModel
package import QueryLanguage

/// One piece of work of the store's writer. Reads show the work's own changes. Used on the writer's thread
/// only, and only during the work.
///
/// Every method throws `unknownClass` and `unknownProperty` for numbers that the schema does not have.
package protocol WriteTransaction: AnyObject {
    var schema: Schema { get }

    /// The version that this work makes if it succeeds.
    var version: Version { get }

    /// Creates an object. Properties that are not given get `PropertySchema.initialValue`. Throws
    /// `duplicateKey`, `missingValue` for a primary key that is not given and not optional, `invalidValue` for
    /// a value that the type does not accept and for a link to an object that does not exist, `valueTooLarge`.
    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey

    /// Assigns properties; an equal value counts as a change. Throws `notFound`, `keyImmutable` for a different
    /// primary key, `invalidValue`, `valueTooLarge`.
    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws

    /// Deletes an object; links to it become null, which counts as a change of the objects that held them.
    /// Throws `notFound`.
    func delete(_ classID: ClassID, _ key: ObjectKey) throws

    func count(of classID: ClassID) -> Int
    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool
    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey?
    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value

    /// The objects that the query gives, in its order, with this work's changes.
    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey]
}
