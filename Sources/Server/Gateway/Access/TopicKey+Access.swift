import AccessRules
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

extension TopicKey {
    /// What the key asks for as a caller sees it, whose snapshot this is, with everything watched that is shown. Throws
    /// when a name that it asks for is not in the schema.
    func seen(by view: AccessView, _ snapshot: any Snapshot) throws -> TopicKey {
        var key = self
        let plan = try TopicPlan(self, snapshot.schema)
        key.shape = plan.shape
        key.form = plan.form(snapshot.schema)
        guard let access = BoundAccess.of(snapshot) else { return key }
        key.view = view
        // Embedded objects that are parts of others alone are in no list of their own.
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

    /// What it is observed through; nil when everything is seen.
    var lens: ViewLens? { view.map { ViewLens(view: $0) } }
}
