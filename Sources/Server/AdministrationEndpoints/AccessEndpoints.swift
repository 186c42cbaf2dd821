import FairScheduling
import HTTPMessages
import HTTPProblems
package import HTTPServer
import Identity
import JSONCoding
import Logging
import ObjectCoding
import ObjectModel
package import RequestHandling
import RequestParameters

/// API keys, roles, and who the caller is.
package final class AccessEndpoints: Sendable {
    let context: GatewayContext

    package init(_ context: GatewayContext) { self.context = context }

    package func listKeys(_ request: Request, _ path: PathParameters) throws -> Reply {
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

    package func getKey(_ request: Request, _ path: PathParameters) throws -> Reply {
        let keys = try managedKeys(request)
        let id = path["id"] ?? ""
        guard let key = keys.key(id) else { throw Problem(noKey: id) }
        return .now(.json(Self.document(key)))
    }

    /// Writes to the disk, which takes as long as a commit, so a worker does it.
    package func createKey(_ request: Request, _ path: PathParameters) throws -> Reply {
        let keys = try managedKeys(request)
        let details = try KeyRequest(
            try request.json(), roles: context.settings.now.accessControl?.roleNames ?? [],
            context.settings.now.clock()
        ).details
        return context.workers.reply(for: request.limitKey) { [self] in
            do {
                let (key, secret) = try keys.create(details)
                // The first key ends unauthenticated access.
                context.settings.now.accessControl?.changed()
                var response = Response.json(Self.document(key, secret: secret), status: 201)
                response.headers["Location"] = "/v1/keys/\(key.id)"
                response.headers["Cache-Control"] = "no-store"
                return .now(response)
            } catch {
                return .now(context.response(to: unsaved(error)))
            }
        }
    }

    package func revokeKey(_ request: Request, _ path: PathParameters) throws -> Reply {
        let keys = try managedKeys(request)
        let id = path["id"] ?? ""
        return context.workers.reply(for: request.limitKey) { [self] in
            do {
                guard try keys.revoke(id) != nil else { return .now(Problem(noKey: id).httpResponse) }
                context.settings.now.accessControl?.changed()
                return .now(.empty(204))
            } catch {
                return .now(context.response(to: unsaved(error)))
            }
        }
    }

    /// Returns the keys for a request without parameters.
    private func managedKeys(_ request: Request) throws(Problem) -> KeyRing {
        _ = try QueryParameters(request, single: [])
        guard let keys = context.settings.now.accessControl?.keys else {
            throw Problem(.keysUnavailable, "This server has no access control and no keys.")
        }
        return keys
    }

    private func unsaved(_ error: any Error) -> Problem {
        context.logger.error("A key could not be saved.", metadata: ["error": "\(error)"])
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
