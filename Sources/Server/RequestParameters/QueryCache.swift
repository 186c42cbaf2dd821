import ObjectCoding
import ObjectModel
import QueryLanguage
import QuerySyntax
package import RequestHandling
package import Synchronization

/// Keeps queries that were parsed and bound before, by their texts, for the latest schema: a client that asks the same
/// again, or the same with other literals, is answered without the parser.
///
/// A bound query depends on its texts, the schema and the limits, and on nothing else: objects that it names by key are
/// looked up when it runs. With another schema or another limit all are forgotten.
///
/// Memory: at most `capacity` queries, whose texts have at most `longest` bytes together; such a query takes some 20 KB
/// at most. A text that comes once leaves only the hash of it, some 32 bytes for each of the latest `firstComers` texts,
/// so that clients whose filters are all different do not displace others. Those that send each of many filters twice displace queries that come less often than theirs, which
/// are then parsed as if there were no cache.
package final class QueryCache: Sendable {
    /// The texts of a query as the client sent them.
    struct Text: Hashable {
        /// What the texts mean.
        enum Use: Hashable {
            case query
            /// The filter is without its literals.
            case template
            /// The filter is the key path of an aggregate.
            case aggregate(AggregateRequest.Function)
        }

        var use = Use.query
        var classID: ClassID
        var filter: String?
        var arguments: String?
        var sort: String?
        var distinct: String?

        var byteCount: Int { bytes(filter) + bytes(arguments) + bytes(sort) + bytes(distinct) }

        private func bytes(_ text: String?) -> Int { text?.utf8.count ?? 0 }
    }

    private enum Entry {
        case query(BoundQuery)
        case template(QueryTemplate)
        case aggregate(AggregateRequest)

        var boundQuery: BoundQuery? { if case .query(let query) = self { query } else { nil } }
        var request: AggregateRequest? { if case .aggregate(let request) = self { request } else { nil } }
    }

    static let capacity = 256
    static let longest = 1024
    static let firstComers = 1024

    private struct State {
        var schema = Schema.empty
        var limits = QueryLimits()
        /// The queries since this was emptied, and those before it that were not asked since.
        var recent: [Text: Entry] = [:]
        var earlier: [Text: Entry] = [:]
        /// Hashes of texts that came once, in generations as the queries are. A table whose slots the hashes choose would
        /// depend on the hash seed of the process: two texts of one slot that alternate would never be kept.
        var once: Set<Int> = []
        var earlierOnce: Set<Int> = []

        /// Whether the queries are those of a schema and of limits.
        func isFor(_ schema: Schema, _ limits: QueryLimits) -> Bool { self.limits == limits && self.schema == schema }

        /// Forgets all that was kept for another schema or other limits.
        mutating func begin(_ schema: Schema, _ limits: QueryLimits) {
            if !isFor(schema, limits) {
                self = State()
                self.limits = limits
            }
            // Comparing is slow with an equal schema that another version of the store has allocated separately.
            self.schema = schema
        }

        mutating func entry(_ text: Text) -> Entry? {
            if let entry = recent[text] { return entry }
            guard let entry = earlier[text] else { return nil }
            keep(entry, text)
            return entry
        }

        mutating func keep(_ entry: Entry, _ text: Text) {
            if recent.count >= QueryCache.capacity / 2 {
                earlier = recent
                recent = [:]
            }
            earlier[text] = nil
            recent[text] = entry
        }

        /// Notes a text that came; returns whether it came before.
        mutating func cameBefore(_ text: Text) -> Bool {
            let hash = text.hashValue
            if once.contains(hash) || earlierOnce.contains(hash) { return true }
            if once.count >= QueryCache.firstComers / 2 {
                earlierOnce = once
                once = []
            }
            once.insert(hash)
            return false
        }
    }

    private let state = Mutex(State())
    /// Queries and key paths that were found by the same text.
    package let foundTexts = Atomic(0)
    /// Queries that were found by a text with other literals.
    package let foundTemplates = Atomic(0)
    /// Queries and key paths that were not found.
    package let parsed = Atomic(0)

    package init() {}

    /// The number of queries that are kept.
    package var count: Int { state.withLock { $0.recent.count + $0.earlier.count } }

    /// Returns the query that the texts mean, from here or from `bind`. Cost: a pass over the filter, a hash of the
    /// texts, a lock that few share and a comparison of references, as long as all callers have the same schema.
    func query(
        _ text: Text, of schema: Schema, _ limits: QueryLimits, bind: () throws(Problem) -> BoundQuery
    ) throws(Problem) -> BoundQuery {
        guard text.byteCount <= Self.longest else { return try bind() }
        let split = text.arguments == nil ? text.filter.flatMap { LiteralSplit($0) } : nil
        var template = text
        if let split {
            template.use = .template
            template.filter = split.text
            // Each text has a length of its own, which the limit is for.
            if case .template(let known) = entry(template, of: schema, limits),
                (text.filter ?? "").utf8.count <= limits.filter, let query = known.query(with: split.literals)
            {
                foundTemplates.add(1, ordering: .relaxed)
                return query
            }
        }
        return try meaning(of: text, schema, limits, \.boundQuery, Entry.query, bind: bind) { query, state in
            guard let split, state.cameBefore(template), let found = QueryTemplate(query, of: split.literals) else {
                return false
            }
            state.keep(.template(found), template)
            return true
        }
    }

    /// Returns the aggregate of a key path, from here or from `bind`.
    func aggregate(
        _ function: AggregateRequest.Function, _ path: String, _ classID: ClassID, of schema: Schema,
        _ limits: QueryLimits, bind: () throws(Problem) -> AggregateRequest
    ) throws(Problem) -> AggregateRequest {
        let text = Text(use: .aggregate(function), classID: classID, filter: path)
        guard text.byteCount <= Self.longest else { return try bind() }
        return try meaning(of: text, schema, limits, \.request, Entry.aggregate, bind: bind)
    }

    /// Returns what a text means: from here, or from `bind`. What `bind` returned is kept when the text came before.
    ///
    /// - Parameter keepingInstead: keeps it in another form, and returns whether it did.
    private func meaning<Meaning>(
        of text: Text, _ schema: Schema, _ limits: QueryLimits, _ content: (Entry) -> Meaning?,
        _ entry: (Meaning) -> Entry, bind: () throws(Problem) -> Meaning,
        keepingInstead: (Meaning, inout State) -> Bool = { _, _ in false }
    ) throws(Problem) -> Meaning {
        if let known = self.entry(text, of: schema, limits).flatMap(content) {
            foundTexts.add(1, ordering: .relaxed)
            return known
        }
        parsed.add(1, ordering: .relaxed)
        let bound = try bind()
        state.withLock { state in
            state.begin(schema, limits)
            if !keepingInstead(bound, &state), state.cameBefore(text) { state.keep(entry(bound), text) }
        }
        return bound
    }

    private func entry(_ text: Text, of schema: Schema, _ limits: QueryLimits) -> Entry? {
        state.withLock { state in state.isFor(schema, limits) ? state.entry(text) : nil }
    }
}

/// The limits of a query's texts.
package struct QueryLimits: Hashable, Sendable {
    /// The bytes of a filter.
    var filter = 0
    /// The values of `args`.
    var arguments = 0
    /// The key paths of a sort, a distinct or groups.
    package var keys = 0

    init() {}

    package init(_ configuration: borrowing GatewayConfiguration) {
        filter = configuration.filterLimit
        arguments = configuration.argumentLimit
        keys = configuration.maximumOrder
    }
}
