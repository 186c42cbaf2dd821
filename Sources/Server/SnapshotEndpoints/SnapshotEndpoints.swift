import AccessRules
import HTTPMessages
import HTTPProblems
package import HTTPServer
import Identity
import JSONCoding
import ObjectCoding
import ObjectModel
package import RequestHandling
import RequestParameters
import StoreContract

/// Snapshots: versions of the store that are retained for a caller.
package final class SnapshotEndpoints: Sendable {
    let context: GatewayContext

    package init(_ context: GatewayContext) { self.context = context }

    /// `POST /v1/snapshots?ttl=60`.
    package func makeSnapshot(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["ttl"])
        guard request.body.isEmpty else {
            throw Problem(
                .snapshotNoBody, "This request has no body. Send the snapshot's lifetime in seconds as ?ttl=60."
            )
        }
        let seconds =
            try parameters.integer("ttl", in: 1...context.settings.now.maximumSnapshotLife)
            ?? min(context.settings.now.snapshotLife, context.settings.now.maximumSnapshotLife)
        let caller = try context.caller(of: request)
        let (owner, account) = (FrozenVersion.Owner(caller.principal), request.limitKey)
        guard let versions = context.store.sharedVersions else {
            return .now(
                Self.made(
                    try context.snapshots.keep(try context.store.snapshot(), for: seconds, owner, on: account),
                    for: caller))
        }
        return .later { [self] responder in
            do throws(Problem) {
                try context.snapshots.keepShared(in: versions, for: seconds, owner, on: account) { [self] result in
                    switch result {
                    case .success(let frozen): responder.send(Self.made(frozen, for: caller))
                    case .failure(let error): responder.send(context.response(to: error, of: request))
                    }
                }
            } catch {
                responder.send(error.httpResponse)
            }
        }
    }

    private static func made(_ frozen: FrozenVersion, for caller: Caller) -> Response {
        var response = Response.json(document(frozen), status: 201)
        response.headers["Location"] = "/v1/snapshots/\(frozen.id)"
        response.headers.add(frozen.snapshot.mark.seen(by: caller.view.fingerprint))
        return response
    }

    /// Lists the caller's snapshots, or all for administrators. Callers without a credential cannot be distinguished,
    /// so they see none.
    package func listSnapshots(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let caller = try context.caller(of: request)
        let json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("snapshots")
        json.beginArray()
        if caller.view.isUnrestricted || caller.principal.credential != .none {
            for frozen in context.snapshots.all(
                of: caller.view.isUnrestricted ? nil : FrozenVersion.Owner(caller.principal))
            {
                json.snapshot(frozen)
            }
        }
        json.endArray()
        json.endObject()
        return .now(.json(json.bytes))
    }

    package func getSnapshot(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let frozen = try named(path, request)
        var response = Response.json(Self.document(frozen))
        response.headers.add(frozen.snapshot.mark.seen(by: try context.caller(of: request).view.fingerprint))
        return .now(response)
    }

    package func deleteSnapshot(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let frozen = try named(path, request)
        guard let versions = context.store.sharedVersions else {
            _ = context.snapshots.drop(frozen.id, of: frozen.owner)
            return .now(.empty(204))
        }
        return .later { [self] responder in
            context.snapshots.dropShared(frozen, in: versions) { [self] result in
                switch result {
                case .success: responder.send(.empty(204))
                case .failure(let error): responder.send(context.response(to: error, of: request))
                }
            }
        }
    }

    /// `GET /v1/snapshots/{id}/changes?to={id}`: the differences to a later version, by default the latest.
    package func compareSnapshots(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["to", "limit"])
        let limit =
            try parameters.integer("limit", in: 0...context.settings.now.maximumPage)
            ?? context.settings.now.defaultPage
        let view = try context.caller(of: request).view
        let from = try named(path, request).snapshot
        let to =
            try parameters["to"].map { text in try context.frozen(text, request, parameter: "to") }
            ?? context.store.snapshot()
        guard from.version <= to.version else {
            throw Problem(
                .parameterInvalid,
                "'to' is version \(to.version), which is earlier than \(from.version). Request the changes from the earlier one.",
                parameter: "to")
        }
        let answerBytes = context.settings.now.answerBytes
        let budget = context.queryBudget(for: request)
        return try context.reply(reading: .max, for: request) { [store = context.store] in
            let changes = try store.changesBetween(from, to)
            let comparison = SnapshotComparison(
                from: try view.restrict(from.limited(by: budget)), to: try view.restrict(to.limited(by: budget)),
                limit: limit, answerBytes: answerBytes)
            var response = Response.json(try comparison.document(of: changes))
            response.headers.add(to.mark.seen(by: view.fingerprint))
            return response
        }
    }

    /// Returns the snapshot in the path. Throws 404 if the caller has none with that id, 503 if it may still come.
    private func named(_ path: PathParameters, _ request: Request) throws -> FrozenVersion {
        let id = path["snapshot"] ?? ""
        guard let found = try context.frozen(id, request) else {
            throw Problem(.snapshotNotFound, GatewayContext.noSnapshot(id))
        }
        return found
    }

    private static func document(_ frozen: FrozenVersion) -> [UInt8] {
        let json = JSONWriter(capacity: 128)
        json.snapshot(frozen)
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate func snapshot(_ frozen: FrozenVersion) {
        beginObject()
        name("snapshot")
        string(frozen.id)
        name("version")
        int(frozen.snapshot.version.rawValue)
        name("expires")
        date(frozen.expires)
        endObject()
    }
}
