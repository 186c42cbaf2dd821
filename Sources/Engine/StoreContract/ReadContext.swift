package import ObjectModel
package import QueryLanguage

/// A readable state of the store: a version, or a write transaction with its own changes.
///
/// Methods throw `unknownClass` and `unknownProperty` for identifiers that the schema does not contain. For a version,
/// `exists` and `backlinks` may report that nothing exists instead.
package protocol ReadContext: AnyObject {
    var schema: Schema { get }

    /// The version that is read. For a transaction, the version that it creates if it succeeds.
    var version: Version { get }

    /// The history to which the version belongs.
    var tag: HistoryTag { get }

    /// The budget of the queries; nil for unlimited ones.
    var budget: QueryBudget? { get }

    /// Whether some objects are hidden from the reader, so that a link may lead to an object that does not exist in
    /// this state.
    var isPartial: Bool { get }

    /// Identifies this state, and the permissions of the reader, to clients that name it in later requests.
    var mark: Mark { get }

    /// The same state, if its rows can be read as they are stored; else nil.
    var storedRows: (any Snapshot)? { get }

    // MARK: Objects

    /// The number of objects of a class; 0 for a class that the schema does not have. Cost: constant.
    func count(of classID: ClassID) -> Int

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool

    /// The object with that primary key. Cost: one index look-up.
    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey?

    /// One stored value; for a collection, all of it. Throws `notFound`.
    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value

    /// The number of elements of a list, set or map. Throws `notFound`, `notACollection`. Cost: constant.
    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int

    /// Elements of a list, of a set in ascending order, or values of a map in the order of its keys, by position.
    /// Positions beyond the end are omitted. Throws as `elementCount`. Cost: the blocks that contain the elements.
    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value]

    /// The objects of `origin` whose `property` links to `target`, ascending. An object whose list links to it several
    /// times is returned as many times. The property may be mixed.
    func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey]

    // MARK: Queries

    /// The objects that the query selects, in its order, limited to the window.
    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey]

    /// The number of objects that the query selects.
    func count(_ query: BoundQuery) throws -> Int

    /// Whether an object satisfies the query's predicate; the other steps of the query are ignored. False if the
    /// object does not exist.
    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool

    /// The requested aggregates over the query's result, in order; see `AggregateRequest`.
    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value]

    /// The query's result in sections. Cost: that of `select`, and a pass over the section keys.
    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys
}

extension ReadContext {
    package var budget: QueryBudget? { nil }
    package var isPartial: Bool { false }
    package var storedRows: (any Snapshot)? { nil }

    package var mark: Mark { Mark(version, tag) }

    package func exists(_ object: ObjectReference) throws -> Bool { try exists(object.classID, object.key) }

    package func value(_ object: ObjectReference, _ property: PropertyID) throws -> Value {
        try value(object.classID, object.key, property)
    }

    package func elementCount(_ object: ObjectReference, _ property: PropertyID) throws -> Int {
        try elementCount(object.classID, object.key, property)
    }

    package func elements(_ object: ObjectReference, _ property: PropertyID, _ range: Range<Int>) throws -> [Value] {
        try elements(object.classID, object.key, property, range)
    }

    /// The element at a position as in `elements`; nil if there is none.
    package func element(_ object: ObjectReference, _ property: PropertyID, at index: Int) throws -> Value? {
        try elements(object.classID, object.key, property, index..<index + 1).first
    }

    /// The objects of `origin` whose link property `property` leads to `key`.
    package func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        // The type of a link property determines the target's class.
        let target = schema[origin]?[property]?.targetClass ?? origin
        return try backlinks(to: ObjectReference(target, key), from: origin, property)
    }
}
