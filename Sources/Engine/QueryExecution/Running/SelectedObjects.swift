import Columnar
import ObjectModel
import QueryLanguage
import QueryOperators

/// The objects that a query selects before its steps are applied.
enum SelectedObjects {
    /// The matches of a scan, in creation order.
    case scan(ClassScan)
    /// In this order, possibly repeated.
    case keys([ObjectKey])

    /// Runs the predicate if the scope is not the class; otherwise only plans.
    init(_ query: BoundQuery, with planner: Planner) throws {
        switch query.scope {
        case .all:
            self = .scan(try planner.scan(query.classID, query.predicate))
        case .property(let holder, let property):
            let keys = try ScopedObjects.keys(of: holder, property, in: planner.source)
            self = .keys(try ScopedObjects.filter(keys, query.predicate, on: query.classID, with: planner))
        }
    }

    func count() throws -> Int {
        switch self {
        case .scan(let scan): try scan.count()
        case .keys(let keys): keys.count
        }
    }

    /// The objects in their order, or those after a cursor in creation order; at most `limit`.
    func list(after cursor: Cursor? = nil, limit: Int = .max) throws -> [ObjectKey] {
        switch self {
        case .scan(let scan): return try scan.list(after: cursor?.key, limit: limit)
        case .keys(let keys):
            guard let cursor else { return Array(keys.prefix(limit)) }
            return Array(keys.lazy.filter { $0 > cursor.key }.prefix(limit))
        }
    }
}
