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

    /// The history that this version is of.
    var tag: HistoryTag { get }

    /// The state that this work begins with.
    var before: Mark { get }

    /// Creates an object. Properties that are not given get `PropertySchema.initialValue`. A link to an
    /// embedded class is given as `.embedded`, with the properties of the new embedded object. Throws
    /// `duplicateKey`, `missingValue` for a primary key that is not given and not optional, `invalidValue` for
    /// a value that the type does not accept and for a link to an object that does not exist, `valueTooLarge`,
    /// `invalidMapKey`, `tooDeep`, `embeddedWithoutOwner` for an embedded class, `embeddedOwned` for a link to
    /// an embedded object that exists.
    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey

    /// The same with a value for each stored property of the class, in the order of their declaration: the quick way to create many
    /// objects. Throws `invalidValue` also when there are more or fewer values.
    func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey

    /// Assigns properties; an equal value counts as a change. A collection is replaced as a whole. An embedded
    /// object that is replaced is deleted, unless it is assigned to the place that it has. Throws `notFound`,
    /// `keyImmutable` for a different primary key, and what `create` throws for values.
    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws

    /// Edits one collection in place; see `CollectionOperation`. False when that left nothing to do: an element
    /// that a set has already or does not have, a map key that does not exist. Throws `notFound`,
    /// `notACollection` when the property is none or is another kind of collection, `indexOutOfBounds`, and
    /// what `create` throws for values. Cost: for lists of any length, a few blocks of elements.
    @discardableResult
    func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool

    /// Deletes an object and the embedded objects that it owns, recursively. Single links to it, in mixed
    /// values too, and values of maps become null, elements of lists and sets go away, which counts as a change
    /// of the objects that held them. Deleting an embedded object does that to its owner. Throws `notFound`.
    func delete(_ classID: ClassID, _ key: ObjectKey) throws

    /// Deletes many objects of a class, each given once, as `delete` does one by one. Throws `notFound` before anything
    /// is deleted. Cost: what links to them is looked at once, and not once for each of them.
    func delete(_ classID: ClassID, _ keys: [ObjectKey]) throws

    /// What was kept beside the objects under `key`, if it has not expired at `time`.
    func sideRecord(_ key: [UInt8], at time: Timestamp) throws -> [UInt8]?

    /// Keeps bytes beside the objects, in this very commit, in place of what is kept under the same key: what nobody
    /// queries or observes, such as the answer to a request. They may be forgotten after `expiry`; some of what expired
    /// before `time` is forgotten now. Throws `invalidValue` for a key of more than `longestRecordKey`
    /// bytes or none.
    func keep(_ record: [UInt8], under key: [UInt8], until expiry: Timestamp, at time: Timestamp) throws

    func count(of classID: ClassID) -> Int
    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool
    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey?
    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value

    /// The values of an object and its neighbours, to be read and assigned one by one, for as long as the transaction;
    /// nil where there are none, or they are not to be had this way.
    ///
    /// - Parameter base: the same of the version that the transaction started from, as long as that is the one that it is
    ///   asked of; nil when the object is not in it.
    func cells(
        of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID], over base: (any RowAccessor)?
    ) throws -> (any RowAccessor)?

    /// See `Snapshot.elementCount`.
    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int

    /// See `Snapshot.elements`.
    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value]

    /// See `Snapshot.backlinks`.
    func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey]

    /// The objects that the query gives, in its order, with this work's changes.
    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey]

    /// See `ObjectReads.matches`.
    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool

    /// The number of objects that the query gives, with this work's changes.
    func count(_ query: BoundQuery) throws -> Int

    /// See `Snapshot.aggregate`; with this work's changes.
    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value]

    /// See `Snapshot.sections`; with this work's changes.
    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys
}

extension WriteTransaction {
    /// The name of the state that this work makes if it succeeds.
    package var mark: Mark { Mark(version, tag) }

    /// Those that narrow a transaction have no records of their own.
    package func sideRecord(_ key: [UInt8], at time: Timestamp) throws -> [UInt8]? { throw StoreError.noRecords }

    package func keep(_ record: [UInt8], under key: [UInt8], until expiry: Timestamp, at time: Timestamp) throws {
        throw StoreError.noRecords
    }

    package func cells(
        of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID], over base: (any RowAccessor)?
    ) throws -> (any RowAccessor)? { nil }

    package func delete(_ classID: ClassID, _ keys: [ObjectKey]) throws {
        for key in keys { try delete(classID, key) }
    }

    package func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey {
        let properties = schema[classID]?.storedProperties ?? []
        guard properties.count == row.count else {
            throw StoreError.wrongRowLength(row.count, of: schema[classID])
        }
        return try create(classID, Dictionary(uniqueKeysWithValues: zip(properties.map(\.id), row)))
    }
}

/// Of what is kept beside the objects, in bytes.
package let longestRecordKey = 255

extension StoreError {
    /// For a transaction that keeps nothing beside the objects.
    fileprivate static let noRecords = StoreError(.invalidValue, "This transaction keeps nothing but objects.")

    /// Throws `invalidValue` for what cannot be the key of a record.
    package static func check(recordKey key: [UInt8]) throws(StoreError) {
        guard 1...longestRecordKey ~= key.count else {
            throw StoreError(.invalidValue, "The key of a record has 1 to \(longestRecordKey) bytes, not \(key.count).")
        }
    }

    /// For a row that does not have one value per stored property.
    package static func wrongRowLength(_ count: Int, of objectClass: ClassSchema?) -> StoreError {
        StoreError(
            .invalidValue,
            "A row of \(count) values was given for class '\(objectClass?.name ?? "?")', which has \(objectClass?.storedProperties.count ?? 0) stored properties."
        )
    }
}
