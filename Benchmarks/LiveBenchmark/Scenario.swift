import EmbeddedStore
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

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
    let changes: [Change]

    /// The observed aggregate; nil if the query itself is observed.
    func aggregate(_ query: BoundQuery, _ binder: QueryBinder, _ item: ClassSchema) throws -> LiveAggregate? {
        guard let aggregate else { return nil }
        return LiveAggregate(
            query, try aggregate.map { try binder.bindAggregate($0.function, $0.path, class: item) },
            by: try by.map { try binder.bindGroup($0, class: item) } ?? [])
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
    static let raise = Change(name: "its number changes") { catalogue, index in
        let key = key(index, catalogue)
        try catalogue.set(key, [Catalogue.score: .int(try catalogue.int(key, Catalogue.score) + 1)])
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
        Scenario(name: "filter, key path", query: "age < 15", keyPath: "name", changes: [rename, leave]),
    ]
}
