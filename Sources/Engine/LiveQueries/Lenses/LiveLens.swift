package import ObjectModel
package import QueryLanguage
package import StoreContract

/// How some observers see the store: without some of its objects, properties and classes, as if they did not exist.
///
/// Everything that they are told is found by comparing what they see before and after: see `VisibleChanges`. Observers
/// with equal lenses share results.
package protocol LiveLens: Hashable, Sendable {
    /// A snapshot as they see it.
    func shown(_ snapshot: any Snapshot) throws -> any Snapshot

    /// An earlier version as they see it.
    func shown(past reads: any ObjectReads) throws -> any ObjectReads

    /// What an object must be like to be there, by its class; objects of other classes are not there. Predicates are
    /// asked of the store as it is.
    func conditions(under schema: Schema) -> [ClassID: BoundPredicate]

    /// The classes of which objects may not be there although what leads to them is. An embedded class without a rule
    /// of its own is not among them: its objects come and go with their owners.
    func restricted(under schema: Schema) -> Set<ClassID>
}

/// A lens of any kind, to tell lenses apart.
struct AnyLens: Hashable, Sendable {
    let lens: any LiveLens

    static func == (a: AnyLens, b: AnyLens) -> Bool {
        func isEqual<Lens: LiveLens>(_ one: Lens) -> Bool { one == b.lens as? Lens }
        return isEqual(a.lens)
    }

    func hash(into hasher: inout Hasher) { lens.hash(into: &hasher) }
}
