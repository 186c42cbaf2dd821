import HTTPServer
import JSONCoding
import ObjectModel
import QueryLanguage
import StoreContract

/// `GET /v1/aggregates/objects/{Class}`, read and bound.
private struct AggregateRead: Sendable {
    struct Item: Sendable {
        /// The key path as the client wrote it.
        let name: String
        let request: AggregateRequest
    }

    let snapshot: any Snapshot
    let query: BoundQuery
    let items: [Item]
    let style: TypeStyle

    func response() throws -> Response {
        let values = try snapshot.aggregate(query, items.map(\.request))
        let json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        json.name("count")
        json.int(try snapshot.count(query))
        for function in AggregateRequest.Function.allCases {
            let results = zip(items, values).filter { $0.0.request.function == function }
            guard !results.isEmpty else { continue }
            json.name(function.rawValue)
            json.beginObject()
            for (item, value) in results {
                json.name(item.name)
                json.value(value, style)
            }
            json.endObject()
        }
        json.endObject()
        var response = Response.json(json.bytes)
        response.headers["ETag"] = EntityTag(snapshot.version).header
        return response
    }
}

extension Gateway {
    func getAggregates(_ request: Request, _ path: PathParameters) throws -> Reply {
        let functions = AggregateRequest.Function.allCases
        let parameters = try QueryParameters(
            request, single: ["filter", "args", "distinct", "types", "count"], repeatable: functions.map(\.rawValue))
        // The count comes with every answer, because it costs next to nothing; asking for it is no mistake.
        _ = try parameters.flag("count")
        let snapshot = try store.snapshot()
        let objectClass = try snapshot.schema.named(path["class"] ?? "")
        let reader = QueryReader(schema: snapshot.schema, configuration: configuration)
        var items: [AggregateRead.Item] = []
        for function in functions {
            for name in parameters.all(function.rawValue)
            where !items.contains(where: { $0.name == name && $0.request.function == function }) {
                let path = try reader.path(name, parameter: function.rawValue, objectClass)
                try Self.check(path, name, function)
                items.append(AggregateRead.Item(name: name, request: AggregateRequest(function, path)))
            }
        }
        let read = AggregateRead(
            snapshot: snapshot, query: try reader.query(parameters, objectClass), items: items,
            style: try parameters.choice("types", default: TypeStyle.plain))
        if let unchanged = try notModified(request, EntityTag(snapshot.version)) { return .now(unchanged) }
        return reply(reading: snapshot, objectClass.id) { try read.response() }
    }

    /// Throws 400 for what has no such aggregate.
    private static func check(
        _ path: BoundPath, _ name: String, _ function: AggregateRequest.Function
    ) throws(Problem) {
        var type: PropertyType?
        if case .property(_, let end) = path.end { type = end }
        switch type?.base {
        case .int, .float, .double: return
        case .date where function == .minimum || function == .maximum: return
        default: break
        }
        let possible = function == .minimum || function == .maximum ? "numbers and dates" : "numbers"
        throw Problem(
            400, QueryError.Code.typeMismatch.rawValue,
            "'\(function.rawValue)' is for \(possible); '\(name)' is \(type.map { "of type '\($0)'" } ?? "an object").",
            parameter: function.rawValue, property: name)
    }
}
