package import ObjectModel

/// A query whose names and types have been resolved against a schema, in the form that a store executes.
///
/// Two equal bound queries give the same result at the same version, so they can share one live result. Objects are
/// `Value.reference`s everywhere in a query, never `Value.link`s: so a link property and a mixed value compare without
/// the property's class.
package struct BoundQuery: Hashable, Sendable {
    package var classID: ClassID
    package var scope: QueryScope
    package var predicate: BoundPredicate
    /// Applied left to right to the matching objects in the scope's order.
    package var steps: [ResultStep]

    package init(
        classID: ClassID, scope: QueryScope = .all, predicate: BoundPredicate = .constant(true),
        steps: [ResultStep] = []
    ) {
        self.classID = classID
        self.scope = scope
        self.predicate = predicate
        self.steps = steps
    }

    /// The keys that order the result; see `order` of steps.
    package var order: [SortKey] { steps.order }
}

extension [ResultStep] {
    /// The keys that order a result, by decreasing significance: the last sort, then those before it, because each is
    /// stable.
    package var order: [SortKey] {
        var order: [SortKey] = []
        for case .sort(let keys) in self { order = keys + order }
        return order
    }
}

/// The set of objects that a query selects from.
package enum QueryScope: Hashable, Sendable {
    /// All objects of the class, in creation order.
    case all
    /// The objects in a list, set or map of links, or a linking-objects property, of one object: a list's in its order
    /// and with repetitions, a set's ascending, a map's in the order of its keys and without nulls, linking objects
    /// ascending. Empty when that object does not exist.
    case property(ObjectReference, PropertyID)
}

/// One stage after the predicate.
package enum ResultStep: Hashable, Sendable {
    /// Stable: ties keep their previous order.
    case sort([SortKey])
    /// Keeps the first object of each combination of values; objects with a null link on a path are dropped.
    case distinct([BoundPath])
    /// Keeps the first n.
    case limit(Int)
}

/// A path to sort by: to one value, which is neither an object nor a collection.
package struct SortKey: Hashable, Sendable {
    package var path: BoundPath
    package var isAscending: Bool

    package init(_ path: BoundPath, ascending: Bool = true) {
        self.path = path
        isAscending = ascending
    }
}

package indirect enum BoundPredicate: Hashable, Sendable {
    case constant(Bool)
    case comparison(BoundComparison)
    case between(BoundBetween)
    case fullText(BoundFullText)
    case geoWithin(BoundGeoWithin)
    case not(BoundPredicate)
    /// True when empty.
    case and([BoundPredicate])
    /// False when empty.
    case or([BoundPredicate])
}

extension BoundQuery {
    /// The query with its objects looked up by their primary keys. `find` returns an object's key, nil when there is
    /// none. Cost: one look-up for each such object.
    package func namingObjects(
        _ find: (ClassID, _ primaryKey: Value) throws -> ObjectKey?
    ) rethrows -> BoundQuery {
        guard predicate.namesObjects else { return self }
        var query = self
        query.predicate = try predicate.namingObjects(find)
        return query
    }
}

extension BoundPredicate {
    /// Whether any comparison, also inside subqueries' predicates, has an object by its primary key.
    fileprivate var namesObjects: Bool {
        containsPart { part in
            switch part {
            case .constants(.objects): true
            case .subquery(let subquery): subquery.predicate.namesObjects
            default: false
            }
        }
    }

    /// The predicate with its objects looked up by their primary keys.
    package func namingObjects(
        _ find: (ClassID, _ primaryKey: Value) throws -> ObjectKey?
    ) rethrows -> BoundPredicate {
        try mappingConstants { operand in
            guard case .objects(let objects) = operand else { return operand }
            let values = try objects.elements.map { element in
                switch element {
                case .value(let value): return value
                case .object(let classID, let primaryKey):
                    // No object has a key below 0.
                    let key = try find(classID, primaryKey) ?? ObjectKey(-1)
                    return Value.reference(ObjectReference(classID, key))
                }
            }
            return objects.isList || values.count != 1 ? .list(values) : .constant(values[0])
        }
    }
}

/// A part of an ordered result: the objects after `after`, without the first `offset`, at most `limit`.
package struct Window: Hashable, Sendable {
    package var after: Cursor?
    package var offset: Int
    package var limit: Int?

    package static let all = Window()

    package init(after: Cursor? = nil, offset: Int = 0, limit: Int? = nil) {
        self.after = after
        self.offset = offset
        self.limit = limit
    }
}

/// A position in a sorted result of objects of a class, by value: the next page is right even if objects were inserted
/// or deleted in between. It refers to the query's order, then creation order. The rest of the present result follows
/// it: for a query with distinct steps, the objects that are the first of their combination in the whole result.
package struct Cursor: Hashable, Sendable {
    /// One value per key of the query's `order`, as `Snapshot.sortValues` returns them.
    package var values: [Value?]
    /// Breaks ties.
    package var key: ObjectKey

    package init(values: [Value?], key: ObjectKey) {
        self.values = values
        self.key = key
    }
}
