import HTTPMessages
package import HTTPServer
package import ObjectModel
package import QueryLanguage
package import StoreContract
import Synchronization

/// The forms of query that took the most time within the last hour. A form is what reads ask for, without keys and
/// constants.
///
/// There are at most 100; a new one replaces that which took the least. Each has two texts of at most a
/// thousand characters, and a query that was parsed from at most 2 KiB and takes some twenty times as much: 5 MB in all
/// at most.
package final class SlowQueries: Sendable {
    package static let capacity = 100
    /// The time in seconds for which requests count.
    package static let span = 3600
    /// The longest text of a query that is kept, in bytes.
    private static let textLimit = 2 << 10

    package struct Entry: Sendable {
        package let form: String
        /// The slowest request of the hour.
        package fileprivate(set) var example: Example
        fileprivate var slots: [Slot] = []

        package var count: Int { slots.reduce(0) { $0 + $1.count } }
        package var nanoseconds: Int64 { slots.reduce(0) { $0 + $1.nanoseconds } }
    }

    package struct Example: Sendable {
        /// The path and the parameters, with their constants.
        package let target: String
        /// Nil for a long one.
        package let query: BoundQuery?
        package let window: Window
        package let nanoseconds: Int64
        /// Objects that scans examined, and values, entries and links that were looked up.
        package let examined: Int
        package let returned: Int?
        /// Whether it ended with an error, such as that it takes too much: then it would have examined more.
        package let hasFailed: Bool
        package let time: Timestamp
    }

    /// The requests of five minutes.
    fileprivate struct Slot: Sendable {
        static let seconds: Int64 = 300

        let number: Int64
        var count = 0
        var nanoseconds: Int64 = 0
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let requests = Atomic(0)

    package init() {}

    /// The number of requests that were noted since the start.
    package var requestCount: Int { requests.load(ordering: .relaxed) }

    /// The forms of the last hour, those that took the most time first.
    package func all(at now: Timestamp) -> [Entry] {
        let current = entries.withLock { entries in
            entries = entries.compactMapValues { Self.current($0, at: now) }
            return entries.values.map { (entry: $0, nanoseconds: $0.nanoseconds) }
        }
        return current.sorted {
            $0.nanoseconds != $1.nanoseconds ? $0.nanoseconds > $1.nanoseconds : $0.entry.form < $1.entry.form
        }.map(\.entry)
    }

    /// The number of forms.
    package func count(at now: Timestamp) -> Int { all(at: now).count }

    private static func current(_ entry: Entry, at now: Timestamp) -> Entry? {
        var entry = entry
        entry.slots.removeAll { $0.number <= now.slot - Int64(span) / Slot.seconds }
        return entry.slots.isEmpty ? nil : entry
    }

    /// Notes a request that took long. Cost: its texts, and for a new form one pass over all.
    ///
    /// - Parameter hasFailed: whether it ended with an error.
    package func record(
        _ asked: AskedQuery, _ request: Request, hasFailed: Bool, nanoseconds: Int64, at now: Timestamp
    ) {
        requests.wrappingAdd(1, ordering: .relaxed)
        let form = QueryForm(request).text
        let isShort = request.query.reduce(0) { $0 + $1.value.utf8.count } <= Self.textLimit
        let example = Example(
            target: ReadableTarget(request.segments, request.query).whole, query: isShort ? asked.query : nil,
            window: asked.window, nanoseconds: nanoseconds, examined: asked.snapshot.budget?.usedRows ?? 0,
            returned: asked.returned, hasFailed: hasFailed, time: now)
        entries.withLock { entries in
            var entry = entries[form].flatMap { Self.current($0, at: now) } ?? Entry(form: form, example: example)
            if entry.slots.last?.number != now.slot { entry.slots.append(Slot(number: now.slot)) }
            entry.slots[entry.slots.count - 1].count += 1
            entry.slots[entry.slots.count - 1].nanoseconds += nanoseconds
            if nanoseconds >= entry.example.nanoseconds || Self.isOld(entry.example, at: now) {
                entry.example = example
            }
            if entries[form] == nil, entries.count >= Self.capacity {
                entries = entries.compactMapValues { Self.current($0, at: now) }
                let least = entries.values.map { ($0.nanoseconds, $0.form) }.min { $0 < $1 }
                if entries.count >= Self.capacity, let least {
                    guard least.0 < nanoseconds else { return }
                    entries[least.1] = nil
                }
            }
            entries[form] = entry
        }
    }

    private static func isOld(_ example: Example, at now: Timestamp) -> Bool {
        example.time.seconds <= now.seconds - Int64(span)
    }
}

extension Timestamp {
    fileprivate var slot: Int64 { seconds / SlowQueries.Slot.seconds }
}

/// What a read asks the store for, to be noted if it takes long.
package struct AskedQuery: Sendable {
    let query: BoundQuery
    let window: Window
    let snapshot: any Snapshot
    /// The number of objects that the answer has or, of an aggregate, that the query selects; nil if it is not known.
    let returned: Int?

    package init(_ query: BoundQuery, _ window: Window = .all, of snapshot: any Snapshot, returned: Int? = nil) {
        self.query = query
        self.window = window
        self.snapshot = snapshot
        self.returned = returned
    }
}
