package import AccessRules
import ViewMaintenance
import LiveQueries
import ObjectModel
import QueryLanguage
package import StoreContract

/// Restricts live queries to what callers with a view can see.
struct ViewFilter: VisibilityFilter {
    let view: AccessView

    func shown(_ snapshot: any Snapshot) throws -> any Snapshot { try view.restrict(snapshot) }

    func shown(past reads: any ObjectReads) throws -> any ObjectReads { try view.restrict(past: reads) }

    func conditions(under schema: Schema) -> [ClassID: BoundPredicate] { view.access(under: schema).conditions }

    func restricted(under schema: Schema) -> Set<ClassID> { view.access(under: schema).restricted }
}

extension TopicKey {
    /// Returns the key as seen by a caller with this snapshot, with all visible properties observed. Throws if a name
    /// in it is not in the schema.
    package func seen(by view: AccessView, _ snapshot: any Snapshot) throws -> TopicKey {
        var key = self
        if case .value(var subject) = subject {
            subject.main = try subject.main.seen(by: view, snapshot)
            subject.others = try subject.others.map { try $0.seen(by: view, snapshot) }
            key.subject = .value(subject)
        }
        let plan = try TopicPlan(self, snapshot.schema)
        key.shape = plan.shape
        key.form = plan.form(snapshot.schema)
        guard let access = BoundAccess.of(snapshot) else { return key }
        key.view = view
        // Embedded objects that are visible only within their owners are in no list of their own.
        switch subject {
        case .objects(var query) where query.scope == .all && !access.isListed(query.classID):
            query.predicate = .constant(false)
            key.subject = .objects(query)
        case .sections(var query, let by) where query.scope == .all && !access.isListed(query.classID):
            query.predicate = .constant(false)
            key.subject = .sections(query, by: by)
        case .aggregate(var subject)
        where subject.aggregate.query.scope == .all && !access.isListed(subject.aggregate.query.classID):
            subject.aggregate.query.predicate = .constant(false)
            key.subject = .aggregate(subject)
        default: break
        }
        return key
    }

    /// The visibility filter for observing; nil for full access.
    var visibility: ViewFilter? { view.map { ViewFilter(view: $0) } }
}

extension WatchedPart {
    /// The part of an answer as a caller sees it. What the answer writes of it does not matter here.
    fileprivate func seen(by view: AccessView, _ snapshot: any Snapshot) throws -> WatchedPart {
        var part = self
        part.key = try key.seen(by: view, snapshot)
        part.key.form = ""
        return part
    }
}
