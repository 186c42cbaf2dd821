import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// A snapshot that can be taken back from who holds it too long. Used only by stores that limit the age of versions.
///
/// Each call holds the version for as long as it runs, so one that is under way when the snapshot expires runs to its
/// end, and the last of them ends the read transaction. Cost: a lock and a reference per call, some 20 ns.
final class ExpiringSnapshot: Snapshot {
    let version: Version
    let schema: Schema
    private let counts: [ClassID: Int]
    private let held: Mutex<EmbeddedSnapshot?>
    private let limit: Double

    /// `limit` in seconds is for the message.
    init(_ snapshot: EmbeddedSnapshot, limit: Double) {
        version = snapshot.version
        schema = snapshot.schema
        counts = snapshot.classes.mapValues(\.objectCount)
        held = Mutex(snapshot)
        self.limit = limit
    }

    /// From now on calls throw `versionGone`.
    func expire() {
        // Released outside of the lock, because ending a transaction takes locks of its own.
        _ = held.withLock { held in
            defer { held = nil }
            return held
        }
    }

    var isExpired: Bool { held.withLock { $0 == nil } }

    /// Throws `versionGone` once it has expired.
    var snapshot: EmbeddedSnapshot {
        get throws {
            if let snapshot = held.withLock({ $0 }) { return snapshot }
            throw StoreError(
                .versionGone,
                "Version \(version) is no longer there: this store lets go of a version \(limit) seconds after a newer one. Take a new snapshot and hold it for a shorter time."
            )
        }
    }

    func count(of classID: ClassID) -> Int { counts[classID] ?? 0 }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { try snapshot.exists(classID, key) }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try snapshot.key(of: classID, primaryKey: primaryKey)
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try snapshot.value(classID, key, property)
    }

    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        try snapshot.elementCount(classID, key, property)
    }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        try snapshot.elements(classID, key, property, range)
    }

    func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] {
        try snapshot.backlinks(to: target, from: origin, property)
    }

    func read<Sink: RowSink>(
        _ classID: ClassID, _ keys: [ObjectKey], _ properties: [PropertyID], into sink: inout Sink
    ) throws {
        try snapshot.read(classID, keys, properties, into: &sink)
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] { try snapshot.select(query, window) }

    func count(_ query: BoundQuery) throws -> Int { try snapshot.count(query) }

    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool { try snapshot.matches(query, key) }

    func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        try snapshot.sortValues(keys, of: key, in: classID)
    }

    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try snapshot.aggregate(query, requests)
    }

    func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] { try snapshot.aggregate(object, property, functions) }

    func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] { try snapshot.aggregate(query, requests, by: paths) }

    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        try snapshot.sections(query, by: key)
    }

    func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation {
        try snapshot.explain(query, window, running: running)
    }
}
