package import ObjectModel
package import QueryLanguage

/// A version of the store, the newest or an earlier one. Immutable, and usable from several threads at once.
package protocol ObjectReads: ReadContext, Sendable {
    /// The values that an object is sorted by, for cursors; nil where a link on the path is null.
    func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?]
}

/// The store at one version. It pins its version until the last reference is dropped, and the space of older versions
/// cannot be reused meanwhile: hold it for a request, not for a session.
package protocol Snapshot: ObjectReads {
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

    /// The aggregates over the elements of a list or set, or the values of a map, of one object; not over links.
    /// Throws `notFound`, `unknownProperty`, `notACollection`. Cost: the collection.
    func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value]

    /// The aggregates of each group of objects that have equal values at the paths, which are single-valued; ascending
    /// by those values in the total order. Without paths there is one group of the whole result, even of an empty one:
    /// the aggregates and the count in one pass.
    func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup]

    /// Counts the values at a path, which is single-valued, in intervals.
    ///
    /// - Parameter bounds: returns the bounds of the intervals, ascending, for the range of the values with a position
    ///   on the scale. Not called if there are none.
    func distribution(
        _ query: BoundQuery, of path: BoundPath, bounds: (ClosedRange<Double>) -> [Double]
    ) throws -> ValueDistribution

    /// The tallies of `aggregate`, to which objects can be added and from which they can be removed later. Cost: that
    /// of `aggregate`, about.
    ///
    /// - Parameter most: the number of groups beyond which it gives up.
    func tallies(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath], most: Int
    ) throws -> GroupTalliesResult

    /// The tally of the values that `distribution` counts; nil if the store makes none: it is made of rows then. Cost:
    /// that of `distribution`, about.
    func scale(_ query: BoundQuery, of path: BoundPath) throws -> ScaleTally?

    /// The same snapshot with a budget: its queries and searches count against it and throw `tooExpensive` when it is
    /// used up. For one request: it holds the version until it is released.
    func limited(by budget: QueryBudget) throws -> any Snapshot

    /// The plan of the query. With `running` the query is also executed, up to the window's end, and each part reports
    /// its measurements.
    func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation

    /// The most objects of which the query would test its other conditions if a property of its class had an index; nil
    /// where the plan would test all objects as without it, or not use the index. Cost: a pass over the column for each
    /// look-up in that index.
    func testedObjects(_ query: BoundQuery, assumingIndexOf property: PropertyID) throws -> Int?
}

/// A consumer of rows as they are in the store, without a `Value` for each. `column` is the position in the list of
/// requested properties.
package protocol RowSink {
    /// Whether it accepts no more objects. Read before each.
    var isFull: Bool { get }
    /// Called before a large value is read; returns false to be given null instead.
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
    /// Whether long lists and sets are to be given in parts: then `beginElements`, `elements` as often as necessary,
    /// and `endElements` replace `value`.
    var takesElements: Bool { get }
    mutating func beginElements(_ column: Int)
    /// - Returns: false if no more are wanted.
    mutating func elements(_ values: [Value]) throws -> Bool
    mutating func endElements()
    mutating func endObject()
}

extension RowSink {
    package var isFull: Bool { false }
    package mutating func wants(_ size: () throws -> Int) throws -> Bool { true }
    package var takesElements: Bool { false }
    package mutating func beginElements(_ column: Int) {}
    package mutating func elements(_ values: [Value]) throws -> Bool { false }
    package mutating func endElements() {}
}

extension Snapshot {
    package var storedRows: (any Snapshot)? { self }

    package func cells(
        of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID]
    ) throws -> (any RowAccessor)? { nil }

    package func tallies(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath], most: Int
    ) throws -> GroupTalliesResult { .unsupported }

    package func scale(_ query: BoundQuery, of path: BoundPath) throws -> ScaleTally? { nil }

    /// For snapshots that count no work.
    package func limited(by budget: QueryBudget) throws -> any Snapshot { self }
}
