import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol
import WriteRequests

/// The position of a page in the elements of one object's property.
private struct OffsetPage: Sendable {
    let fingerprint: Int64
    /// Returns how many elements of the result a page after its cursor skips; nil for a page without a cursor.
    let start: (@Sendable ([ObjectKey]) throws -> Int)?
}

/// A parsed `GET /v1/objects/{Class}`.
private struct CollectionRead: Sendable {
    let snapshot: any Snapshot
    let query: BoundQuery
    let window: Window
    let plan: RowPlan
    let wantsCount: Bool
    /// The page of a property's elements; nil for a class.
    let elementPage: OffsetPage?
    /// The maximum size of the response in bytes.
    let answerBytes: Int

    /// The approximate number of objects that a page of all objects reads, because preceding ones are skipped in
    /// blocks; nil for another query.
    var size: Int? {
        guard query.predicate == .constant(true), query.scope == .all, query.steps.isEmpty, let limit = window.limit
        else { return nil }
        return limit + window.offset / 64
    }

    /// Throws the errors of the store.
    ///
    /// - Parameter found: gets the number of objects in the response.
    func response(to request: Request, found: inout Int?) throws -> Response {
        // One object more than requested shows whether there is a next page.
        var window = window
        let limit = window.limit ?? 0
        window.limit = limit + 1
        var keys: [ObjectKey]
        if let start = elementPage?.start {
            let all = try snapshot.select(query, .all)
            let start = try start(all)
            window.offset = start + min(window.offset, all.count - start)
            keys = limit == 0 ? [] : Array(all[window.offset...].prefix(limit + 1))
        } else {
            keys = limit == 0 ? [] : try snapshot.select(query, window)
        }
        let hasMore = keys.count > limit
        if hasMore { keys.removeLast() }
        found = keys.count

        let (offset, classID, sort) = (window.offset, query.classID, query.order)
        let cursor: @Sendable (Int) throws -> String = { [snapshot, elementPage, keys] count in
            if let elementPage {
                return OffsetCursor(mark: snapshot.mark, position: offset + count).encoded(for: elementPage.fingerprint)
            }
            let last = keys[count - 1]
            let values = try snapshot.sortValues(sort, of: last, in: classID)
            return CursorCoding.encode(
                Cursor(values: values, key: last), of: snapshot.mark, class: classID, sort: sort)
        }
        return try Page(
            snapshot: snapshot, plan: plan, keys: keys, count: wantsCount ? try snapshot.count(query) : nil,
            hasMore: hasMore, answerBytes: answerBytes, cursor: cursor
        ).response(to: request)
    }
}

extension ReadEndpoints {
    package func getCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        try getCollection(request, try CollectionTarget(class: path, try readSnapshot(for: request)))
    }

    /// Returns the objects or values of one object's property; a single value, or the target of a link.
    package func getPropertyCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        let snapshot = try readSnapshot(for: request)
        let named = try PropertyPath(path, snapshot.schema).resolve(in: snapshot)
        guard let property = PropertyCollection(named, snapshot) else { return try getSingle(request, named, snapshot) }
        guard let collection = try CollectionTarget(property) else { return try getElements(request, property) }
        return try getCollection(request, collection)
    }

    private func getCollection(_ request: Request, _ collection: CollectionTarget) throws -> Reply {
        let parameters = try QueryParameters(
            request,
            single: QueryReader.parameters + [
                "limit", "offset", "after", "fields", "expand", "count", "types", "explain", ParameterName.snapshot,
            ])
        let (snapshot, objectClass) = (collection.snapshot, collection.objectClass)
        let query = try collection.reader(context.settings.now, knownQueries(for: request)).query(
            parameters, objectClass, in: collection.scope)
        var window = try self.window(parameters)
        let after = parameters["after"]
        var elementPage: OffsetPage?
        if case .property(let holder, let property) = collection.scope {
            let fingerprint = OffsetCursor.fingerprint(holder, property, parameters)
            var start: (@Sendable ([ObjectKey]) throws -> Int)?
            if let after {
                let cursor = try OffsetCursor(after, for: fingerprint) { try context.checkKnown($0, in: snapshot) }
                // It may have to read an earlier version completely.
                try request.requireWorker()
                start = { [context] result in try context.start(after: cursor, of: query, result, in: snapshot) }
            }
            elementPage = OffsetPage(fingerprint: fingerprint, start: start)
        } else if let after {
            window.after = try context.cursor(after, of: query, in: snapshot, for: request)
        }
        let plan =
            try chosenPlan(objectClass, of: snapshot.schema, parameters, isPart: collection.isOwned)
            ?? plainPlan(objectClass, of: snapshot.schema, for: request, isPart: collection.isOwned)
        let read = CollectionRead(
            snapshot: snapshot, query: query, window: window, plan: plan, wantsCount: try parameters.flag("count"),
            elementPage: elementPage, answerBytes: context.settings.now.answerBytes)
        if let mode = try ExplainMode(parameters) {
            let explained = (query, window)
            return try context.reply(reading: collection.size, for: request) {
                try mode.response(explained.0, explained.1, of: snapshot)
            }
        }
        let unchanged = try notModified(request, snapshot) {
            ReadDependence(
                query, window, isAfterCursor: after != nil, count: read.wantsCount, in: collection, parameters)
        }
        if let unchanged { return .now(unchanged) }
        // For callers with restricted access the store searches for visible objects.
        let size = context.seesEverything(request) ? read.size : nil
        var found: Int?
        return try context.reply(
            reading: size ?? collection.size, from: collection.counted, for: request,
            asking: AskedQuery(query, read.window, of: snapshot, returned: found)
        ) { try read.response(to: request, found: &found) }
    }

    /// Parses `offset` and `limit`.
    func window(_ parameters: QueryParameters) throws(Problem) -> Window {
        Window(
            offset: try parameters.integer("offset", in: 0...Int.max) ?? 0,
            limit: try parameters.integer("limit", in: 0...context.settings.now.maximumPage)
                ?? context.settings.now.defaultPage)
    }
}
