import HTTPProblems
import ObjectCoding
import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract

/// A query of the values in one object's list, set or map, at any version of one schema.
struct ElementSelection: Hashable, Sendable {
    let holder: ObjectReference
    let property: PropertySchema
    let element: ElementClass
    let query: BoundQuery

    /// Whether it selects all elements in stored order.
    var isPlain: Bool { query.predicate == .constant(true) && query.steps.isEmpty }

    /// Returns all elements for queries. Throws the errors of the store.
    func content(of reads: any ObjectReads, _ budget: QueryBudget? = nil) throws -> ElementContent {
        let values: [Value]
        var keys: [String] = []
        if element.isMap {
            // Elements come without their keys.
            guard case .dictionary(let map) = try reads.value(holder, property.id) else { throw Problem.internalError }
            values = map.entries.map(\.value)
            keys = map.entries.map(\.key)
        } else {
            values = try reads.elements(holder, property.id, 0..<(try reads.elementCount(holder, property.id)))
        }
        let columns = try ElementColumns(values, keys: keys, of: element)
        let budget = budget ?? reads.budget ?? .unlimited
        return ElementContent(
            values: values, keys: keys, executor: QueryExecutor(LimitedSource(columns, budget)), reads: reads)
    }

    /// Returns the values of the query, in its order. Throws the errors of the store.
    func values(of reads: any ObjectReads, _ budget: QueryBudget? = nil) throws -> [Value] {
        let content = try content(of: reads, budget)
        return isPlain ? content.values : try content.select(query).map { content[$0] }
    }
}

extension QueryBudget {
    static var unlimited: QueryBudget { QueryBudget(rows: nil, milliseconds: nil) }
}
