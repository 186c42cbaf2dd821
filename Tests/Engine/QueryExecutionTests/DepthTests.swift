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

/// The deepest trees that the parser accepts, where the stack is smallest: on the threads of a parallel scan.
@Suite("Deep queries")
struct DepthTests {
    private static let depth = QueryParser.depthLimit - 1

    private static let texts = [
        String(repeating: "NOT ", count: depth) + "number > 3",
        String(repeating: "(number > 3 AND NOT ", count: depth / 2) + "number == 1"
            + String(repeating: ")", count: depth / 2),
        String(repeating: "(number == -1 OR (text != 'x' AND ", count: depth / 2) + "number > 3"
            + String(repeating: "))", count: depth / 2),
        "number" + String(repeating: " + 1", count: depth) + " > 3",
        String(repeating: "(1 + ", count: depth - 1) + "number" + String(repeating: ")", count: depth - 1)
            + " > number",
    ]

    @Test("the deepest query runs on every thread and agrees with the test of each object", arguments: texts)
    func deep(_ text: String) throws {
        var random = SeededRandom.ofTest()
        let rows = ScanTests.rows(700, &random)
        let source = try MemoryColumnSource(rows)
        let item = try #require(ScanTests.items.schema[ItemClass.id])
        let query = try QueryBinder(schema: ScanTests.items.schema).bind(text, class: item)
        let scan = try Planner(source: source).scan(ItemClass.id, query.predicate)
        let found = try scan.inParts(8) { try $0.list() }.flatMap(\.self)
        let row = RowPredicate(query.predicate, on: ItemClass.id, in: source)
        #expect(try found == rows.keys(of: ItemClass.id).filter { try row.holds($0) })
        #expect(try ReferenceEvaluator(rows).select(query) == found)
        #expect(QueryPrinter.text(query, schema: ScanTests.items.schema) != nil)
    }
}
