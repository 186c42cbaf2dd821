import FairScheduling
import HTTPProblems
import HTTPServer
import Identity
import JSONCoding
import Logging
import ObjectCoding
import ObjectModel

extension Gateway {
    func listKeys(_ request: Request, _ path: PathParameters) throws -> Reply {
        let keys = try managedKeys(request)
        let json = JSONWriter()
        json.beginObject()
        json.name("items")
        json.beginArray()
        for key in keys.keys {
            json.beginObject()
            key.writeMembers(into: json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return .now(.json(json.bytes))
    }

    func getKey(_ request: Request, _ path: PathParameters) throws -> Reply {
        let keys = try managedKeys(request)
        let id = path["id"] ?? ""
        guard let key = keys.key(id) else { throw Problem(noKey: id) }
        return .now(.json(Self.document(key)))
    }

    /// Writes to the disk, which takes as long as a commit, so a worker does it.
    func createKey(_ request: Request, _ path: PathParameters) throws -> Reply {
        let keys = try managedKeys(request)
        let details = try KeyRequest(
            try request.json(), roles: configuration.accessControl?.roleNames ?? [], configuration.clock()
        ).details
        return workers.reply(for: Self.limitKey(request)) { [self] in
            do {
                let (key, secret) = try keys.create(details)
                // The first key ends unauthenticated access.
                configuration.accessControl?.changed()
                var response = Response.json(Self.document(key, secret: secret), status: 201)
                response.headers["Location"] = "/v1/keys/\(key.id)"
                response.headers["Cache-Control"] = "no-store"
                return .now(response)
            } catch {
                return .now(response(to: unsaved(error)))
            }
        }
    }

    func revokeKey(_ request: Request, _ path: PathParameters) throws -> Reply {
        let keys = try managedKeys(request)
        let id = path["id"] ?? ""
        return workers.reply(for: Self.limitKey(request)) { [self] in
            do {
                guard try keys.revoke(id) != nil else { return .now(Problem(noKey: id).httpResponse) }
                configuration.accessControl?.changed()
                return .now(.empty(204))
            } catch {
                return .now(response(to: unsaved(error)))
            }
        }
    }

    /// Returns the keys for a request without parameters.
    private func managedKeys(_ request: Request) throws(Problem) -> KeyRing {
        _ = try QueryParameters(request, single: [])
        guard let keys = configuration.accessControl?.keys else {
            throw Problem(.keysUnavailable, "This server has no access control and no keys.")
        }
        return keys
    }

    private func unsaved(_ error: any Error) -> Problem {
        logger.error("A key could not be saved.", metadata: ["error": "\(error)"])
        return Problem(.keysUnsaved, "The key could not be saved. The server's log has the reason.")
    }

    private static func document(_ key: APIKey, secret: String? = nil) -> [UInt8] {
        let json = JSONWriter(capacity: 512)
        json.beginObject()
        key.writeMembers(into: json)
        if let secret {
            json.name("secret")
            json.string(secret)
        }
        json.endObject()
        return json.bytes
    }
}

extension Problem {
    fileprivate init(noKey id: String) {
        self.init(.keysNotFound, "There is no key '\(id)'. GET /v1/keys lists them.")
    }
}
