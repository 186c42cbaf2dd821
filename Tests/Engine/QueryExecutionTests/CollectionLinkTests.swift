import ColumnTesting
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

@testable import QueryExecution
@testable import QueryOperators
import TestBasics

/// Conditions on objects that links in lists, sets and maps lead to: the operators against the test of single objects.
@Suite("Links through collections")
struct CollectionLinkTests {
    static let owner = ClassID(1)
    static let dog = ClassID(2)

    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Owner",
                properties: [
                    PropertySchema("friend", PropertyType(.link("Owner"), isOptional: true)),
                    PropertySchema("dogs", PropertyType(.link("Dog"), collection: .list)),
                    PropertySchema("herd", PropertyType(.link("Dog"), collection: .set)),
                    PropertySchema("pets", PropertyType(.link("Dog"), isOptional: true, collection: .map)),
                ]),
            ClassSchema(
                "Dog",
                properties: [
                    PropertySchema("age", PropertyType(.int, isOptional: true)),
                    PropertySchema("name", PropertyType(.string)),
                ]),
        ])

    /// Only a few owners link to every hundredth dog, so that both methods of the operator are used.
    static func rows(owners: Int, dogs: Int, _ random: inout SeededRandom) -> Rows {
        var rows = Rows(schema: schema)
        for number in 0..<dogs {
            let age: Value = random.oneIn(8) ? .null : .int(Int64(random.below(6)))
            rows.objects[dog, default: [:]][ObjectKey(Int64(number))] = [
                PropertyID(1): age, PropertyID(2): .string("dog\(number)"),
            ]
        }
        func links() -> [Value] {
            (0..<random.below(4)).map { _ in .link(ObjectKey(Int64(random.below(dogs)))) }
        }
        for number in 0..<owners where !random.oneIn(9) {
            rows.objects[owner, default: [:]][ObjectKey(Int64(number))] = [
                PropertyID(2): .list(links()), PropertyID(3): .set(Set(links()).sorted { Value.order($0, $1) < 0 }),
                PropertyID(4): .dictionary(
                    ValueMap(zip(["a", "b", "rex"], links() + [.null]).map { ($0, random.oneIn(7) ? .null : $1) })),
            ]
        }
        let owners = rows.keys(of: owner)
        for key in owners where !random.oneIn(3) {
            rows.objects[owner]?[key]?[PropertyID(1)] = .link(random.pick(owners) ?? key)
        }
        return rows
    }

    static let ways: [[LinkStep]] = {
        let ends: [LinkStep] = [
            .elements(PropertyID(2), target: dog, .all), .elements(PropertyID(3), target: dog, .all),
            .elements(PropertyID(4), target: dog, .all), .elements(PropertyID(2), target: dog, .position(1)),
            .elements(PropertyID(2), target: dog, .last), .elements(PropertyID(4), target: dog, .key("rex")),
        ]
        return ends.flatMap { [[$0], [.forward(PropertyID(1), target: owner), $0]] }
    }()

    static func predicates(_ links: [LinkStep]) -> [BoundPredicate] {
        let age = BoundPath(links: links, end: .property(PropertyID(1), PropertyType(.int, isOptional: true)))
        let name = BoundPath(links: links, end: .property(PropertyID(2), PropertyType(.string)))
        let object = BoundPath(links: links, end: .object(dog))
        let two = Value.reference(ObjectReference(dog, ObjectKey(2)))
        let subquery = BoundOperand.subquery(
            BoundSubquery(
                links: links, classID: dog,
                predicate: .comparison(BoundComparison(.path(BoundPath(end: age.end)), .less, .constant(.int(2))))))
        var predicates: [BoundPredicate] = []
        for quantifier in [Quantifier.any, .all, .none] {
            func add(_ path: BoundPath, _ operation: ComparisonOperator, _ right: BoundOperand) {
                predicates.append(
                    .comparison(BoundComparison(.path(path), operation, right, leftQuantifier: quantifier)))
            }
            for operation in [ComparisonOperator.equal, .notEqual, .greater, .lessOrEqual] {
                add(age, operation, .constant(.int(3)))
                add(age, operation, .constant(.null))
            }
            add(age, .equal, .list([.int(1), .null]))
            add(name, .equal, .constant(.string("dog7")))
            add(name, .contains, .constant(.string("1")))
            for operation in [ComparisonOperator.equal, .notEqual] {
                add(object, operation, .constant(two))
                add(object, operation, .constant(.null))
            }
            predicates.append(.between(BoundBetween(.path(age), .int(1), .int(3), quantifier: quantifier)))
        }
        for operand in [subquery, .path(BoundPath(links: links, end: .count))] {
            for operation in [ComparisonOperator.equal, .notEqual, .greater, .greaterOrEqual, .less, .lessOrEqual] {
                for number in [0, 1, 2] {
                    predicates.append(.comparison(BoundComparison(operand, operation, .constant(.int(Int64(number))))))
                }
            }
        }
        return predicates
    }

    @Test("a scan through links in collections finds the same objects as the test of each object", arguments: 0..<3)
    func operatorsAndRows(_ size: Int) throws {
        var random = SeededRandom.ofTest(size)
        let seed = random.seed
        // As many dogs as owners, few dogs, and so many that links are followed object by object.
        let sizes = [(200, 200), (200, 9), (1, 1000)]
        let rows = Self.rows(owners: sizes[size].0, dogs: sizes[size].1, &random)
        let source = try MemoryColumnSource(rows)
        let keys = rows.keys(of: Self.owner)
        for links in Self.ways {
            for predicate in Self.predicates(links) {
                let row = RowPredicate(predicate, on: Self.owner, in: source)
                let expected = try keys.filter { try row.holds($0) }
                let scan = try Planner(source: source).scan(Self.owner, predicate)
                #expect(try scan.list() == expected, "seed \(seed): \(predicate)")
                let parts = try scan.inParts(3) { try $0.list() }
                #expect(parts.flatMap(\.self) == expected, "seed \(seed): \(predicate) in parts")
            }
        }
    }

    @Test("explain reports whether links are tested, walked back or followed")
    func explain() throws {
        var random = SeededRandom.ofTest()
        func words(_ predicate: BoundPredicate, owners: Int, dogs: Int) throws -> String {
            let rows = Self.rows(owners: owners, dogs: dogs, &random)
            let query = BoundQuery(classID: Self.owner, predicate: predicate)
            let plan = try QueryExecutor(try MemoryColumnSource(rows)).explain(query).root
            return plan.lines().joined(separator: "\n")
        }
        let dogs = Self.ways[0]
        func age(_ operation: ComparisonOperator) -> BoundPredicate {
            let path = BoundPath(links: dogs, end: .property(PropertyID(1), PropertyType(.int, isOptional: true)))
            return .comparison(BoundComparison(.path(path), operation, .constant(.int(3))))
        }
        let named = BoundPredicate.comparison(
            BoundComparison(
                .path(BoundPath(links: dogs, end: .property(PropertyID(2), PropertyType(.string)))), .equal,
                .constant(.string("dog7"))))
        #expect(
            try words(age(.notEqual), owners: 300, dogs: 300).contains("links in dogs to Dog: tested in place"))
        #expect(try words(named, owners: 300, dogs: 300).contains("links in dogs to Dog: walk of backlinks, objects"))
        #expect(try words(age(.equal), owners: 9, dogs: 9000).contains("row by row"))
        let subquery = BoundOperand.subquery(
            BoundSubquery(links: dogs, classID: Self.dog, predicate: .not(.constant(false))))
        #expect(
            try words(
                .comparison(BoundComparison(subquery, .greater, .constant(.int(1)))), owners: 90, dogs: 90
            ).contains("number of links in dogs to Dog: tested in place"))
    }
}
