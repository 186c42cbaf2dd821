import HTTPServer
import JSONCoding
import ObjectModel
import QueryLanguage
import StoreContract

/// `GET /v1/objects/{Class}`, read and bound.
private struct CollectionRead: Sendable {
    let snapshot: any Snapshot
    let query: BoundQuery
    let window: Window
    let plan: RowPlan
    let wantsCount: Bool

    /// Throws what the store does.
    func response() throws -> Response {
        // One more than asked for tells whether there is a next page.
        var window = window
        let limit = window.limit ?? 0
        window.limit = limit + 1
        var keys = limit == 0 ? [] : try snapshot.select(query, window)
        let hasMore = keys.count > limit
        if hasMore { keys.removeLast() }

        let json = JSONWriter(capacity: 256 + keys.count * 128)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        if wantsCount {
            json.name("count")
            json.int(try snapshot.count(query))
        }
        json.name("items")
        json.beginArray()
        try plan.write(keys, of: snapshot, into: json)
        json.endArray()
        if hasMore, let last = keys.last, let sort = query.cursorSort {
            json.name("next")
            let values = try snapshot.sortValues(sort, of: last, in: query.classID)
            json.plainString(
                CursorCoding.encode(Cursor(values: values, key: last), class: query.classID, sort: sort))
        }
        json.endObject()
        var response = Response.json(json.bytes)
        response.headers["ETag"] = EntityTag(snapshot.version).header
        return response
    }
}

extension Gateway {
    func getCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(
            request,
            single: [
                "filter", "args", "sort", "distinct", "limit", "offset", "after", "fields", "expand", "count", "types",
            ])
        let snapshot = try store.snapshot()
        let objectClass = try snapshot.schema.named(path["class"] ?? "")
        let reader = QueryReader(schema: snapshot.schema, configuration: configuration)
        let query = try reader.query(parameters, objectClass)
        var window = Window(
            offset: try parameters.integer("offset", in: 0...Int.max) ?? 0,
            limit: try parameters.integer("limit", in: 0...configuration.largestPage) ?? configuration.defaultPage)
        if let after = parameters["after"] {
            guard let sort = query.cursorSort else {
                throw Problem(
                    400, "cursor.not_possible",
                    "Results with distinct, LIMIT or several sorts have no cursors. Use 'offset'.", parameter: "after")
            }
            window.after = try CursorCoding.decode(after, class: objectClass.id, sort: sort)
        }
        let plan = try RowPlan(
            objectClass, of: snapshot.schema, fields: parameters["fields"], expand: parameters["expand"],
            style: try parameters.choice("types", default: TypeStyle.plain))
        let read = CollectionRead(
            snapshot: snapshot, query: query, window: window, plan: plan, wantsCount: try parameters.flag("count"))
        if let unchanged = try notModified(request, EntityTag(snapshot.version)) { return .now(unchanged) }
        return reply(reading: snapshot, objectClass.id) { try read.response() }
    }

    /// 304 when the client has what carries this tag.
    func notModified(_ request: Request, _ tag: EntityTag) throws(Problem) -> Response? {
        guard let known = try EntityTags(request, "If-None-Match"), known.contains(tag) else { return nil }
        return Response(status: 304, headers: ["ETag": tag.header])
    }

    /// Runs a read here and now when the class is small, else on a worker.
    func reply(
        reading snapshot: any Snapshot, _ classID: ClassID, _ read: @escaping @Sendable () throws -> Response
    ) -> Reply {
        let answer: @Sendable () -> Response = { [self] in
            do {
                return try read()
            } catch {
                return response(to: error)
            }
        }
        return snapshot.count(of: classID) <= configuration.inlineObjects
            ? .now(answer()) : workers.reply { .now(answer()) }
    }
}
