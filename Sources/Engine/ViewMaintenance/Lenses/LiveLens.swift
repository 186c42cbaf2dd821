package import ObjectModel
package import QueryLanguage
package import StoreContract

/// A restricted view of the store for some observers: without some of its objects, properties and classes, as if they
/// did not exist.
///
/// Everything that they are notified of is found by comparing what they see before and after: see `VisibleChanges`.
/// Observers with equal lenses share results.
package protocol LiveLens: Hashable, Sendable {
    /// A snapshot through the lens.
    func shown(_ snapshot: any Snapshot) throws -> any Snapshot

    /// An earlier version through the lens.
    func shown(past reads: any ObjectReads) throws -> any ObjectReads

    /// The conditions under which objects are visible, by class; objects of other classes are hidden. The predicates
    /// are evaluated on the unrestricted store.
    func conditions(under schema: Schema) -> [ClassID: BoundPredicate]

    /// The classes whose objects may be hidden although an object that leads to them is visible. An embedded class
    /// without a rule of its own is not among them: its objects are visible with their owners.
    func restricted(under schema: Schema) -> Set<ClassID>
}

/// A lens of any type, for comparing lenses.
package struct AnyLens: Hashable, Sendable {
    package let lens: any LiveLens

    package init(lens: any LiveLens) { self.lens = lens }

    package static func == (a: AnyLens, b: AnyLens) -> Bool {
        func isEqual<Lens: LiveLens>(_ one: Lens) -> Bool { one == b.lens as? Lens }
        return isEqual(a.lens)
    }

    package func hash(into hasher: inout Hasher) { lens.hash(into: &hasher) }
}
