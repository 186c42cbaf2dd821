import ObjectModel
import QueryLanguage
package import StoreContract

/// An index that a query would use, and that would spare it most of the objects that it examines.
package struct IndexAdvice: Hashable, Sendable {
    package let className: String
    package let property: String
    /// The number of objects that it finds.
    package let objects: Int
    package let words: String

    /// Fewer objects are examined in no time.
    private static let least = 1000
    /// How many objects the query must have examined for each that the index finds.
    private static let ratio = 10

    /// The advice for a query; each index alone is enough. The store's planner says what it would do with the index.
    ///
    /// Throws the errors of the store. Cost: a pass over the column of each compared property without an index, for each
    /// of its comparisons that an index could answer.
    package static func all(
        for example: SlowQueries.Example, in snapshot: any Snapshot
    ) throws -> [IndexAdvice] {
        guard let query = example.query, query.scope == .all, let objectClass = snapshot.schema[query.classID]
        else { return [] }
        let all = snapshot.count(of: query.classID)
        let examined = example.hasFailed ? max(example.examined, all) : example.examined
        guard examined >= least else { return [] }
        var advice: [IndexAdvice] = []
        for propertyID in comparedProperties(query.predicate) {
            guard let property = objectClass[propertyID], !property.isIndexed, property.type.canBeIndexed,
                objectClass.primaryKey != property.name,
                let objects = try snapshot.testedObjects(query, assumingIndexOf: propertyID),
                objects * ratio <= examined
            else { continue }
            advice.append(
                IndexAdvice(
                    className: objectClass.name, property: property.name, objects: objects,
                    words: words(objectClass.name, property.name, objects, examined)))
        }
        return advice
    }

    private static func words(_ className: String, _ property: String, _ objects: Int, _ examined: Int) -> String {
        "With an index of \(className).\(property) the query finds \(objects) object\(objects == 1 ? "" : "s") at once, "
            + "and need not examine \(examined). Each write of the property then costs a little more."
    }

    /// The properties of the objects themselves that the predicate compares, in its order, each once.
    private static func comparedProperties(_ predicate: BoundPredicate) -> [PropertyID] {
        switch predicate {
        case .comparison(let comparison):
            guard case .path(let path) = comparison.left, path.links.isEmpty, path.steps.isEmpty,
                case .property(let property, _) = path.end
            else { return [] }
            return [property]
        case .and(let parts), .or(let parts):
            return parts.flatMap(comparedProperties).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        case .constant, .between, .fullText, .geoWithin, .not: return []
        }
    }
}
