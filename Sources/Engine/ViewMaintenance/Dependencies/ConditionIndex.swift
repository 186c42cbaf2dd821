import ObjectModel
import QueryOperators
import StoreContract

/// Finds, among the views of one class that have a membership condition, those that changed objects can matter to.
///
/// Cost of a look-up: a value of each changed object for each property with conditions, before and after, a hash and a
/// search for each of these values, and the views found. Memory: an entry for each view, or for each of the values in
/// its condition.
struct ConditionIndex {
    private var byValue: [PropertyID: [Value: Set<Int>]] = [:]
    private var byRange: [PropertyID: IntervalIndex] = [:]
    /// All views in the index.
    private(set) var views: Set<Int> = []

    /// With more changed objects in one step all views are asked: reading their values would cost more than asking.
    /// Fewer are looked up even where they are many, as after commits that waited for each other: asking costs a test of
    /// each changed object in each view, so that who is behind would fall further behind.
    private var fewChanges: Int { max(64, views.count) }

    mutating func add(_ condition: MembershipCondition, of view: Int) {
        views.insert(view)
        switch condition {
        case .oneOf(let property, let values):
            for value in values { byValue[property, default: [:]][value, default: []].insert(view) }
        case .within(let property, let range): byRange[property, default: IntervalIndex()].add(range, of: view)
        }
    }

    mutating func remove(_ condition: MembershipCondition, of view: Int) {
        views.remove(view)
        switch condition {
        case .oneOf(let property, let values):
            for value in values {
                byValue[property]?[value]?.remove(view)
                if byValue[property]?[value]?.isEmpty == true { byValue[property]?[value] = nil }
            }
            if byValue[property]?.isEmpty == true { byValue[property] = nil }
        case .within(let property, _):
            byRange[property]?.remove(view)
            if byRange[property]?.isEmpty == true { byRange[property] = nil }
        }
    }

    /// The views whose condition a changed object of the class satisfies before or after the step; all views where the
    /// values cannot be read, so that they meet the error themselves.
    func affected(by changes: ClassChanges, of classID: ClassID, in step: VersionDelta) -> Set<Int> {
        guard changes.modifications.count + changes.insertions.count + changes.deletions.count <= fewChanges else {
            return views
        }
        var found: Set<Int> = []
        do {
            for key in changes.modifications.keys {
                try collect(&found) { try step.valueBefore(classID, key, $0) }
                try collect(&found) { try step.valueAfter(classID, key, $0) }
            }
            for key in changes.insertions { try collect(&found) { try step.valueAfter(classID, key, $0) } }
            for key in changes.deletions { try collect(&found) { try step.valueBefore(classID, key, $0) } }
        } catch {
            return views
        }
        return found
    }

    /// Adds the views whose condition an object with these values satisfies.
    func collect(_ found: inout Set<Int>, _ value: (PropertyID) throws -> Value) rethrows {
        for (property, views) in byValue {
            if let views = views[try value(property).distinctForm] { found.formUnion(views) }
        }
        for (property, intervals) in byRange {
            let own = try value(property)
            if let number = own.roundedDouble {
                intervals.collect(containing: number, &found)
            } else if !own.isNull, !own.isNaN {
                // A null and a NaN are in no order with others; which interval another value is in is not known here.
                intervals.collectAll(&found)
            }
        }
    }
}
