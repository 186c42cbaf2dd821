import Columnar
import ColumnTesting
import ObjectModel
import QueryExecution
import QueryLanguage
import StoreTesting
import Testing
import TestBasics

@Suite("Queries of values as the reference evaluator answers them")
struct ElementColumnTests {
    private static let types: [(PropertyType, [Value])] = [
        (PropertyType(.int, isOptional: true), [.int(3), .int(-1), .int(7), .int(.max), .int(.min), .null]),
        (PropertyType(.double, isOptional: true), [.double(1.5), .double(-0.0), .double(.nan), .double(3), .null]),
        (PropertyType(.string, isOptional: true), [.string("ab"), .string("Ab"), .string(""), .string("éa"), .null]),
        (PropertyType(.bool, isOptional: true), [.bool(true), .bool(false), .null]),
        (
            PropertyType(.date, isOptional: true),
            [.date(.epoch), .date(Timestamp(floorSeconds: 1_000_000, fraction: 5)), .null]
        ),
        (
            PropertyType(.mixed),
            [
                .int(3), .double(3), .string("ab"), .bool(true), .null, .list([.int(1), .string("x")]),
                .dictionary(ValueMap([("a", .int(1))])), .date(.epoch),
            ]
        ),
    ]

    private static let texts = [
        "SELF == 3", "SELF > 2", "SELF != NULL", "SELF BETWEEN {0, 5}", "NOT SELF <= 3", "SELF IN {3, 7}",
        "SELF BEGINSWITH[c] 'a'", "SELF CONTAINS ''", "SELF == true", "SELF.@count > 1", "SELF.@type == 'numeric'",
        "SELF < 1970-01-02@0:0:0", "SELF * 2 > 5", "ANY SELF[*] == 1", "SELF.a == 1", "SELF.length < 2",
        "TRUEPREDICATE SORT(SELF DESC)", "SELF != 3 DISTINCT(SELF) SORT(SELF ASC) LIMIT(3)",
    ]

    @Test("each text, of each type that has it, in lists and maps", arguments: types.indices, [false, true])
    func texts(index: Int, isMap: Bool) throws {
        var random = SeededRandom.ofTest("\(index) \(isMap)")
        let seed = random.seed
        let (type, pool) = Self.types[index]
        let property = PropertySchema(
            "held", PropertyType(type.base, isOptional: type.isOptional, collection: isMap ? .map : .list))
        let element = ElementClass(property, of: ClassSchema("Holder", properties: [property]))
        let objectClass = element.objectClass
        var bound = 0
        // Also more than fit into one cluster.
        for count in [0, 1, 9, 1500] {
            let values = (0..<count).map { _ in pool[random.below(pool.count)] }
            let keys = isMap ? (0..<count).map { "k\($0 % 10)-\($0)" }.sorted() : []
            let executor = QueryExecutor(try ElementColumns(values, keys: keys, of: element))
            var rows = Rows(schema: element.schema)
            for (position, value) in values.enumerated() {
                rows.objects[objectClass.id, default: [:]][ObjectKey(Int64(position))] = [element.value.id: value]
                if let key = element.key {
                    rows.objects[objectClass.id]?[ObjectKey(Int64(position))]?[key.id] = .string(keys[position])
                }
            }
            let reference = ReferenceEvaluator(rows)
            let binder = QueryBinder(schema: element.schema, element: element)
            for text in Self.texts + (isMap ? ["@keys BEGINSWITH 'k1' AND SELF != NULL", "@values == 3"] : []) {
                guard let query = try? binder.bind(text, class: objectClass) else { continue }
                bound += 1
                #expect(try executor.select(query) == reference.select(query), "seed \(seed): \(text) of \(count)")
                #expect(try executor.count(query) == reference.count(query), "seed \(seed): \(text) of \(count)")
            }
            for by in ["self", "self.isNull", "self.first", "self.year"] + (isMap ? ["@keys.first"] : []) {
                guard let key = try? binder.bindSection(by, class: objectClass) else { continue }
                let all = BoundQuery(classID: objectClass.id, steps: [.sort([SortKey(key.path)])])
                #expect(try executor.sections(all, by: key) == reference.sections(all, by: key), "seed \(seed): \(by)")
            }
        }
        #expect(bound >= 4 * 3)
    }
}
