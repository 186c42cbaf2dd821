import ColumnTesting
import ObjectModel
import QueryExecution
import QuerySyntax
import QueryLanguage
import StoreTesting
import Testing
import TestBasics

/// Every operator on every type, single and in every collection, with and without null, by every quantifier: the
/// executor against the reference evaluator.
@Suite("Operators on types")
struct QueryMatrixTests {
    static let bases: [BaseType] = [
        .bool, .int, .float, .double, .string, .data, .date, .decimal128, .objectId, .uuid, .mixed,
    ]

    static let shapes: [PropertyType] = bases.flatMap { base in
        let kinds: [CollectionKind] = [.single, .list, .set, .map]
        let nullable = kinds.map { PropertyType(base, isOptional: base != .mixed, collection: $0) }
        return base == .mixed ? nullable : nullable + [PropertyType(base)]
    }

    @Test("an operator means the same to the executor and to the reference evaluator", arguments: shapes)
    func agreement(_ type: PropertyType) throws {
        var random = SeededRandom.ofTest(type)
        let seed = random.seed
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Thing",
                    properties: [
                        PropertySchema("value", type, isIndexed: type.canBeIndexed && random.oneIn(2)),
                        PropertySchema("other", type.element),
                    ])
            ])
        let (thing, value, other) = (ClassID(1), PropertyID(1), PropertyID(2))
        var rows = Rows(schema: schema)
        for number in 0..<70 as Range<Int64> where number != 7 {
            rows.objects[thing, default: [:]][ObjectKey(number)] = [
                value: RandomRows.stored(RandomValues.value(of: type, &random)),
                other: RandomValues.value(of: type.element, &random),
            ]
        }
        let executor = QueryExecutor(try MemoryColumnSource(rows))
        let reference = ReferenceEvaluator(rows)
        let steps: [ValueStep] = type.isCollection ? [.elements(.all)] : []
        let path = BoundPath(end: .property(value, type), steps: steps)
        let otherPath = BoundPath(end: .property(other, type.element))
        for operation in ComparisonOperator.allCases {
            var rights: [BoundOperand] = [.constant(.null), .path(otherPath)]
            for _ in 0..<3 { rights.append(.constant(constant(type, &random))) }
            rights.append(.list((0..<3).map { _ in constant(type, &random) } + [.null]))
            for right in rights {
                let folds =
                    (type.base == .string || type.base == .mixed)
                    && (operation.isStringOperator || operation == .equal || operation == .notEqual)
                let comparison = BoundComparison(
                    .path(path), operation, right, ignoresCase: folds && random.oneIn(2),
                    ignoresDiacritics: folds && operation != .like && random.oneIn(3),
                    leftQuantifier: random.pick([.any, .all, .none]) ?? .any,
                    rightQuantifier: random.pick([.any, .all, .none]) ?? .any,
                    isElementwise: type.isCollection && right.isToMany && random.oneIn(2))
                let query = BoundQuery(classID: thing, predicate: .comparison(comparison))
                let expected = try reference.select(query)
                #expect(try executor.select(query) == expected, "seed \(seed): \(query)")
                #expect(try executor.count(query) == expected.count, "seed \(seed): \(query)")
                for key in [0, 7, 63, 64, 69].map({ ObjectKey($0) }) {
                    #expect(try executor.matches(query, key) == expected.contains(key), "seed \(seed): \(query)")
                }
            }
        }
    }

    private func constant(_ type: PropertyType, _ random: inout SeededRandom) -> Value {
        if type.isMixed { return RandomValues.mixed(&random, depth: .max) }
        if type.base.isNumeric, random.oneIn(3) {
            let other = random.pick([BaseType.int, .float, .double, .decimal128]) ?? .int
            return RandomValues.value(of: PropertyType(other), &random)
        }
        return RandomValues.value(of: PropertyType(type.base), &random)
    }
}
