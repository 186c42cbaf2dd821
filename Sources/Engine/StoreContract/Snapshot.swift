package import ObjectModel
package import QueryLanguage

/// The reads of one version of the store, present or earlier: single objects, and the results of queries. Immutable;
/// any number of threads may use it at once.
package protocol ObjectReads: AnyObject, Sendable {
    var version: Version { get }
    /// The history that the version belongs to.
    var tag: HistoryTag { get }
    var schema: Schema { get }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool

    /// The object with that primary key. Cost: one index look-up.
    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey?

    /// One stored value; a collection as a whole. Throws `notFound`, `unknownProperty`.
    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value

    /// The number of elements of a list, set or map. Throws `notFound`, `unknownProperty`, `notACollection`. Cost:
    /// constant.
    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int

    /// Elements by position: of a list, of a set in ascending order, or the values of a map in the order of its keys.
    /// The part of the range that does not exist is left out. Throws as `elementCount`. Cost: the blocks that hold
    /// them.
    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value]

    /// The objects of `origin` whose `property` links to `target`, ascending. An object that links to it several times,
    /// in a list, occurs as many times. The property may be mixed.
    func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey]

    /// The keys of the query's result, in its order, cut to the window.
    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey]

    /// Whether an object satisfies the query's predicate; the query's steps are ignored. False if the object does not
    /// exist.
    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool

    /// The values that an object is sorted by, for cursors; nil where a link on the path is null.
    func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?]
}

/// The store at one version. It pins its version until the last reference is dropped, and the space of older versions
/// cannot be reused meanwhile: hold it for a request, not for a session.
package protocol Snapshot: ObjectReads {
    /// The number of objects of a class; 0 for a class that the schema does not have. Cost: constant.
    func count(of classID: ClassID) -> Int

    /// Reads stored properties of many objects into `sink`, object by object in the order of `keys`, properties in the
    /// order given. Keys that do not exist are left out. Borrowed bytes are valid during the call only. The sink may
    /// read from this snapshot.
    ///
    /// - Returns: the number of keys processed, which is less than their total when the sink became full.
    @discardableResult
    func read<Sink: RowSink>(
        _ classID: ClassID, _ keys: [ObjectKey], _ properties: [PropertyID], into sink: inout Sink
    ) throws -> Int

    /// The stored values of an object and its neighbours, valid as long as the snapshot; nil where there are none, or
    /// this form of access does not support them.
    func cells(of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID]) throws -> (any RowAccessor)?

    /// The number of objects in the query's result.
    func count(_ query: BoundQuery) throws -> Int

    /// The aggregates, in the order of the requests, over the query's result; see `AggregateRequest`.
    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value]

    /// The aggregates over the elements of a list or set, or the values of a map, of one object; not of links. Throws
    /// `notFound`, `unknownProperty`, `notACollection`. Cost: the collection.
    func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value]

    /// The aggregates of each group of objects that have equal values at the paths, which are single-valued; ascending
    /// by those values in the total order. Without paths there is one group of the whole result, even of an empty one:
    /// the aggregates and the count in one pass.
    func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup]

    /// The query's result in sections. Cost: that of `select`, and a pass over the section keys.
    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys

    /// The same snapshot with a budget: its queries and searches count against it and throw `tooExpensive` when it is
    /// used up. For one request: it holds the version until it is released.
    func limited(by budget: QueryBudget) throws -> any Snapshot

    /// The budget of its queries, as given to `limited`; nil for no limit.
    var budget: QueryBudget? { get }

    /// The plan of the query. With `running` the query is also executed, up to the window's end, and each part reports
    /// its measurements.
    func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation
}

/// A consumer of rows as they are in the store, without a `Value` for each. `column` is the position in the list of
/// requested properties.
package protocol RowSink {
    /// Whether it accepts no more objects. Read before each.
    var isFull: Bool { get }
    /// Called before a large value is read; returns false to be given null in its place.
    ///
    /// - Parameter size: returns the approximate size in bytes; it costs a look-up or more.
    mutating func wants(_ size: () throws -> Int) throws -> Bool
    mutating func beginObject(_ key: ObjectKey)
    mutating func null(_ column: Int)
    mutating func bool(_ column: Int, _ value: Bool)
    mutating func int(_ column: Int, _ value: Int64)
    mutating func float(_ column: Int, _ value: Float)
    mutating func double(_ column: Int, _ value: Double)
    mutating func string(_ column: Int, _ utf8: UnsafeBufferPointer<UInt8>)
    mutating func date(_ column: Int, _ value: Timestamp)
    mutating func objectId(_ column: Int, _ value: ObjectId)
    mutating func uuid(_ column: Int, _ value: UUIDValue)
    mutating func link(_ column: Int, _ target: ObjectKey)
    mutating func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>)
    mutating func decimal(_ column: Int, _ value: Decimal128)
    /// A mixed value that is not null, or a collection.
    mutating func value(_ column: Int, _ value: Value)
    mutating func endObject()
}

extension ObjectReads {
    /// The name of this state, for clients that continue from it later.
    package var mark: Mark { Mark(version, tag) }

    /// The objects of `origin` whose `property`, a link property, links to `key`.
    package func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        // A link property knows its target's class.
        let target = schema[origin]?[property]?.targetClass ?? origin
        return try backlinks(to: ObjectReference(target, key), from: origin, property)
    }
}

extension RowSink {
    package var isFull: Bool { false }
    package mutating func wants(_ size: () throws -> Int) throws -> Bool { true }
}

extension Snapshot {
    package var budget: QueryBudget? { nil }

    package func cells(
        of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID]
    ) throws -> (any RowAccessor)? { nil }

    /// For snapshots that count no work.
    package func limited(by budget: QueryBudget) throws -> any Snapshot { self }
}
