import AccessRules
import HTTPMessages
package import HTTPServer
import Identity
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract

extension AccessEndpoints {
    /// `GET /v1/roles`, for administrators: what each role may do with the objects of each class.
    package func listRoles(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        guard let access = context.access else {
            throw Problem(
                .keysUnavailable,
                "This server has no access control, so there are no roles. Restart it with access control.")
        }
        let classes = try context.store.snapshot().schema.classes.map(\.name)
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

    /// Returns the caller's identity, and what it can see.
    package func whoAmI(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let caller = try context.caller(of: request)
        let (principal, role) = (caller.principal, caller.view.role)
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("credential")
        switch principal.credential {
        case .none: json.string("none")
        case .key(let id):
            json.string("key")
            json.name("key")
            json.string(id)
        case .token: json.string("token")
        }
        if let subject = principal.subject {
            json.name("subject")
            json.string(subject)
        }
        json.name("role")
        json.string(role.name)
        json.name("administrator")
        json.bool(role.isAdministrator)
        json.name("open")
        json.bool(context.settings.now.accessControl?.isOpen ?? true)
        if let end = principal.expires {
            json.name("expires")
            json.date(end)
        }
        json.name("claims")
        json.value(principal.claims)
        json.name("classes")
        json.beginArray()
        for name in try classNames(for: request, role) { write(name, role, json) }
        json.endArray()
        json.endObject()
        var response = Response.json(json.bytes)
        response.headers["Cache-Control"] = "no-store"
        return .now(response)
    }

    /// Returns the classes that the caller can see, and those that its role can write without seeing them.
    private func classNames(for request: Request, _ role: Role) throws -> [String] {
        let visible = try context.snapshot(for: request).schema.classes.map(\.name)
        guard !role.isAdministrator else { return visible }
        let rights = role.classes.filter { $0.value.create != nil && !visible.contains($0.key) }
        return visible + rights.keys.sorted()
    }

    /// Writes what a role may do with the objects of a class.
    ///
    /// - Parameter predicates: whether to write the rules that select some of the objects.
    private func write(_ name: String, _ role: Role, _ json: JSONWriter, predicates: Bool = false) {
        let rule = role.classes[name] ?? role.others
        json.beginObject()
        json.name("name")
        json.string(name)
        let rights = [("read", rule.read), ("create", rule.create), ("update", rule.update), ("delete", rule.delete)]
        for (right, predicate) in rights {
            json.name(right)
            let isAlways = role.isAdministrator || predicate == "TRUEPREDICATE"
            json.string(isAlways ? "all" : predicate == nil ? "none" : "some")
        }
        guard !role.isAdministrator else { return json.endObject() }
        let selecting = rights.filter { $0.1 != nil && $0.1 != "TRUEPREDICATE" }
        if predicates, !selecting.isEmpty {
            json.name("rules")
            json.beginObject()
            for (right, predicate) in selecting {
                json.name(right)
                json.string(predicate ?? "")
            }
            json.endObject()
        }
        for (title, names) in [("readable", rule.readableProperties), ("writable", rule.writableProperties)] {
            guard let names else { continue }
            json.name(title)
            json.beginArray()
            for property in names.sorted() { json.string(property) }
            json.endArray()
        }
        json.endObject()
    }
}
