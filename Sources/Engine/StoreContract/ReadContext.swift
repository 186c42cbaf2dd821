package import ObjectModel
package import QueryLanguage

/// A state of the store that can be read: a version, or a write transaction with its own changes.
///
/// Methods throw `unknownClass` and `unknownProperty` for numbers that the schema does not have. Of a version, `exists` and
/// `backlinks` may answer that there is nothing instead.
package protocol ReadContext: AnyObject {
    var schema: Schema { get }

    /// The version that is read; of a transaction the one that it makes if it succeeds.
    var version: Version { get }

    /// The history that the version is of.
    var tag: HistoryTag { get }

    /// What its queries may cost; nil for any cost.
    var budget: QueryBudget? { get }

    /// Whether some objects are hidden from the reader, so that a link may lead to an object that does not exist here.
    var isPartial: Bool { get }

    /// The same reads where they read a version as it is stored, row by row; nil for all others.
    var storedRows: (any Snapshot)? { get }

    // MARK: Objects

    /// The number of objects of a class; 0 for a class that the schema does not have. Cost: constant.
    func count(of classID: ClassID) -> Int

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool

    /// The object with that primary key. Cost: one index look-up.
    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey?

    /// One stored value; a collection as a whole. Throws `notFound`.
    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value

    /// The number of elements of a list, set or map. Throws `notFound`, `notACollection`. Cost: constant.
    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int

    /// Elements of a list, of a set in ascending order, or values of a map in the order of its keys, by
    /// position; the part of the range that does not exist is left out. Throws as `elementCount`. Cost: the
    /// blocks that hold them.
    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value]

    /// The objects of `origin` whose `property` links to `target`, ascending; one that links to it several times,
    /// in a list, is there as many times. The property may be mixed.
    func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey]

    // MARK: Queries

    /// The objects that the query gives, in its order, cut to the window.
    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey]

    /// The number of objects that the query gives.
    func count(_ query: BoundQuery) throws -> Int

    /// Whether an object satisfies the query's predicate; its steps are not looked at. False if the object does
    /// not exist.
    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool

    /// The aggregates in the order asked for, over what the query gives; see `AggregateRequest`.
    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value]

    /// What the query gives, in sections. Cost: that of `select`, and a pass over the section keys.
    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys
}

extension ReadContext {
    package var budget: QueryBudget? { nil }
    package var isPartial: Bool { false }
    package var storedRows: (any Snapshot)? { nil }

    /// The name of this state, for a client that comes back with it.
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

    /// The element at that position, as `elements` counts them; nil where there is none.
    package func element(_ object: ObjectReference, _ property: PropertyID, at index: Int) throws -> Value? {
        try elements(object.classID, object.key, property, index..<index + 1).first
    }

    /// The objects of `origin` whose `property`, which is of links, leads to `key`.
    package func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        // A property of links knows its target's class.
        let target = schema[origin]?[property]?.targetClass ?? origin
        return try backlinks(to: ObjectReference(target, key), from: origin, property)
    }
}
