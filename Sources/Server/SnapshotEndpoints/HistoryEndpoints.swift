import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
package import RequestHandling
import RequestParameters
import StoreContract
import WriteRequests

/// The history of an object.
package final class HistoryEndpoints: Sendable {
    let context: GatewayContext

    package init(_ context: GatewayContext) { self.context = context }

    private static let defaultChanges = 20
    private static let maximumChanges = 200

    /// `GET /v1/history/objects/{class}/{key}`: the changes of one object that the change log still has, newest first,
    /// as the caller could see them.
    ///
    /// The object need not exist any more. Throws 404 where the caller sees neither the object nor a change of it, and
    /// 410 for a cursor of another history.
    package func getHistory(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["limit", "after", "types"])
        let limit = try parameters.integer("limit", in: 1...Self.maximumChanges) ?? Self.defaultChanges
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let caller = try context.caller(of: request)
        let newest = try context.store.snapshot()
        let shown = try context.show(newest, to: caller)
        let object = try AddressedObject(path, shown)
        let fingerprint = HistoryCursor.fingerprint(object)
        let cursor = try parameters["after"].map { text in
            try HistoryCursor(text, for: fingerprint) { try context.checkKnown($0, in: newest) }
        }
        // Everything since the oldest listed version is read.
        try request.requireWorker()
        let history = ObjectHistory(
            of: object, caller.view, shown, style, limit: limit, answerBytes: context.settings.now.answerBytes)
        let page = try history.page(of: try context.store.walk(from: newest), before: cursor?.mark.version)
        let isThere = try object.address.find(object.objectClass, in: shown) != nil
        guard cursor != nil || isThere || !page.changes.isEmpty || page.last != nil else {
            throw object.address.notFound(object.objectClass)
        }
        var response = Response.json(page.document(at: newest.version, of: fingerprint))
        response.headers.add(shown.mark)
        return .now(response)
    }
}
