package import ObjectModel

/// The tallies of a query's result by group, as a scan makes them.
package struct GroupTallies: Sendable {
    /// No two with equal keys; none without objects, except the one of a result that is not grouped.
    package var groups: [GroupTally]
    /// By path: the values in the keys, in the form that equal ones have in common, of which objects have others that
    /// are equal in the order without being the same, such as 0 and -0.
    package var mixedForms: [Set<Value>]

    package init(_ groups: [GroupTally], mixedForms: [Set<Value>]) {
        self.groups = groups
        self.mixedForms = mixedForms
    }
}

/// What a scan found of the tallies that it was asked for.
package enum GroupTalliesResult: Sendable {
    case tallies(GroupTallies)
    case tooManyGroups
    /// The store makes none: they are made of rows.
    case unsupported
}
