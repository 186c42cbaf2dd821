import AccessRules
import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract

extension Gateway {
    /// `GET /v1/roles`, for administrators: what each role may do with the objects of each class.
    func listRoles(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        guard let access else {
            throw Problem(
                .keysUnavailable,
                "This server has no access control, so there are no roles. Restart it with access control.")
        }
        let classes = try store.snapshot().schema.classes.map(\.name)
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("items")
        json.beginArray()
        for role in access.allRoles { write(role, classes, json) }
        json.endArray()
        json.endObject()
        var response = Response.json(json.bytes)
        response.headers["Cache-Control"] = "no-store"
        return .now(response)
    }

    private func write(_ role: Role, _ classes: [String], _ json: JSONWriter) {
        json.beginObject()
        json.name("name")
        json.string(role.name)
        json.name("administrator")
        json.bool(role.isAdministrator)
        json.name("classes")
        json.beginArray()
        for name in classes { write(name, role, json, predicates: true) }
        json.endArray()
        json.endObject()
    }
}
