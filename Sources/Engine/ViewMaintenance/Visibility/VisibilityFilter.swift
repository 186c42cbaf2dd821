package import ObjectModel
package import QueryLanguage
package import StoreContract

/// A restricted view of the store for some observers: without some of its objects, properties and classes, as if they
/// did not exist.
///
/// Everything that they are notified of is found by comparing what they see before and after: see `VisibleChanges`.
/// Observers with equal visibility filters share results.
package protocol VisibilityFilter: Hashable, Sendable {
    /// A snapshot through the visibility filter.
    func shown(_ snapshot: any Snapshot) throws -> any Snapshot

    /// An earlier version through the visibility filter.
    func shown(past reads: any ObjectReads) throws -> any ObjectReads

    /// The conditions under which objects are visible, by class; objects of other classes are hidden. The predicates
    /// are evaluated on the unrestricted store.
    func conditions(under schema: Schema) -> [ClassID: BoundPredicate]

    /// The classes whose objects may be hidden although an object that leads to them is visible. An embedded class
    /// without a rule of its own is not among them: its objects are visible with their owners.
    func restricted(under schema: Schema) -> Set<ClassID>
}

/// A visibility filter of any type, for comparing visibility filters.
package struct AnyVisibilityFilter: Hashable, Sendable {
    package let visibility: any VisibilityFilter

    package init(visibility: any VisibilityFilter) { self.visibility = visibility }

    package static func == (a: AnyVisibilityFilter, b: AnyVisibilityFilter) -> Bool {
        func isEqual<Filter: VisibilityFilter>(_ one: Filter) -> Bool { one == b.visibility as? Filter }
        return isEqual(a.visibility)
    }

    package func hash(into hasher: inout Hasher) { visibility.hash(into: &hasher) }
}
