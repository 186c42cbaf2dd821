package import ObjectModel

/// One piece of work of the store's writer. Reads show the work's own changes. Used on the writer's thread
/// only, and only during the work.
package protocol WriteTransaction: ReadContext {
    /// The state that this work starts from.
    var before: Mark { get }

    /// Creates an object. Properties that are not given get `PropertySchema.initialValue`. A link to an embedded class
    /// is given as `.embedded`, with the properties of the new embedded object. Throws `duplicateKey`, `missingValue`
    /// for a primary key that is not given and not optional, `invalidValue` for a value that the type does not accept
    /// and for a link to an object that does not exist, `valueTooLarge`, `invalidMapKey`, `tooDeep`,
    /// `embeddedWithoutOwner` for an embedded class, `embeddedOwned` for a link to an embedded object that exists.
    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey

    /// Creates an object from one value for each stored property of the class, in the order of their declaration: the
    /// quick way to create many objects. Throws as the other `create`, and `invalidValue` when there are more or fewer
    /// values.
    func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey

    /// Creates an object from the values of some properties, as the `create` of a dictionary does, and throws as that: for
    /// values that were collected one by one.
    func create(_ classID: ClassID, given values: PropertyValues) throws -> ObjectKey

    /// Assigns properties; an equal value counts as a change. A collection is replaced as a whole. An embedded object
    /// that is replaced is deleted, unless it is assigned to the property that owns it. Throws `notFound`,
    /// `keyImmutable` for a different primary key, and the errors of `create` for values.
    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws

    /// Edits one collection in place; see `CollectionOperation`. Returns false when that changed nothing: an element
    /// that a set already has or does not have, a map key that does not exist. Throws `notFound`, `notACollection`
    /// when the property is not a collection, or one of another kind, `indexOutOfBounds`, and the errors of `create`
    /// for values. Cost: for lists of any length, a few blocks of elements.
    @discardableResult
    func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool

    /// Deletes an object and the embedded objects that it owns, recursively. Single links to it, in mixed values too,
    /// and values of maps become null; elements of lists and sets are removed. Both count as changes of the objects
    /// that held them. Deleting an embedded object does that to its owner. Throws `notFound`.
    func delete(_ classID: ClassID, _ key: ObjectKey) throws

    /// Deletes many objects of a class, each given once, as `delete` does one by one. Throws `notFound` before it
    /// deletes anything. Cost: the links to them are read once, and not once for each of them.
    func delete(_ classID: ClassID, _ keys: [ObjectKey]) throws

    /// The bytes stored beside the objects under `key`, if they have not expired at `time`.
    func sideRecord(_ key: [UInt8], at time: Timestamp) throws -> [UInt8]?

    /// Stores bytes beside the objects, in the same commit, and replaces those under the same key: for data that is
    /// neither queried nor observed, such as the response to a request. The store may delete them after `expiry`; it
    /// deletes some of those that expired before `time` now. Throws `invalidValue` for an empty key and for one of
    /// more than `maximumRecordKeyLength` bytes.
    func keep(_ record: [UInt8], under key: [UInt8], until expiry: Timestamp, at time: Timestamp) throws

    /// The values of an object and its neighbours, to read and assign one by one, valid as long as the transaction; nil
    /// where there are none, or this form of access does not support them.
    ///
    /// - Parameter base: the accessor of the version that the transaction started from, as long as that is the version
    ///   in question; nil when the object is not in it.
    func cells(
        of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID], over base: (any RowAccessor)?
    ) throws -> (any RowAccessor)?
}

extension WriteTransaction {
    /// Transactions that wrap another one keep no records of their own.
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

    package func create(_ classID: ClassID, given values: PropertyValues) throws -> ObjectKey {
        try create(classID, values.dictionary)
    }

    package func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey {
        let properties = schema[classID]?.storedProperties ?? []
        guard properties.count == row.count else {
            throw StoreError.wrongRowLength(row.count, of: schema[classID])
        }
        return try create(classID, Dictionary(uniqueKeysWithValues: zip(properties.map(\.id), row)))
    }
}

/// The longest key of a side record, in bytes.
package let maximumRecordKeyLength = 255

extension StoreError {
    /// For a transaction that keeps no side records.
    fileprivate static let noRecords = StoreError(.invalidValue, "This transaction does not support side records.")

    /// Throws `invalidValue` unless the bytes can be the key of a record.
    package static func check(recordKey key: [UInt8]) throws(StoreError) {
        guard 1...maximumRecordKeyLength ~= key.count else {
            throw StoreError(
                .invalidValue, "A record's key must have 1 to \(maximumRecordKeyLength) bytes, not \(key.count).")
        }
    }

    /// The error for a row that does not have one value per stored property.
    package static func wrongRowLength(_ count: Int, of objectClass: ClassSchema?) -> StoreError {
        StoreError(
            .invalidValue,
            "A row of \(count) values was given for class '\(objectClass?.name ?? "?")', which has \(objectClass?.storedProperties.count ?? 0) stored properties."
        )
    }
}
