import ColumnTesting
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreTesting
import Testing
import TestBasics

/// Bound queries as text: it binds again, and means the same.
@Suite("Printed queries")
struct PrintedQueryTests {
    @Test("a printed query binds to one with the same results, which prints and binds to itself", arguments: 0..<4)
    func roundTrip(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let seed = random.seed
        let rows = RandomRows.make(&random, objectsPerClass: [12, 30], kinds: .all)
        let reference = ReferenceEvaluator(rows)
        let queries = RandomQueries(rows.schema, forms: .all)
        let binder = QueryBinder(schema: rows.schema)
        var bindings = 0
        for _ in 0..<150 {
            var query = queries.query(&random)
            query.scope = .all
            let objectClass = try #require(rows.schema[query.classID])
            // RQL cannot express every bound form, and its rules do not permit every one.
            guard let text = QueryPrinter.text(query, schema: rows.schema),
                let bound = try? binder.bind(text, class: objectClass)
            else { continue }
            bindings += 1
            #expect(try reference.select(bound) == reference.select(query), "seed \(seed): \(text) for \(query)")
            let again = try #require(QueryPrinter.text(bound, schema: rows.schema), "seed \(seed): \(text)")
            #expect(try binder.bind(again, class: objectClass) == bound, "seed \(seed): \(text), then \(again)")
        }
        if TestRun.hasFixedSeeds { #expect(bindings > 50, "seed \(seed)") }
    }
}
