import ObjectCoding
import ObjectModel
import QueryLanguage
package import RequestHandling
import Synchronization

/// Keeps queries that were parsed and bound before, by their texts, for the latest schema: a client that asks the same
/// again is answered without the parser.
///
/// A bound query depends on its texts, the schema and the limits, and on nothing else: objects that it names by key are
/// looked up when it runs. With another schema or another limit all are forgotten.
///
/// Memory: at most `capacity` queries, whose texts have at most `longest` bytes together; such a query takes some 20 KB
/// at most. A text that comes once leaves only the hash of it, so that clients who write values into their filters do not
/// displace others.
package final class QueryCache: Sendable {
    /// The texts of a query as the client sent them.
    struct Text: Hashable {
        var classID: ClassID
        var filter: String?
        var arguments: String?
        var sort: String?
        var distinct: String?

        var byteCount: Int { [filter, arguments, sort, distinct].reduce(0) { $0 + ($1?.utf8.count ?? 0) } }
    }

    static let capacity = 256
    static let longest = 1024

    private struct State {
        var schema = Schema.empty
        var limits = QueryLimits()
        /// The queries since this was emptied, and those before it that were not asked since.
        var recent: [Text: BoundQuery] = [:]
        var earlier: [Text: BoundQuery] = [:]
        /// Hashes of texts that came once; a later one takes the place of an earlier one.
        var once = [Int](repeating: 0, count: 1024)

        /// Whether the queries are those of a schema and of limits.
        func isFor(_ schema: Schema, _ limits: QueryLimits) -> Bool { self.limits == limits && self.schema == schema }

        mutating func keep(_ query: BoundQuery, _ text: Text) {
            if recent.count >= QueryCache.capacity / 2 {
                earlier = recent
                recent = [:]
            }
            earlier[text] = nil
            recent[text] = query
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of queries that are kept.
    package var count: Int { state.withLock { $0.recent.count + $0.earlier.count } }

    /// Returns the query that the texts mean, from here or from `bind`. Cost: a hash of the texts, a lock that few share
    /// and a comparison of references, as long as all callers have the same schema.
    func query(
        _ text: Text, of schema: Schema, _ limits: QueryLimits, bind: () throws(Problem) -> BoundQuery
    ) throws(Problem) -> BoundQuery {
        guard text.byteCount <= Self.longest else { return try bind() }
        let known = state.withLock { state -> BoundQuery? in
            guard state.isFor(schema, limits) else { return nil }
            if let query = state.recent[text] { return query }
            guard let query = state.earlier[text] else { return nil }
            state.keep(query, text)
            return query
        }
        if let known { return known }
        let query = try bind()
        let hash = text.hashValue
        state.withLock { state in
            if !state.isFor(schema, limits) {
                state = State()
                state.limits = limits
            }
            // Comparing is slow with an equal schema that another version of the store has allocated separately.
            state.schema = schema
            let place = Int(UInt(bitPattern: hash) % UInt(state.once.count))
            if state.once[place] == hash { state.keep(query, text) } else { state.once[place] = hash }
        }
        return query
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
