import HTTPMessages
import HTTPProblems
package import HTTPServer
import JSONCoding
package import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol
import WriteRequests

extension ResolvedPropertyPath {
    /// Returns the error for a null link.
    package var leadsNowhere: Problem {
        Problem(
            StoreError.Code.notFound, "'\(name)' is null: it does not link to an object.",
            property: property.name)
    }
}

extension ReadEndpoints {
    /// Returns one object.
    package func getObject(_ request: Request, _ path: PathParameters) throws -> Reply {
        let snapshot = try readSnapshot(for: request)
        let object = try AddressedObject(path, snapshot)
        return try getObject(
            request, try object.address.find(object.objectClass, in: snapshot), object.objectClass, snapshot
        ) {
            object.address.notFound(object.objectClass)
        }
    }

    private static let objectParameters = ["fields", "expand", "types", ParameterName.snapshot]

    /// Returns one object. If it does not exist, checks for all other errors first, and then throws the result of
    /// `missing`.
    ///
    /// - Parameter isPart: whether it is an embedded object reached through its owner.
    func getObject(
        _ request: Request, _ key: ObjectKey?, _ objectClass: ClassSchema, _ snapshot: any Snapshot,
        isPart: Bool = false, hopQueries: [BoundQuery] = [], missing: () -> Problem = { .internalError }
    ) throws -> Reply {
        let parameters = try QueryParameters(request, single: Self.objectParameters)
        let plain = plainPlan(objectClass, of: snapshot.schema, for: request, isPart: isPart)
        let plan = try chosenPlan(objectClass, of: snapshot.schema, parameters, isPart: isPart) ?? plain
        guard let key else { throw missing() }
        let row = JSONWriter(capacity: 512)
        try plain.write([key], of: snapshot, into: row)
        let mark = snapshot.mark
        var tag = EntityTag(row: row, of: mark)
        if plan !== plain {
            row.removeAll()
            try plan.write([key], of: snapshot, into: row, responseLimit: context.settings.now.answerBytes)
            // The part before the dash still identifies the object's own state, for If-Match.
            if plan.looksFurther { tag.text += "-" + row.withBytes { Fingerprint.text(of: $0) } }
        }
        if let unchanged = try request.notModified(tag, at: mark) {
            let object = ObjectReference(objectClass.id, key)
            try request.probe?.record(
                ReadDependence(object, parameters, isPart: isPart, hopQueries: hopQueries), snapshot)
            return .now(unchanged)
        }
        var response = Response.json(row)
        response.headers["ETag"] = tag.header
        response.headers.add(mark)
        return .now(response)
    }

    /// Returns a single value, or an element, as `{"version", "value"}`; for a link its target object.
    ///
    /// Throws 404 for an element that does not exist, and for a null link.
    func getSingle(_ request: Request, _ resolved: ResolvedPropertyPath, _ snapshot: any Snapshot) throws -> Reply {
        guard let value = try resolved.value(in: snapshot) else { throw try resolved.missing(in: snapshot) }
        if let target = resolved.target(of: value), let objectClass = snapshot.schema[target.classID] {
            return try getObject(
                request, target.key, objectClass, snapshot, isPart: resolved.property.ownsTarget,
                hopQueries: (resolved.hops + [resolved.hop(to: target)]).map(\.query))
        }
        if value == .null, resolved.property.type.isLink { throw resolved.leadsNowhere }
        let parameters = try QueryParameters(request, single: ["types", ParameterName.snapshot])
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let unchanged = try notModified(request, snapshot) { ReadDependence(resolved, snapshot.schema) }
        if let unchanged { return .now(unchanged) }
        let look = LinkResolver(snapshot)
        let json = JSONWriter(capacity: 128)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        json.name("value")
        look.value(value, isMixed: resolved.property.type.isMixed, style, json)
        json.endObject()
        if let fault = look.fault { throw fault }
        return .now(.json(json, of: snapshot))
    }
}
