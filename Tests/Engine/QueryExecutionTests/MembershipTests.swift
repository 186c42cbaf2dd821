import Columnar
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

/// Lists that are long enough to be searched as sets.
@Suite("Long lists of constants")
struct MembershipTests {
    @Test("a long list finds the reference's results, with letters and marks folded or not", arguments: 0..<4)
    func longLists(_ folds: Int) throws {
        var random = SeededRandom.ofTest(folds)
        let seed = random.seed
        let rows = ScanTests.rows(300, &random)
        let source = try MemoryColumnSource(rows)
        let texts: [Value] = ["ASH", "äSCHE", "asche", "a", "A", "É", "e\u{301}", "ß", "ς", "x", "", "Å"].map {
            .string($0)
        }
        // Text, mixed, and a string with few different values.
        for (property, list) in [
            (2, texts), (2, texts + [.null]), (9, texts), (9, texts + [.null]), (5, texts + [.int(1), .null]),
            (5, texts + [.data([0x61]), .double(.nan)]),
        ] {
            for quantifier in [Quantifier.any, .all, .none] {
                let predicate = BoundPredicate.comparison(
                    BoundComparison(
                        .path(ScanTests.items.path(UInt16(property))), .equal, .list(list), ignoresCase: folds & 1 != 0,
                        ignoresDiacritics: folds & 2 != 0, rightQuantifier: quantifier))
                let expected = try ReferenceEvaluator(rows).select(
                    BoundQuery(classID: ItemClass.id, predicate: predicate))
                #expect(
                    try Planner(source: source).scan(ItemClass.id, predicate).list() == expected,
                    "seed \(seed): \(predicate)")
                let row = RowPredicate(predicate, on: ItemClass.id, in: source)
                #expect(
                    try rows.keys(of: ItemClass.id).filter { try row.holds($0) } == expected,
                    "seed \(seed): \(predicate)")
            }
        }
    }
}
