import AccessRules
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

extension ChannelKey {
    /// What the key asks for as a caller sees it, whose snapshot this is, with everything watched that is shown. Throws
    /// when a name that it asks for is not in the schema.
    func seen(by view: AccessView, _ snapshot: any Snapshot) throws -> ChannelKey {
        var key = self
        key.shape = try ChannelPlan(self, snapshot.schema).shape
        key.schema = BoundSchema(snapshot.schema, from: roots)
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

    /// Whether what the key was made from means the same under a schema, as the caller sees it.
    func holds(under seen: Schema) -> Bool { schema == nil || schema == BoundSchema(seen, from: roots) }

    private var roots: [ClassID] { [classID] + way.map(\.classID) }

    /// Of the classes that the store has, those that the caller sees, as the caller sees them.
    func seen(_ schema: Schema) -> Schema { view?.access(under: schema).visibleSchema ?? schema }

    /// What it is observed through; nil when everything is seen.
    var lens: ViewLens? { view.map { ViewLens(view: $0) } }
}
