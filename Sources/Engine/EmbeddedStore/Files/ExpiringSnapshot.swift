package import StorageEngine
package import ObjectModel
package import QueryExecution
package import QueryLanguage
package import StoreContract
import Synchronization

/// A snapshot that the store can revoke when it is pinned too long. Only stores that limit the age of versions use it.
///
/// Each call pins the version while it runs, so a call in progress when the snapshot expires runs to its end, and the
/// last of them ends the read transaction. Cost: a lock and a reference per call, some 20 ns.
package final class ExpiringSnapshot: ForwardedSnapshot {
    package let version: Version
    package let tag: HistoryTag
    package let schema: Schema
    private let counts: [ClassID: Int]
    private let pinned: Mutex<EmbeddedSnapshot?>
    private let limit: Double

    /// `limit` in seconds is for the message.
    package init(_ snapshot: EmbeddedSnapshot, limit: Double) {
        version = snapshot.version
        tag = snapshot.tag
        schema = snapshot.schema
        counts = snapshot.classes.mapValues(\.objectCount)
        pinned = Mutex(snapshot)
        self.limit = limit
    }

    /// Makes all later calls throw `versionGone`.
    package func expire() {
        // Released outside of the lock, because ending a transaction takes locks of its own.
        _ = pinned.withLock { pinned in
            defer { pinned = nil }
            return pinned
        }
    }

    package var isExpired: Bool { pinned.withLock { $0 == nil } }

    /// Throws `versionGone` once it has expired.
    package var base: EmbeddedSnapshot {
        get throws {
            if let snapshot = pinned.withLock({ $0 }) { return snapshot }
            throw StoreError(
                .versionGone,
                "Version \(version) is no longer available: this store releases a version \(limit) seconds after a newer one appears. Take a new snapshot and hold it for a shorter time."
            )
        }
    }

    package var executor: QueryExecutor { get throws { QueryExecutor(try base) } }

    package func limited(by budget: QueryBudget) throws -> any Snapshot { try base.limited(by: budget) }

    package func count(of classID: ClassID) -> Int { counts[classID] ?? 0 }

    package func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] {
        try base.backlinks(to: target, from: origin, property)
    }

    package func read<Sink: RowSink>(
        _ classID: ClassID, _ keys: [ObjectKey], _ properties: [PropertyID], into sink: inout Sink
    ) throws -> Int {
        try base.read(classID, keys, properties, into: &sink)
    }

    package func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] { try base.aggregate(object, property, functions) }
}
