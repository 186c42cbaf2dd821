import HTTPMessages
import HTTPServer
import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import RequestHandling
package import RequestParameters
package import StoreContract
import WriteRequests

/// The position of an object in a query's result, at any version of one schema.
package struct IndexRead: Hashable, Sendable {
    /// The object whose position is requested.
    enum Wanted: Hashable, Sendable {
        case object(ObjectAddress)
        /// The first one that satisfies the condition.
        case match(BoundQuery)
    }

    let query: BoundQuery
    let wanted: Wanted

    /// The name of the member that the answer has.
    package static let name = "index"

    /// The number of objects that are tested one by one, which is cheap if an early one matches.
    private static let triedSingly = 64

    /// What the answer depends on.
    package func dependence(in collection: CollectionTarget) -> ReadDependence {
        var matching: BoundQuery?
        if case .match(let condition) = wanted { matching = condition }
        return ReadDependence(orderOf: query, matching: matching, in: collection)
    }

    /// Returns nil if there is no such object in the result. Throws the errors of the store.
    func index(in reads: any ObjectReads) throws -> Int? {
        switch wanted {
        case .object(let address):
            guard let key = try address.find(query.classID, in: reads) else { return nil }
            return try reads.select(query, .all).firstIndex(of: key)
        case .match(let matching): return try firstMatch(of: matching, in: reads)
        }
    }

    private func firstMatch(of matching: BoundQuery, in reads: any ObjectReads) throws -> Int? {
        let keys = try reads.select(query, .all)
        for (index, key) in keys.prefix(Self.triedSingly).enumerated() where try reads.matches(matching, key) {
            return index
        }
        guard keys.count > Self.triedSingly else { return nil }
        let matches = Set(try reads.select(matching, .all))
        return keys.firstIndex { matches.contains($0) }
    }
}

extension IndexRead: LiveValueSource {
    package func read(_ reads: any ObjectReads) throws -> [UInt8] { JSONWriter.bytes(ofIndex: try index(in: reads)) }
}

/// The position of a value in one list, set or map, at any version of one schema.
package struct ElementIndexRead: Hashable, Sendable {
    /// The value whose position is requested.
    enum Wanted: Hashable, Sendable {
        case value(Value)
        /// The first one that satisfies the condition.
        case match(BoundQuery)
    }

    let selection: ElementSelection
    let wanted: Wanted

    /// Returns nil if there is no such value. Throws the errors of the store.
    func index(in reads: any ObjectReads, _ budget: QueryBudget? = nil) throws -> Int? {
        let content = try selection.content(of: reads, budget)
        let chosen = try content.select(selection.query)
        switch wanted {
        case .value(let value): return chosen.firstIndex { Value.order(content[$0], value) == 0 }
        case .match(let matching):
            let matches = Set(try content.select(matching))
            return chosen.firstIndex { matches.contains($0) }
        }
    }
}

extension ElementIndexRead: LiveValueSource {
    package func read(_ reads: any ObjectReads) throws -> [UInt8] { JSONWriter.bytes(ofIndex: try index(in: reads)) }
}

extension JSONWriter {
    /// Writes a position; null for none.
    func index(_ index: Int?) { if let index { int(index) } else { null() } }

    fileprivate static func bytes(ofIndex index: Int?) -> [UInt8] {
        let json = JSONWriter(capacity: 32)
        json.index(index)
        return json.bytes
    }
}

extension Response {
    static func index(_ index: Int?, of snapshot: any Snapshot) -> Response {
        let json = JSONWriter(capacity: 64)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        json.name(IndexRead.name)
        json.index(index)
        json.endObject()
        return .json(json, of: snapshot)
    }
}
