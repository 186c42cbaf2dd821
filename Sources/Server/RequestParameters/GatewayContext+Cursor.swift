import AccessRules
package import HTTPServer
import ObjectModel
package import QueryLanguage
package import RequestHandling
package import StoreContract
import WriteRequests

extension GatewayContext {
    /// Returns the position that the text of a cursor of a class refers to.
    ///
    /// Values that were too long for the cursor are read from its object: in the snapshot, or as they were when the
    /// page was read, if they have changed since.
    ///
    /// Throws 400 for other text, 410 if a long value has changed and its earlier version is no longer available, and
    /// the errors of the store. Cost of a long value: reading one object.
    package func cursor(
        _ text: String, of query: BoundQuery, in snapshot: any Snapshot, for request: Request
    ) throws -> Cursor {
        let (key, elements, mark) = try CursorCoding.decode(text, class: query.classID, sort: query.order) {
            try checkKnown($0, in: snapshot)
        }
        let known: [Value??] = elements.map { if case .value(let value) = $0 { value } else { nil } }
        let short = known.compactMap(\.self)
        guard short.count < elements.count else { return Cursor(values: short, key: key) }
        let values =
            try valuesNow(elements, of: key, by: query, in: snapshot)
            ?? valuesThen(elements, of: key, by: query, at: mark, in: snapshot, for: request)
        guard let values else { throw CursorCoding.gone }
        return Cursor(values: values, key: key)
    }

    private func valuesNow(
        _ elements: [CursorCoding.Element], of key: ObjectKey, by query: BoundQuery, in snapshot: any Snapshot
    ) throws -> [Value?]? {
        guard try snapshot.exists(query.classID, key) else { return nil }
        return completed(elements, try snapshot.sortValues(query.order, of: key, in: query.classID))
    }

    private func valuesThen(
        _ elements: [CursorCoding.Element], of key: ObjectKey, by query: BoundQuery, at mark: Mark,
        in snapshot: any Snapshot, for request: Request
    ) throws -> [Value?]? {
        // It may have to read many versions of the change log.
        try request.requireWorker()
        guard mark != snapshot.mark, let past = try store.asOf(mark.version, before: try store.snapshot()),
            try past.reads.exists(query.classID, key)
        else { return nil }
        var asked = query
        if let access = BoundAccess.of(snapshot) {
            guard try access.wasThere(ObjectReference(query.classID, key), in: past.reads) else { return nil }
            asked = access.restrict(query)
        }
        return completed(elements, try past.reads.sortValues(asked.order, of: key, in: query.classID))
    }

    /// Returns the cursor's values with those of the object in place of digests; nil if one is another value.
    private func completed(_ elements: [CursorCoding.Element], _ found: [Value?]) -> [Value?]? {
        guard elements.count == found.count else { return nil }
        var values: [Value?] = []
        for (element, value) in zip(elements, found) {
            switch element {
            case .value(let known): values.append(known)
            case .digest(let digest):
                guard CursorCoding.isValue(value, of: digest) else { return nil }
                values.append(value)
            }
        }
        return values
    }
}
