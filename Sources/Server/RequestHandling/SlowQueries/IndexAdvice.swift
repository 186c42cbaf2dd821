import ObjectModel
import QueryLanguage
import QuerySyntax
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

    /// The advice for a query; each index alone is enough. An index finds the objects whose property equals a constant or
    /// one of several, so other conditions have none, and neither have constants that so many objects have that a pass
    /// over all is as fast.
    ///
    /// Throws the errors of the store. Cost: a pass over the column of each such property without an index.
    package static func all(
        for example: SlowQueries.Example, in snapshot: any Snapshot
    ) throws -> [IndexAdvice] {
        guard let query = example.query, query.scope == .all, let objectClass = snapshot.schema[query.classID]
        else { return [] }
        let all = snapshot.count(of: query.classID)
        let examined = example.hasFailed ? max(example.examined, all) : example.examined
        guard examined >= least else { return [] }
        var advice: [IndexAdvice] = []
        for option in options(query.predicate) {
            guard let property = objectClass[option.property], !property.isIndexed, property.type.canBeIndexed,
                objectClass.primaryKey != property.name
            else { continue }
            var objects = 0
            let isUsed = try option.comparisons.allSatisfy { comparison in
                let found = try snapshot.count(
                    BoundQuery(classID: query.classID, predicate: .comparison(comparison)))
                objects += found
                return found <= entryLimit(comparison, property.type.base, all)
            }
            guard isUsed, objects * ratio <= examined else { continue }
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

    /// The most entries for which the query planner uses an index rather than a pass over the column; see `ColumnPlanner`
    /// in QueryExecution. A test compares the advice with the plans that follow from it.
    private static func entryLimit(_ comparison: BoundComparison, _ base: BaseType, _ objects: Int) -> Int {
        let share =
            switch base {
            case .mixed: 4
            case _ where comparison.constants.count > 16: 4
            case .string: 50
            default: 200
            }
        return max(64, objects / share)
    }

    /// A property of the objects themselves, and what it is compared with: an index answers all of these comparisons, and
    /// no object satisfies the predicate without one of them.
    private struct Option {
        let property: PropertyID
        var comparisons: [BoundComparison]
    }

    private static func options(_ predicate: BoundPredicate) -> [Option] {
        switch predicate {
        case .comparison(let comparison):
            guard let property = comparison.answeringIndex else { return [] }
            return [Option(property: property, comparisons: [comparison])]
        case .and(let parts):
            var all: [Option] = []
            for option in parts.flatMap(options) where !all.contains(where: { $0.property == option.property }) {
                all.append(option)
            }
            return all
        case .or(let parts):
            guard var all = parts.first.map(options) else { return [] }
            for part in parts.dropFirst() {
                let others = options(part)
                all = all.compactMap { option in
                    guard let other = others.first(where: { $0.property == option.property }) else { return nil }
                    return Option(
                        property: option.property, comparisons: option.comparisons + other.comparisons)
                }
            }
            return all
        case .constant, .between, .fullText, .geoWithin, .not: return []
        }
    }
}

extension BoundComparison {
    fileprivate var constants: [Value] {
        switch right {
        case .constant(let value): [value]
        case .list(let values): values
        default: []
        }
    }

    /// The property whose index lists the objects that satisfy the comparison; nil if none does.
    fileprivate var answeringIndex: PropertyID? {
        guard `operator` == .equal, !ignoresCase, !ignoresDiacritics, !isElementwise, rightQuantifier == .any,
            case .path(let path) = left, path.links.isEmpty, path.steps.isEmpty,
            case .property(let property, let type) = path.end, type.collection == .single,
            !constants.isEmpty, constants.allSatisfy({ $0.isListed(inIndexOf: type.base) })
        else { return nil }
        return property
    }
}

extension Value {
    /// Whether an index of values of a type finds exactly those that equal this one.
    fileprivate func isListed(inIndexOf base: BaseType) -> Bool {
        switch base {
        case .bool: return false
        case .mixed:
            switch self {
            case .null, .list, .set, .dictionary, .embedded, .link: return false
            default: return !isNaN
            }
        default: return !isNull && PropertyType(base).accepts(self)
        }
    }
}
