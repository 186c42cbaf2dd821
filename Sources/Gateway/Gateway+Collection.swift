import HTTPServer
import JSONCoding
import ObjectModel
import QueryLanguage
import StoreContract

/// Where in what a property of one object holds a page is.
private struct HeldPage: Sendable {
    let fingerprint: Int64
    /// How many elements of the result a page behind its cursor leaves out; nil for a page without one.
    let start: (@Sendable ([ObjectKey]) throws -> Int)?
}

/// `GET /v1/objects/{Class}`, read and bound.
private struct CollectionRead: Sendable {
    let snapshot: any Snapshot
    let query: BoundQuery
    let window: Window
    let plan: RowPlan
    let wantsCount: Bool
    /// Of what a property holds; nil for a class.
    let held: HeldPage?

    /// About how many objects a page of all objects looks at, which skips the ones before it many at a time; nil for
    /// another query.
    var size: Int? {
        guard query.predicate == .constant(true), query.scope == .all, query.steps.isEmpty, let limit = window.limit
        else { return nil }
        return limit + window.offset / 64
    }

    /// Throws what the store does.
    func response() throws -> Response {
        // One more than asked for tells whether there is a next page.
        var window = window
        let limit = window.limit ?? 0
        window.limit = limit + 1
        var keys: [ObjectKey]
        if let start = held?.start {
            let all = try snapshot.select(query, .all)
            let start = try start(all)
            window.offset = start + min(window.offset, all.count - start)
            keys = limit == 0 ? [] : Array(all[window.offset...].prefix(limit + 1))
        } else {
            keys = limit == 0 ? [] : try snapshot.select(query, window)
        }
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
        if hasMore, let held {
            json.name("next")
            let next = HeldCursor(mark: snapshot.mark, position: window.offset + keys.count)
            json.plainString(next.encoded(for: held.fingerprint))
        } else if hasMore, let last = keys.last {
            json.name("next")
            let sort = query.order
            let values = try snapshot.sortValues(sort, of: last, in: query.classID)
            json.plainString(
                CursorCoding.encode(
                    Cursor(values: values, key: last), of: snapshot.mark, class: query.classID, sort: sort))
        }
        json.endObject()
        return .json(json.bytes, of: snapshot)
    }
}

extension Gateway {
    func getCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        try getCollection(request, try CollectionPlace(class: path, try readSnapshot(for: request)))
    }

    /// The objects, or the values, that a property of one object holds; one value, or the object that a link leads to.
    func getHeldCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        let snapshot = try readSnapshot(for: request)
        let named = try PropertyPath(path, snapshot.schema).resolve(in: .snapshot(snapshot))
        guard let property = HeldProperty(named, snapshot) else { return try getSingle(request, named, snapshot) }
        guard let place = try CollectionPlace(property) else { return try getElements(request, property) }
        return try getCollection(request, place)
    }

    private func getCollection(_ request: Request, _ place: CollectionPlace) throws -> Reply {
        let parameters = try QueryParameters(
            request,
            single: QueryReader.parameters + [
                "limit", "offset", "after", "fields", "expand", "count", "types", "explain", Self.snapshotParameter,
            ])
        let (snapshot, objectClass) = (place.snapshot, place.objectClass)
        let query = try place.reader(configuration).query(parameters, objectClass, in: place.scope)
        var window = try self.window(parameters)
        let after = parameters["after"]
        var held: HeldPage?
        if case .property(let holder, let property) = place.scope {
            let fingerprint = HeldCursor.fingerprint(holder, property, parameters)
            var start: (@Sendable ([ObjectKey]) throws -> Int)?
            if let after {
                let cursor = try HeldCursor(after, for: fingerprint) { try checkKnown($0, in: snapshot) }
                start = { [self] result in try self.start(after: cursor, of: query, result, in: snapshot) }
            }
            held = HeldPage(fingerprint: fingerprint, start: start)
        } else if let after {
            window.after = try CursorCoding.decode(after, class: objectClass.id, sort: query.order) {
                try checkKnown($0, in: snapshot)
            }
        }
        let plan = try RowPlan(
            objectClass, of: snapshot.schema, fields: parameters["fields"], expand: parameters["expand"],
            style: try parameters.choice("types", default: TypeStyle.plain))
        let read = CollectionRead(
            snapshot: snapshot, query: query, window: window, plan: plan, wantsCount: try parameters.flag("count"),
            held: held)
        if let mode = try ExplainMode(parameters) {
            let explained = (query, window)
            return reply(reading: place.size) {
                try mode.response(explained.0, explained.1, of: snapshot)
            }
        }
        if let unchanged = try notModified(request, snapshot.mark) { return .now(unchanged) }
        // For others than those who see everything the store looks for what they see.
        let size = seesEverything(request) ? read.size : nil
        return reply(reading: size ?? place.size) { try read.response() }
    }

    /// `offset` and `limit`.
    func window(_ parameters: QueryParameters) throws(Problem) -> Window {
        Window(
            offset: try parameters.integer("offset", in: 0...Int.max) ?? 0,
            limit: try parameters.integer("limit", in: 0...configuration.largestPage) ?? configuration.defaultPage)
    }

    /// 304 when the client has what carries this tag.
    ///
    /// - Parameter mark: the state that was looked at, if it was one of the store's.
    func notModified(_ request: Request, _ tag: EntityTag, at mark: Mark? = nil) throws(Problem) -> Response? {
        guard let known = try EntityTags(request, "If-None-Match"), known.contains(tag) else { return nil }
        var response = Response(status: 304, headers: ["ETag": tag.header])
        if let mark { response.headers.add(mark) }
        return response
    }

    /// 304 when the client has what the state says.
    func notModified(_ request: Request, _ mark: Mark) throws(Problem) -> Response? {
        guard request.header("If-None-Match") != nil else { return nil }
        return try notModified(request, EntityTag(mark), at: mark)
    }

    /// Runs a read here and now when it looks at few objects or values, else on a worker.
    func reply(reading size: Int, _ read: @escaping @Sendable () throws -> Response) -> Reply {
        let answer: @Sendable () -> Response = { [self] in
            do {
                return try read()
            } catch {
                return response(to: error)
            }
        }
        return size <= settings.now.all.inlineObjects ? .now(answer()) : workers.reply { .now(answer()) }
    }
}

extension Response {
    /// What one state of the store says, with its mark as the tag.
    static func json(_ bytes: [UInt8], of snapshot: any Snapshot) -> Response {
        var response = Response.json(bytes)
        let mark = snapshot.mark
        response.headers.add("ETag", EntityTag(mark).header)
        response.headers.add(mark)
        return response
    }
}

extension HeaderFields {
    /// Says which state of the store an answer is of.
    mutating func add(_ mark: Mark) { add("Realmgate-Mark", mark.description) }
}
