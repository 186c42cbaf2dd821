import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import RequestParameters
import StoreContract
import WriteRequests

/// The objects of a collection that a request changes or deletes.
struct BulkSelection: Sendable {
    /// The query for objects of a class or, without its scope, of a property.
    let query: BoundQuery
    let window: Window

    /// The query parameters that it reads.
    static let parameters = QueryReader.parameters + ["limit", "offset", "all"]

    /// Throws 400 for a request that would change all objects without `all=true`.
    init(
        _ parameters: QueryParameters, _ objectClass: ClassSchema, _ schema: Schema,
        _ configuration: GatewayConfiguration
    ) throws(Problem) {
        guard try parameters.flag("all") || parameters["filter"] != nil else {
            throw Problem(
                .parameterMissing,
                "Select the objects with 'filter', or all of them with all=true.",
                parameter: "filter")
        }
        query = try QueryReader(schema: schema, limits: QueryLimits(configuration)).query(parameters, objectClass)
        window = Window(
            offset: try parameters.integer("offset", in: 0...Int.max) ?? 0,
            limit: try parameters.integer("limit", in: 0...Int.max))
    }

    /// Returns the distinct objects in the order of the query.
    ///
    /// - Parameter resolved: the property whose objects are meant; nil for all of the class.
    func keys(in transaction: any WriteTransaction, of resolved: ResolvedPropertyPath? = nil) throws -> [ObjectKey] {
        var query = query
        if let resolved { query.scope = .property(resolved.holder, resolved.property.id) }
        let keys = try transaction.select(query, window)
        guard resolved != nil else { return keys }
        var seen: Set<ObjectKey> = []
        return keys.filter { seen.insert($0).inserted }
    }
}
