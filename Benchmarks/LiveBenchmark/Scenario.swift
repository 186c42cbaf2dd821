import EmbeddedStore
import LiveQueries
import ObjectModel
import QueryLanguage
import QueryOperators
import StoreContract
import ViewMaintenance

/// A kind of change, as often as it is timed.
struct Change: Sendable {
    let name: String
    /// Commits number `index`.
    let commit: @Sendable (Catalogue, _ index: Int) throws -> Void
}

struct Scenario: Sendable {
    let name: String
    let query: String
    var keyPath: String?
    /// The functions of the query's aggregate, if that is observed.
    var aggregate: [(function: AggregateRequest.Function, path: String)]?
    /// What the aggregate is grouped by.
    var by: String?
    /// Which groups there are: a condition on the key, the count and the functions; nil for all.
    var having: String?
    /// What a histogram of the query counts, if that is observed.
    var bins: String?
    let changes: [Change]

    /// The observed aggregate; nil if the query itself is observed.
    func aggregate(_ query: BoundQuery, _ binder: QueryBinder, _ item: ClassSchema) throws -> LiveAggregate? {
        guard let aggregate else { return nil }
        let requests = try aggregate.map { try binder.bindAggregate($0.function, $0.path, class: item) }
        let paths = try by.map { try binder.bindGroup($0, class: item) } ?? []
        return LiveAggregate(query, requests, by: paths, having: try condition(paths, requests))
    }

    private func condition(_ paths: [BoundPath], _ requests: [AggregateRequest]) throws -> GroupCondition? {
        guard let having, let aggregate, let by else { return nil }
        let names = zip(aggregate, requests).map {
            GroupClass.Term("\($0.function.rawValue)(\($0.path))", $1.resultType)
        }
        let terms = paths.map { GroupClass.Term(by, $0.valueType) } + [GroupClass.Term("count", PropertyType(.int))]
        return GroupCondition(
            try GroupClass(terms + names).bind(having),
            on: paths.indices.map { .key($0) } + [.count] + requests.indices.map { .result($0) })
    }

    /// The observed histogram; nil if there is none.
    func histogram(_ query: BoundQuery, _ binder: QueryBinder, _ item: ClassSchema) throws -> Histogram? {
        guard let bins, let path = try binder.bindGroup(bins, class: item).first else { return nil }
        return Histogram(query: query, name: bins, path: path)
    }
}

/// The numbers of objects in twenty or more intervals of their values.
struct Histogram: LiveValueSource {
    let query: BoundQuery
    let name: String
    let path: BoundPath

    private static let width = Double(Catalogue.scores / 20)

    @Sendable private static func bounds(_ range: ClosedRange<Double>) -> [Double] {
        let last = Int(range.upperBound / width) + 1
        return (Int(range.lowerBound / width)...last).map { Double($0) * width }
    }

    @Sendable private static func text(_ found: ValueDistribution) -> [UInt8] {
        Array("\(found.bounds) \(found.counts) \(found.otherCount)".utf8)
    }

    func read(_ reads: any ObjectReads) throws -> [UInt8] {
        guard let snapshot = reads as? any Snapshot else {
            return Self.text(try DistributionTally.read(query, of: path, reads, bounds: Self.bounds))
        }
        return Self.text(try snapshot.distribution(query, of: path, bounds: Self.bounds))
    }

    var histogram: LiveHistogram? { LiveHistogram(of: path, bounds: Self.bounds, write: Self.text) }

    /// As the gateway observes it.
    func answer(_ schema: Schema) throws -> LiveValue {
        let keyPath = try LiveKeyPath(name, in: query.classID, of: schema)
        return LiveValue(AnyValueSource(self), dependingOn: [.init(.query(query), keyPaths: [keyPath])])
    }
}

extension Scenario {
    static let repetitions = 200

    /// One of the objects, another one for each repetition.
    static func key(_ index: Int, _ catalogue: Catalogue) -> ObjectKey {
        ObjectKey(Int64(Catalogue.random(index &* 7919 &+ 13) % UInt64(catalogue.count)))
    }

    static func score(_ index: Int) -> Value {
        .int(Int64(Catalogue.random(index &* 31 &+ 5) % UInt64(Catalogue.scores)))
    }

    static let rename = Change(name: "modified, not sorted by that") {
        try $0.set(key($1, $0), [Catalogue.name: .string("renamed \($1)"), Catalogue.age: .int(3)])
    }
    static let stay = Change(name: "modified, does not move") { catalogue, index in
        let key = key(index, catalogue)
        try catalogue.set(key, [Catalogue.score: .int(try catalogue.int(key, Catalogue.score))])
    }
    static let move = Change(name: "moves") { try $0.set(key($1, $0), [Catalogue.score: score($1)]) }
    static let leave = Change(name: "leaves") { try $0.set(key($1, $0), [Catalogue.age: .int(19)]) }
    static let enter = Change(name: "enters") { try $0.set(key($1, $0), [Catalogue.age: .int(2)]) }
    static let top = Change(name: "enters at the top") { catalogue, index in
        try catalogue.set(
            key(index, catalogue), [Catalogue.age: .int(2), Catalogue.score: .int(Int64(Catalogue.scores + index))])
    }
    static let breed = Change(name: "changes its group") {
        try $0.set(key($1, $0), [Catalogue.breed: .string("new breed \($1)"), Catalogue.age: .int(3)])
    }
    /// After `breed` in another scenario.
    static let regroup = Change(name: "changes its group") {
        try $0.set(key($1, $0), [Catalogue.breed: .string("other breed \($1)")])
    }
    static let raise = Change(name: "its number changes") { catalogue, index in
        let key = key(index, catalogue)
        try catalogue.set(key, [Catalogue.score: .int(try catalogue.int(key, Catalogue.score) + 1)])
    }
    static let extend = Change(name: "moves the bounds") {
        try $0.set(key($1, $0), [Catalogue.score: .int(Int64(Catalogue.scores / 20 * (21 + $1)))])
    }
    static let ownerLevel = Change(name: "its owner changes") { catalogue, index in
        let owner = ObjectKey(Int64(Catalogue.random(index &* 17 &+ 3) % UInt64(max(1, catalogue.count / 10))))
        _ = try catalogue.store.write { try $0.set(Catalogue.owner, owner, [Catalogue.level: .int(Int64(index % 10))]) }
    }

    static let all = [
        Scenario(
            name: "filter, sort", query: "age < 15 SORT(score DESC)", changes: [rename, stay, move, leave, enter]),
        Scenario(name: "filter", query: "age < 15", changes: [rename, leave, enter]),
        Scenario(name: "filter, sort, limit 100", query: "age < 15 SORT(score DESC) LIMIT(100)", changes: [top]),
        Scenario(
            name: "filter, sort, distinct", query: "age < 15 SORT(score DESC) DISTINCT(breed)", changes: [breed, top]),
        Scenario(
            name: "link in the predicate, sort", query: "owner.level > 4 SORT(score ASC)", changes: [ownerLevel, move]),
        Scenario(
            name: "filter, sum, average", query: "age < 15", aggregate: [(.sum, "score"), (.average, "score")],
            changes: [raise, leave, enter]),
        Scenario(
            name: "sum, maximum by group", query: "TRUEPREDICATE", aggregate: [(.sum, "score"), (.maximum, "score")],
            by: "breed", changes: [raise, breed]),
        Scenario(
            name: "sum by group, having", query: "TRUEPREDICATE", aggregate: [(.sum, "score")], by: "breed",
            having: "sum(score) > 0 AND count > 0", changes: [raise, regroup]),
        Scenario(name: "bins", query: "TRUEPREDICATE", bins: "score", changes: [move, extend]),
        Scenario(name: "filter, bins", query: "age < 15", bins: "score", changes: [move, leave, enter]),
        Scenario(name: "filter, key path", query: "age < 15", keyPath: "name", changes: [rename, leave]),
    ]
}
