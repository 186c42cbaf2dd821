import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract

/// The implementation of `Results` of objects: a query and its last result. The query runs again after the realm's
/// version has changed.
///
/// Filters become part of the query, wherever they occur in a chain; sorts and distincts are applied after it in the
/// order in which they were added.
final class ResultsAccessor {
    let realm: RLMRealm
    let query: BoundQuery
    private var keys: [ObjectKey] = []
    private var known: Moment?
    private let lifetime: RLMRealm.Lifetime
    /// The name that was passed to `subscribe`.
    var subscriptionName: String?

    /// The state of the realm for which a result is valid.
    struct Moment: Equatable {
        var version: Version
        var edits: Int

        init(_ realm: RLMRealm) throws {
            version = try realm.snapshot.version
            edits = realm.edits
        }
    }

    init(_ realm: RLMRealm, _ query: BoundQuery) throws {
        self.realm = realm
        self.query = query
        lifetime = realm.lifetime(of: ObjectReference(query.classID, ObjectKey(-1)))
    }

    var isInvalidated: Bool { !realm.isCurrent(lifetime) }

    func check() throws {
        try realm.checkConfinement()
        guard !isInvalidated else { throw RealmException("Access to invalidated Results objects") }
    }

    /// Returns the objects, at the realm's version or with the changes of the open write.
    func objects() throws -> [ObjectKey] {
        try check()
        let moment = try Moment(realm)
        if known != moment {
            keys = try realm.select(query)
            known = moment
            Logger.log(.debug, Category.Storage.query, "\(text): \(keys.count) objects.")
        }
        return keys
    }

    func count() throws -> Int {
        try check()
        let moment = try Moment(realm)
        if known == moment { return keys.count }
        if query == BoundQuery(classID: query.classID) { return try realm.count(of: query.classID) }
        return try realm.count(query)
    }

    /// The query in error messages.
    var text: String {
        let name = realm.models[query.classID]?.name ?? ""
        let condition = QueryPrinter.text(query, schema: realm.models.schema) ?? "with a condition that has no text"
        return "Query of '\(name)' \(condition)"
    }

    func object(at position: Int) throws -> ObjectBase {
        let keys = try objects()
        try checkIndex(position, keys.count)
        return try realm.object(ObjectReference(query.classID, keys[position]))
    }

    /// Returns results with further conditions, sorts or distincts.
    func refined(_ change: (inout BoundQuery) throws -> Void) throws -> ResultsAccessor {
        var refined = query
        try change(&refined)
        return try ResultsAccessor(realm, refined)
    }
}

/// Throws if the collection does not have the position.
func checkIndex(_ position: Int, _ count: Int) throws {
    if position < 0 { throw RealmException("Cannot pass a negative value for 'index'.") }
    if position >= count {
        throw RealmException("Index \(position) is out of bounds (must be less than \(count)).")
    }
}
