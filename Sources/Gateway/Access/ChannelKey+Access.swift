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

    /// Whether objects are written otherwise under one schema than under the other, as far as the caller sees the two.
    func isShownOtherwise(under old: Schema, _ new: Schema) -> Bool {
        // What cannot be written any more fails by itself.
        guard let now = form(under: new) else { return false }
        return now != form(under: old)
    }

    private func form(under schema: Schema) -> String? {
        let seen = view?.access(under: schema).visibleSchema ?? schema
        return (try? ChannelPlan(self, seen))?.form(seen)
    }

    /// The key with everything watched that is shown under a schema.
    func showing(under schema: Schema) -> ChannelKey {
        var key = self
        let seen = view?.access(under: schema).visibleSchema ?? schema
        if let plan = try? ChannelPlan(self, seen) { key.shape = plan.shape }
        return key
    }

    /// What it is observed through; nil when everything is seen.
    var lens: ViewLens? { view.map { ViewLens(view: $0) } }
}
