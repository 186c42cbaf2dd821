import HTTPServer
import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

/// What updates carry besides positions.
private enum Include: String, CaseIterable {
    case indices
    case objects
}

extension Gateway {
    func observeCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        try observe(request, try CollectionPlace(class: path, try store.snapshot()))
    }

    func observeHeldCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        let property = try HeldProperty(path, try store.snapshot())
        guard let place = try CollectionPlace(property) else {
            throw Problem(
                400, "observe.values",
                "'\(property.holderClass.name).\(property.schema.name)' holds values. Observe its object, with keyPaths=\(property.schema.name).",
                property: property.schema.name)
        }
        return try observe(request, place)
    }

    private func observe(_ request: Request, _ place: CollectionPlace) throws -> Reply {
        let parameters = try QueryParameters(
            request,
            single: QueryReader.parameters + ["limit", "fields", "expand", "keyPaths", "include", "types"])
        let (snapshot, objectClass) = (place.snapshot, place.objectClass)
        var query = try place.reader(configuration).query(parameters, objectClass, in: place.scope)
        if let limit = try parameters.integer("limit", in: 0...Int.max) { query.steps.append(.limit(limit)) }
        let key = ChannelKey(
            query: query, fields: parameters["fields"], expand: parameters["expand"],
            style: try parameters.choice("types", default: TypeStyle.plain),
            includesObjects: try parameters.choice("include", default: Include.objects) == .objects,
            keyPaths: try keyPaths(parameters, objectClass, snapshot.schema))
        // Made to be thrown away: what is wrong with it must be said before the stream begins.
        _ = try RowPlan(
            objectClass, of: snapshot.schema, fields: key.fields, expand: key.expand, style: key.style)
        let lastSeen = lastEventID(request)
        return .events { [self] stream in CollectionSubscription.begin(self, key, stream, lastSeen: lastSeen) }
    }

    func observeObject(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["keyPaths", "types"])
        let snapshot = try store.snapshot()
        let object = try AddressedObject(path, snapshot)
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let keyPaths = try keyPaths(parameters, object.objectClass, snapshot.schema)
        guard let key = try object.address.find(object.objectClass, in: snapshot) else {
            throw object.address.notFound(object.objectClass)
        }
        let lastSeen = lastEventID(request)
        return .events { [self] stream in
            ObjectSubscription(
                self, object.objectClass.id, key, style: style, keyPaths: keyPaths, stream, lastSeen: lastSeen
            ).begin()
        }
    }

    private func keyPaths(
        _ parameters: QueryParameters, _ objectClass: ClassSchema, _ schema: Schema
    ) throws(Problem) -> [LiveKeyPath] {
        guard let text = parameters["keyPaths"] else { return [] }
        var paths: [LiveKeyPath] = []
        for path in text.split(separator: ",", omittingEmptySubsequences: false) {
            do {
                paths.append(try LiveKeyPath(String(path), in: objectClass.id, of: schema))
            } catch {
                throw Problem(
                    400, error.code.rawValue, error.message, parameter: "keyPaths", property: error.property,
                    hint: error.hint)
            }
        }
        return paths
    }

    /// The version of the last event that the client saw; nil when it saw none, or says something else.
    private func lastEventID(_ request: Request) -> Version? {
        request.header("Last-Event-ID").flatMap { UInt64($0) }.map { Version($0) }
    }
}
