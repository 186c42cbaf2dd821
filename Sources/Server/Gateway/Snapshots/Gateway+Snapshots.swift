import AccessRules
import HTTPProblems
import HTTPServer
import Identity
import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract

extension Gateway {
    /// `POST /v1/snapshots?ttl=60`.
    func makeSnapshot(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["ttl"])
        guard request.body.isEmpty else {
            throw Problem(
                .snapshotNoBody, "This request has no body. Send the snapshot's lifetime in seconds as ?ttl=60."
            )
        }
        let seconds =
            try parameters.integer("ttl", in: 1...configuration.maximumSnapshotLife)
            ?? min(configuration.snapshotLife, configuration.maximumSnapshotLife)
        let caller = try caller(of: request)
        let (owner, account) = (FrozenVersion.Owner(caller.principal), Self.limitKey(request))
        guard let versions = store.sharedVersions else {
            return .now(
                Self.made(try snapshots.keep(try store.snapshot(), for: seconds, owner, on: account), for: caller))
        }
        return .later { [self] responder in
            do throws(Problem) {
                try snapshots.keepShared(in: versions, for: seconds, owner, on: account) { [self] result in
                    switch result {
                    case .success(let frozen): responder.answer(Self.made(frozen, for: caller))
                    case .failure(let error): responder.answer(response(to: error, of: request))
                    }
                }
            } catch {
                responder.answer(error.httpResponse)
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
    func listSnapshots(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let caller = try caller(of: request)
        let json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("snapshots")
        json.beginArray()
        if caller.view.isUnrestricted || caller.principal.credential != .none {
            for frozen in snapshots.all(of: caller.view.isUnrestricted ? nil : FrozenVersion.Owner(caller.principal)) {
                json.snapshot(frozen)
            }
        }
        json.endArray()
        json.endObject()
        return .now(.json(json.bytes))
    }

    func getSnapshot(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let frozen = try named(path, request)
        var response = Response.json(Self.document(frozen))
        response.headers.add(frozen.snapshot.mark.seen(by: try caller(of: request).view.fingerprint))
        return .now(response)
    }

    func deleteSnapshot(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let frozen = try named(path, request)
        guard let versions = store.sharedVersions else {
            _ = snapshots.drop(frozen.id, of: frozen.owner)
            return .now(.empty(204))
        }
        return .later { [self] responder in
            snapshots.dropShared(frozen, in: versions) { [self] result in
                switch result {
                case .success: responder.answer(.empty(204))
                case .failure(let error): responder.answer(response(to: error, of: request))
                }
            }
        }
    }

    /// `GET /v1/snapshots/{id}/changes?to={id}`: the differences to a later version, by default the latest.
    func compareSnapshots(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["to", "limit"])
        let limit = try parameters.integer("limit", in: 0...configuration.maximumPage) ?? configuration.defaultPage
        let view = try caller(of: request).view
        let from = try named(path, request).snapshot
        let to = try parameters["to"].map { text in try frozen(text, request, parameter: "to") } ?? store.snapshot()
        guard from.version <= to.version else {
            throw Problem(
                .parameterInvalid,
                "'to' is version \(to.version), which is earlier than \(from.version). Request the changes from the earlier one.",
                parameter: "to")
        }
        let answerBytes = configuration.answerBytes
        let budget = queryBudget(for: request)
        return try reply(reading: .max, for: request) { [store] in
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
        try checkIsHere(id)
        guard let found = snapshots.find(id, of: FrozenVersion.Owner(try caller(of: request).principal)) else {
            throw Problem(.snapshotNotFound, Self.gone(id))
        }
        return found
    }

    /// Returns the unrestricted store at the version that a parameter names. Throws 410 if the caller has no such
    /// snapshot, 503 if it may still come.
    func frozen(_ id: String, _ request: Request, parameter: String) throws -> any Snapshot {
        try checkIsHere(id)
        guard let found = snapshots.find(id, of: FrozenVersion.Owner(try caller(of: request).principal)) else {
            throw Problem(.snapshotGone, Self.gone(id), parameter: parameter)
        }
        return found.snapshot
    }

    /// Throws if another gateway may have made the snapshot and this one has not heard of it yet. Requests that name it
    /// in their target have waited for it before.
    private func checkIsHere(_ id: String) throws {
        guard let version = sharedVersion(of: id), version > waits.announced else { return }
        throw StoreError(
            .behind,
            "This server does not have the snapshot's version \(version) yet. Repeat the request, here or at another server."
        )
    }

    /// The version of a snapshot that another gateway may have made.
    func sharedVersion(of id: String) -> Version? {
        store.sharedVersions == nil ? nil : FrozenVersions.version(of: id)
    }

    private static func gone(_ id: String) -> String {
        "There is no snapshot '\(id)' of yours: it has expired, or it was deleted. Create a new one with POST /v1/snapshots, and begin again with it."
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
