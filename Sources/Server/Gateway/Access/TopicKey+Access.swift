import AccessRules
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

extension TopicKey {
    /// Returns the key as seen by a caller with this snapshot, with all visible properties observed. Throws if a name
    /// in it is not in the schema.
    func seen(by view: AccessView, _ snapshot: any Snapshot) throws -> TopicKey {
        var key = self
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
        default: break
        }
        return key
    }

    /// The lens for observing; nil for full access.
    var lens: ViewLens? { view.map { ViewLens(view: $0) } }
}
