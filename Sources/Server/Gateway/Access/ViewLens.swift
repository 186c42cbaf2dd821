import AccessRules
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

/// Restricts live queries to what callers with a view can see.
struct ViewLens: LiveLens {
    let view: AccessView

    func shown(_ snapshot: any Snapshot) throws -> any Snapshot { try view.restrict(snapshot) }

    func shown(past reads: any ObjectReads) throws -> any ObjectReads { try view.restrict(past: reads) }

    func conditions(under schema: Schema) -> [ClassID: BoundPredicate] { view.access(under: schema).conditions }

    func restricted(under schema: Schema) -> Set<ClassID> { view.access(under: schema).restricted }
}
