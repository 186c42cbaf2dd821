package import ObjectModel

/// A query whose names and types have been resolved against a schema: what a store executes.
///
/// Two equal bound queries give the same result at the same version, so they can share one live result. Objects
/// that a query names or meets are `Value.reference`s everywhere in it, never `Value.link`s: then a link property
/// and a mixed value compare without knowing the property's class.
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

    /// What the result is ordered by; see `order` of steps.
    package var order: [SortKey] { steps.order }
}

extension [ResultStep] {
    /// What a result is ordered by, before what it had been ordered by at first: the last sort, then those before it,
    /// because each is stable.
    package var order: [SortKey] {
        var order: [SortKey] = []
        for case .sort(let keys) in self { order = keys + order }
        return order
    }
}

/// Which objects a query chooses from.
package enum QueryScope: Hashable, Sendable {
    /// All objects of the class, in creation order.
    case all
    /// Those that a list, set or map of links, or a linking-objects property, of one object holds: a list's in its
    /// order and as often as it holds them, a set's ascending, a map's in the order of its keys and without nulls,
    /// linking objects ascending. Nothing when the holder does not exist.
    case property(ObjectReference, PropertyID)
}

/// One stage after the predicate.
package enum ResultStep: Hashable, Sendable {
    /// Stable: ties keep the order that they had.
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
