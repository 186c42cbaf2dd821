import AccessRules
import HTTPServer
import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

/// What updates carry besides positions.
enum Include: String, CaseIterable, Sendable {
    case indices
    case objects
}

extension Gateway {
    /// Parameters of every stream of events.
    private static let streamParameters = ["keyPaths", "types", "lastEventID"]
    /// Parameters of streams whose updates carry objects.
    private static let rowParameters = streamParameters + ["fields", "expand", "include"]

    func observeCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        try observe(request, try CollectionPlace(class: path, try snapshot(for: request)))
    }

    /// What a path behind an object names: a collection, or the object that a link leads to. The stream ends when the path
    /// leads elsewhere.
    func observeHeldCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        let snapshot = try snapshot(for: request)
        if let farewell = try farewell(request, path, snapshot) { return farewell }
        let named = try PropertyPath(path, snapshot.schema).resolve(in: .snapshot(snapshot))
        guard let property = HeldProperty(named, snapshot) else {
            return try observeTarget(of: named, request, snapshot)
        }
        let way = named.hops.map(\.query)
        guard let place = try CollectionPlace(property) else {
            return try observeElements(
                request, property, QueryParameters(request, single: ["include", "types", "lastEventID"]), way)
        }
        let query = QueryReader.parameters + ["limit"]
        guard !property.schema.type.isComputed,
            !request.query.contains(where: { query.contains($0.name) })
        else {
            return try observe(request, place, way)
        }
        return try observeElements(
            request, property, QueryParameters(request, single: query + Self.rowParameters), way,
            linksTo: place.objectClass)
    }

    /// The object that a link leads to. Throws 404 for one that leads nowhere and 400 for another single value.
    private func observeTarget(
        of place: PropertyPlace, _ request: Request, _ snapshot: any Snapshot
    ) throws -> Reply {
        let source = ObjectSource.snapshot(snapshot)
        guard let value = try place.value(in: source) else { throw try place.missing(in: source) }
        guard let target = place.target(of: value), let objectClass = snapshot.schema[target.classID] else {
            if value == .null, place.property.type.isLink { throw place.leadsNowhere }
            throw Problem(
                400, StoreError.Code.notACollection.rawValue,
                "'\(place.name)' is a single value, which cannot be observed alone. Observe the object with keyPaths=\(place.property.name).",
                property: place.property.name)
        }
        let parameters = try QueryParameters(request, single: Self.streamParameters)
        return try events(
            ChannelKey(
                subject: .object(target), style: try parameters.choice("types", default: TypeStyle.plain),
                keyPaths: try keyPaths(parameters, objectClass, snapshot.schema),
                way: (place.hops + [place.hop(to: target)]).map(\.query)),
            snapshot, request)
    }

    private func observe(_ request: Request, _ place: CollectionPlace, _ way: [BoundQuery] = []) throws -> Reply {
        let parameters = try QueryParameters(
            request, single: QueryReader.parameters + ["limit"] + Self.rowParameters)
        var key = try channelKey(parameters, place) { .objects($0) }
        key.way = way
        return try events(key, place.snapshot, request)
    }

    /// What the parameters ask for of a query's result.
    func channelKey(
        _ parameters: QueryParameters, _ place: CollectionPlace,
        _ subject: (BoundQuery) throws(Problem) -> ChannelKey.Subject
    ) throws(Problem) -> ChannelKey {
        var query = try place.reader(configuration).query(parameters, place.objectClass, in: place.scope)
        if let limit = try parameters.integer("limit", in: 0...Int.max) { query.steps.append(.limit(limit)) }
        return try rows(parameters, of: try subject(query), place.objectClass, place.snapshot.schema)
    }

    func observeSections(_ request: Request, _ path: PathParameters) throws -> Reply {
        try observeSections(request, try CollectionPlace(class: path, try snapshot(for: request)))
    }

    func observeHeldSections(_ request: Request, _ path: PathParameters) throws -> Reply {
        let snapshot = try snapshot(for: request)
        if let farewell = try farewell(request, path, snapshot) { return farewell }
        let named = try PropertyPath(path, snapshot.schema).resolve(in: .snapshot(snapshot))
        let property = try HeldProperty(collection: named, snapshot)
        guard let place = try CollectionPlace(property) else {
            throw Problem(
                400, "sections.values",
                "'\(property.holderClass.name).\(property.schema.name)' holds values, whose sections cannot be observed. Read them at /v1/sections/objects/…, and observe the collection to hear when.",
                property: property.schema.name)
        }
        return try observeSections(request, place, named.hops.map(\.query))
    }

    private func observeSections(
        _ request: Request, _ place: CollectionPlace, _ way: [BoundQuery] = []
    ) throws -> Reply {
        let parameters = try QueryParameters(
            request, single: QueryReader.parameters + ["by", "ascending"] + Self.rowParameters)
        let reader = place.reader(configuration)
        let by = try reader.section(parameters, place.objectClass)
        let sort = try reader.sort(parameters, place.objectClass)
        let ascending = try parameters.flag("ascending") || parameters["ascending"] == nil
        guard sort == nil || parameters["ascending"] == nil else {
            throw Problem(
                400, "parameter.invalid",
                "Observed sections come in the order of 'sort', which 'ascending' cannot change. Leave one of the two out.",
                parameter: "ascending")
        }
        var query = try reader.filter(parameters, place.objectClass, in: place.scope)
        query.steps.append(.sort(sort ?? [SortKey(by.path, ascending: ascending)]))
        if let distinct = try reader.distinct(parameters, place.objectClass) { query.steps.append(.distinct(distinct)) }
        var key = try rows(
            parameters, of: .sections(query, by: by), place.objectClass, place.snapshot.schema)
        key.way = way
        return try events(key, place.snapshot, request)
    }

    /// A list, set or map as it lies.
    ///
    /// - Parameter target: the class of the objects; nil for values.
    private func observeElements(
        _ request: Request, _ property: HeldProperty, _ parameters: QueryParameters, _ way: [BoundQuery],
        linksTo target: ClassSchema? = nil
    ) throws -> Reply {
        let subject = ChannelKey.Subject.elements(property.holder, property.schema.id)
        let schema = property.snapshot.schema
        var key = try rows(parameters, of: subject, target ?? property.holderClass, schema)
        key.way = way
        return try events(key, property.snapshot, request)
    }

    func observeObject(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: Self.streamParameters)
        let snapshot = try snapshot(for: request)
        let object = try AddressedObject(path, snapshot)
        let keyPaths = try keyPaths(parameters, object.objectClass, snapshot.schema)
        let style = try parameters.choice("types", default: TypeStyle.plain)
        if let farewell = try farewell(request, path, snapshot) { return farewell }
        guard let key = try object.address.find(object.objectClass, in: snapshot) else {
            throw object.address.notFound(object.objectClass)
        }
        return try events(
            ChannelKey(
                subject: .object(ObjectReference(object.objectClass.id, key)), style: style, keyPaths: keyPaths),
            snapshot, request)
    }

    /// Tells a client that comes back of the end of an object that it knew; nil when there is no such thing to tell.
    private func farewell(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> Reply? {
        let object = try AddressedObject(path, snapshot)
        guard try object.address.find(object.objectClass, in: snapshot) == nil, let since = try lastSeen(request) else {
            return nil
        }
        // What was then takes a look at everything that was done since.
        try request.requireWorker()
        guard let past = try store.past(at: since, before: try store.snapshot()),
            let known = try object.address.find(object.objectClass, in: past.reads),
            try BoundAccess.of(snapshot)?.wasThere(
                ObjectReference(object.objectClass.id, known), in: past.reads) ?? true
        else { return nil }
        return .events { stream in
            stream.send(Ending.deleted(snapshot.version, snapshot.mark).event.bytes)
            stream.close()
        }
    }

    /// What every stream of objects takes: `fields`, `expand`, `types`, `include` and `keyPaths`.
    private func rows(
        _ parameters: QueryParameters, of subject: ChannelKey.Subject, _ objectClass: ClassSchema, _ schema: Schema
    ) throws(Problem) -> ChannelKey {
        ChannelKey(
            subject: subject, fields: parameters["fields"], expand: parameters["expand"],
            style: try parameters.choice("types", default: TypeStyle.plain),
            includesObjects: try parameters.choice("include", default: Include.objects) == .objects,
            keyPaths: try keyPaths(parameters, objectClass, schema))
    }

    private func events(
        _ key: ChannelKey, _ snapshot: any Snapshot, _ request: Request
    ) throws -> Reply {
        let caller = try caller(of: request)
        // What is wrong with it is said before the stream begins.
        let key = try key.seen(by: caller.view, snapshot)
        let lastSeen = try known(lastSeen(request), key.way, caller.view, request)
        return .events { [self] stream in
            StreamSubscription.begin(key, channels, stream, since: lastSeen)
            opened(stream, by: caller)
        }
    }

    /// The version that a client knows, if the path led there then; otherwise what it knows is about something else.
    private func known(
        _ version: Version?, _ way: [BoundQuery], _ view: AccessView, _ request: Request
    ) throws -> Version? {
        guard let version, !way.isEmpty else { return version }
        try request.requireWorker()
        guard let past = try store.past(at: version, before: try store.snapshot()) else { return version }
        let reads = try view.restrict(past: past.reads)
        for step in way where try reads.select(step, Window(limit: 1)).isEmpty { return nil }
        return version
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

    /// The version of the last event that the client saw; nil when it saw none of this history, or says something else.
    private func lastSeen(_ request: Request) throws -> Version? {
        guard let mark = request.lastEventID.flatMap({ Mark($0) }), try store.knows(mark) else { return nil }
        return mark.version
    }
}

extension Request {
    /// The id of the last event that the client of a stream saw. The header, which browsers send when they reconnect on
    /// their own, is later than the parameter that the page opened the stream with.
    var lastEventID: String? { header("Last-Event-ID") ?? query("lastEventID") }
}
