import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract

/// Something that is asked of both stores: the answers are one number each, and must agree.
struct Question {
    var words: String
    var sql: String
    var runs = 11
    /// Microseconds of a prototype of the column scans, and of Realm's C++ core, where they are known.
    var prototype: Double?
    var realm: Double?
    var answer: (any Snapshot) throws -> Double
}

/// The questions, over the classes of one schema.
struct Questions {
    private let item: ClassSchema
    private let entry: ClassSchema
    private let owner: ClassSchema
    private let rowCount: Int

    init(_ schema: Schema, rowCount: Int) {
        guard let item = schema["Item"], let entry = schema["Entry"], let owner = schema["Owner"] else {
            fatalError("The schema was not stored.")
        }
        self.item = item
        self.entry = entry
        self.owner = owner
        self.rowCount = rowCount
    }

    private func path(_ objectClass: ClassSchema, _ name: String, links: [LinkStep] = [], _ steps: [ValueStep] = [])
        -> BoundPath
    {
        guard let property = objectClass.properties.first(where: { $0.name == name }) else { fatalError(name) }
        return BoundPath(links: links, end: .property(property.id, property.type), steps: steps)
    }

    private func compare(
        _ path: BoundPath, _ comparison: ComparisonOperator, _ value: Value, ignoresCase: Bool = false
    ) -> BoundPredicate {
        .comparison(BoundComparison(.path(path), comparison, .constant(value), ignoresCase: ignoresCase))
    }

    private func items(_ predicate: BoundPredicate = .constant(true), _ steps: [ResultStep] = []) -> BoundQuery {
        BoundQuery(classID: item.id, predicate: predicate, steps: steps)
    }

    private func entries(_ predicate: BoundPredicate) -> BoundQuery {
        BoundQuery(classID: entry.id, predicate: predicate)
    }

    private func number(_ value: Value) -> Double {
        switch value {
        case .int(let number): Double(number)
        case .double(let number): number
        default: .nan
        }
    }

    /// The primary key of the last of some objects.
    private func lastID(_ snapshot: any Snapshot, _ keys: [ObjectKey]) throws -> Double {
        guard let last = keys.last else { return .nan }
        return number(try snapshot.value(item.id, last, item.properties[0].id))
    }

    private func sum(_ groups: [AggregateGroup]) -> Double {
        groups.reduce(0) { $0 + Double($1.count) + $1.results.reduce(0) { $0 + number($1) } }
    }

    /// The eight that the design was made from.
    var prototypes: [Question] {
        let (age, weight, name, breed) = (
            path(item, "age"), path(item, "weight"), path(item, "name"), path(item, "breed")
        )
        let range = BoundPredicate.and([
            compare(weight, .greater, .double(20.5)), compare(weight, .less, .double(30)),
        ])
        return [
            Question(
                words: "count(age > 10)", sql: "SELECT count(*) FROM item WHERE age > 10", runs: 51, prototype: 51,
                realm: 5000
            ) { Double(try $0.count(items(compare(age, .greater, .int(10))))) },
            Question(
                words: "count(20.5 < weight < 30)",
                sql: "SELECT count(*) FROM item WHERE weight > 20.5 AND weight < 30", runs: 51, prototype: 190,
                realm: 33_000
            ) { Double(try $0.count(items(range))) },
            Question(
                words: "both, ANDed",
                sql: "SELECT count(*) FROM item WHERE age > 10 AND weight > 20.5 AND weight < 30", runs: 51,
                prototype: 360
            ) { Double(try $0.count(items(.and([compare(age, .greater, .int(10)), range])))) },
            Question(
                words: "sum(weight)", sql: "SELECT sum(weight) FROM item", runs: 51, prototype: 160, realm: 5000
            ) { number(try $0.aggregate(items(), [AggregateRequest(.sum, weight)])[0]) },
            Question(
                words: "name BEGINSWITH 'item99'",
                sql: "SELECT count(*) FROM item WHERE name >= 'item99' AND name < 'item9:'", runs: 21, prototype: 1040,
                realm: 9000
            ) { Double(try $0.count(items(compare(name, .beginsWith, .string("item99"))))) },
            Question(
                words: "breed == 'breed7'", sql: "SELECT count(*) FROM item WHERE breed = 'breed7'", runs: 51,
                prototype: 110, realm: 6000
            ) { Double(try $0.count(items(compare(breed, .equal, .string("breed7"))))) },
            Question(
                words: "top 100 by weight", sql: "SELECT id FROM item ORDER BY weight DESC, id LIMIT 100", runs: 21,
                prototype: 240, realm: 240_000
            ) {
                let top = items(.constant(true), [.sort([SortKey(weight, ascending: false)])])
                return try lastID($0, try $0.select(top, Window(limit: 100)))
            },
        ]
    }

    var more: [Question] {
        let (age, weight, name, breed) = (
            path(item, "age"), path(item, "weight"), path(item, "name"), path(item, "breed")
        )
        let city = path(owner, "city", links: [.forward(entry.properties[1].id, target: owner.id)])
        let byBreed = [AggregateRequest(.sum, weight), AggregateRequest(.average, weight)]
        let wanted = (0..<1000).map { Int64($0 * 104_729 % rowCount) }
        let wantedText = wanted.map(String.init).joined(separator: ",")
        let (low, high) = (Decimal128("100.25") ?? .zero, Decimal128("230.5") ?? .zero)
        return [
            Question(
                words: "owner.city == 'city7'",
                sql: "SELECT count(*) FROM entry JOIN owner ON owner.id = entry.owner WHERE city = 'city7'",
                realm: 125_000
            ) { Double(try $0.count(entries(compare(city, .equal, .string("city7"))))) },
            Question(
                words: "name CONTAINS[c] 'M77'", sql: "SELECT count(*) FROM item WHERE name LIKE '%M77%'",
                realm: 12_000
            ) { Double(try $0.count(items(compare(name, .contains, .string("M77"), ignoresCase: true)))) },
            Question(
                words: "name == 'item4711'", sql: "SELECT count(*) FROM item WHERE name = 'item4711'", realm: 6000
            ) { Double(try $0.count(items(compare(name, .equal, .string("item4711"))))) },
            Question(
                words: "distinct breed", sql: "SELECT count(*) FROM (SELECT DISTINCT breed FROM item)", realm: 840_000
            ) { Double(try $0.count(items(.constant(true), [.distinct([breed])]))) },
            Question(
                words: "two keys, first 100", sql: "SELECT id FROM item ORDER BY age, weight DESC, id LIMIT 100",
                realm: 265_000
            ) {
                let sort = ResultStep.sort([SortKey(age), SortKey(weight, ascending: false)])
                return try lastID($0, try $0.select(items(.constant(true), [sort]), Window(limit: 100)))
            },
            Question(
                words: "sort by weight, all of it, first 100",
                sql:
                    "SELECT id FROM (SELECT id, weight FROM item ORDER BY weight, id LIMIT 1000000) LIMIT 100 OFFSET 0",
                runs: 5, realm: 520_000
            ) {
                let keys = try $0.select(items(.constant(true), [.sort([SortKey(weight)])]), .all)
                return try lastID($0, Array(keys.prefix(100)))
            },
            Question(
                words: "sort by two keys, all of it, first 100",
                sql:
                    "SELECT id FROM (SELECT id FROM item ORDER BY age, name DESC, id LIMIT 1000000) LIMIT 100 OFFSET 0",
                runs: 5, realm: 3_000_000
            ) {
                let sort = ResultStep.sort([SortKey(age), SortKey(name, ascending: false)])
                return try lastID($0, Array(try $0.select(items(.constant(true), [sort]), .all).prefix(100)))
            },
            Question(
                words: "sections by breed", sql: "SELECT count(*) FROM (SELECT breed, id FROM item ORDER BY breed, id)",
                runs: 5, realm: 1_200_000
            ) { Double(try $0.sections(items(), by: SectionKey(breed)).keys.count) },
            Question(
                words: "count, sum and average of weight by breed",
                sql:
                    "SELECT sum(c + s + a) FROM (SELECT count(*) c, sum(weight) s, avg(weight) a FROM item GROUP BY breed)"
            ) { sum(try $0.aggregate(items(), byBreed, by: [breed])) },
            Question(
                words: "sum(weight) where age > 10", sql: "SELECT sum(weight) FROM item WHERE age > 10", realm: 45_000
            ) {
                number(
                    try $0.aggregate(items(compare(age, .greater, .int(10))), [AggregateRequest(.sum, weight)])[0])
            },
            Question(
                words: "nums == 42 (in a list)", sql: "SELECT count(DISTINCT entry) FROM num WHERE value = 42"
            ) { Double(try $0.count(entries(compare(path(entry, "nums", [.elements(.all)]), .equal, .int(42))))) },
            Question(
                words: "nums.@count > 3",
                sql: "SELECT count(*) FROM (SELECT entry FROM num GROUP BY entry HAVING count(*) > 3)"
            ) { Double(try $0.count(entries(compare(path(entry, "nums", [.size]), .greater, .int(3))))) },
            Question(
                words: "price BETWEEN 100.25 and 230.5 (decimal)",
                sql: "SELECT count(*) FROM entry WHERE price BETWEEN 10025 AND 23050"
            ) {
                let price = path(entry, "price")
                return Double(
                    try $0.count(
                        entries(
                            .and([
                                compare(price, .greaterOrEqual, .decimal(low)),
                                compare(price, .lessOrEqual, .decimal(high)),
                            ]))))
            },
            Question(words: "id IN 1000 keys", sql: "SELECT count(*) FROM item WHERE id IN (\(wantedText))") {
                let list = BoundOperand.list(wanted.map { .int($0) })
                return Double(
                    try $0.count(items(.comparison(BoundComparison(.path(path(item, "id")), .equal, list)))))
            },
        ]
    }
}
