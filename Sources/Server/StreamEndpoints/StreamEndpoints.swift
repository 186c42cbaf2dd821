import AccessRules
import HTTPMessages
package import HTTPServer
import JSONCoding
import LiveQueries
package import LiveStreams
import ObjectCoding
import ObjectModel
import QueryLanguage
import QuerySyntax
package import ReadEndpoints
package import RequestHandling
import RequestParameters
import StoreContract
import ViewMaintenance
import WireProtocol
import WriteRequests

/// The data in updates besides positions.
enum Include: String, CaseIterable, Sendable {
    case indices
    case objects
}

/// The event streams of queries, aggregates, objects and what they hold.
package final class StreamEndpoints: Sendable {
    let context: GatewayContext
    let reads: ReadEndpoints
    package let topics: Topics

    package init(_ context: GatewayContext, _ reads: ReadEndpoints, _ topics: Topics) {
        self.context = context
        self.reads = reads
        self.topics = topics
    }

    /// The parameters of every event stream.
    private static let streamParameters = ["keyPaths", "types", ParameterName.lastEventID]
    /// The parameters of streams whose updates contain objects.
    private static let rowParameters = streamParameters + ["fields", "expand", "include"]

    package func observeCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        try events(request) { [self] in try collectionKey($0, path, $1) }
    }

    func collectionKey(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> TopicKey {
        try key(request, try CollectionTarget(class: path, snapshot))
    }

    /// Observes what follows an object in a path: a collection, or the target of a link. The stream ends when the
    /// path leads to another target.
    package func observePropertyCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        try propertyEvents(request, path, key: propertyKey)
    }

    func propertyKey(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> TopicKey {
        let named = try PropertyPath(path, snapshot.schema).resolve(in: snapshot)
        guard let property = PropertyCollection(named, snapshot) else {
            return try targetKey(of: named, request, snapshot)
        }
        let hopQueries = named.hops.map(\.query)
        guard let collection = try CollectionTarget(property) else {
            return try elementsKey(
                property, QueryParameters(request, single: ["include", "types", ParameterName.lastEventID]), hopQueries)
        }
        let query = QueryReader.parameters + ["limit"]
        guard !property.schema.type.isComputed,
            !request.query.contains(where: { query.contains($0.name) })
        else {
            return try key(request, collection, hopQueries)
        }
        return try elementsKey(
            property, QueryParameters(request, single: query + Self.rowParameters), hopQueries,
            linksTo: collection.objectClass)
    }

    /// Returns the target of a link. Throws 404 for a null link, and 400 for another single value.
    private func targetKey(
        of resolved: ResolvedPropertyPath, _ request: Request, _ snapshot: any Snapshot
    ) throws -> TopicKey {
        guard let value = try resolved.value(in: snapshot) else { throw try resolved.missing(in: snapshot) }
        guard let target = resolved.target(of: value), let objectClass = snapshot.schema[target.classID] else {
            if value == .null, resolved.property.type.isLink { throw resolved.leadsNowhere }
            throw Problem(
                .pathNotACollection,
                "'\(resolved.name)' is a single value, which cannot be observed alone. Observe the object with keyPaths=\(resolved.property.name).",
                property: resolved.property.name)
        }
        let parameters = try QueryParameters(request, single: Self.streamParameters)
        return TopicKey(
            subject: .object(target), style: try parameters.choice("types", default: TypeStyle.plain),
            isOwned: resolved.property.ownsTarget,
            keyPaths: try keyPaths(parameters, objectClass, snapshot.schema),
            hopQueries: (resolved.hops + [resolved.hop(to: target)]).map(\.query))
    }

    private func key(
        _ request: Request, _ collection: CollectionTarget, _ hopQueries: [BoundQuery] = []
    ) throws -> TopicKey {
        let parameters = try QueryParameters(
            request, single: QueryReader.parameters + ["limit"] + Self.rowParameters)
        var key = try topicKey(parameters, collection) { .objects($0) }
        key.hopQueries = hopQueries
        return key
    }

    /// Parses the parameters for observing a query's result.
    func topicKey(
        _ parameters: QueryParameters, _ collection: CollectionTarget,
        _ subject: (BoundQuery) throws(Problem) -> TopicKey.Subject
    ) throws(Problem) -> TopicKey {
        var query = try collection.reader(context.settings.now).query(
            parameters, collection.objectClass, in: collection.scope)
        if let limit = try parameters.integer("limit", in: 0...Int.max) { query.steps.append(.limit(limit)) }
        return try rows(parameters, of: try subject(query), collection)
    }

    package func observeSections(_ request: Request, _ path: PathParameters) throws -> Reply {
        try events(request) { [self] in try sectionsKey($0, path, $1) }
    }

    func sectionsKey(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> TopicKey {
        try sectionsKey(request, try CollectionTarget(class: path, snapshot))
    }

    package func observePropertySections(_ request: Request, _ path: PathParameters) throws -> Reply {
        try propertyEvents(request, path, key: propertySectionsKey)
    }

    func propertySectionsKey(
        _ request: Request, _ path: PathParameters, _ snapshot: any Snapshot
    ) throws -> TopicKey {
        let (collection, hopQueries) = try propertyObjects(path, snapshot, showing: "sections", else: .sectionsValues)
        return try sectionsKey(request, collection, hopQueries)
    }

    private func sectionsKey(
        _ request: Request, _ collection: CollectionTarget, _ hopQueries: [BoundQuery] = []
    ) throws -> TopicKey {
        let parameters = try QueryParameters(
            request, single: QueryReader.parameters + ["by", "ascending"] + Self.rowParameters)
        let reader = collection.reader(context.settings.now)
        var by = try reader.section(parameters, collection.objectClass)
        let sort = try reader.sort(parameters, collection.objectClass)
        guard sort == nil || parameters["ascending"] == nil else {
            throw Problem(
                .parameterInvalid,
                "Observed sections are in the order of 'sort', which 'ascending' cannot change. Omit one of the two.",
                parameter: "ascending")
        }
        var query = try reader.filter(parameters, collection.objectClass, in: collection.scope)
        query.steps.append(.sort(try ReadEndpoints.sectionOrder(parameters, sort, &by)))
        if let distinct = try reader.distinct(parameters, collection.objectClass) {
            query.steps.append(.distinct(distinct))
        }
        var key = try rows(parameters, of: .sections(query, by: by), collection)
        key.hopQueries = hopQueries
        return key
    }

    /// Returns the key for a list, set or map in stored order.
    ///
    /// - Parameter target: the class of the objects; nil for plain values.
    private func elementsKey(
        _ property: PropertyCollection, _ parameters: QueryParameters, _ hopQueries: [BoundQuery],
        linksTo target: ClassSchema? = nil
    ) throws -> TopicKey {
        let subject = TopicKey.Subject.elements(property.holder, property.schema.id)
        let schema = property.snapshot.schema
        var key = try rows(parameters, of: subject, target ?? property.holderClass, schema)
        key.hopQueries = hopQueries
        return key
    }

    package func observeObject(_ request: Request, _ path: PathParameters) throws -> Reply {
        do {
            return try events(request) { [self] in try objectKey($0, path, $1) }
        } catch let problem as Problem where problem.code == StoreError.Code.notFound.rawValue {
            guard let closingEvent = try closingEvent(request, path, try context.snapshot(for: request)) else {
                throw problem
            }
            return closingEvent
        }
    }

    func objectKey(
        _ request: Request, _ path: PathParameters, _ snapshot: any Snapshot
    ) throws -> TopicKey {
        let parameters = try QueryParameters(request, single: Self.streamParameters)
        let object = try AddressedObject(path, snapshot)
        let keyPaths = try keyPaths(parameters, object.objectClass, snapshot.schema)
        let style = try parameters.choice("types", default: TypeStyle.plain)
        guard let key = try object.address.find(object.objectClass, in: snapshot) else {
            throw object.address.notFound(object.objectClass)
        }
        return TopicKey(
            subject: .object(ObjectReference(object.objectClass.id, key)), style: style, keyPaths: keyPaths)
    }

    /// Returns the event that tells a reconnecting client that its object was deleted; nil if it was not.
    func closingEvent(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> Reply? {
        let object = try AddressedObject(path, snapshot)
        guard try object.address.find(object.objectClass, in: snapshot) == nil, let lastSeen = try lastSeen(request)
        else { return nil }
        // Finding the earlier object reads all changes since then.
        try request.requireWorker()
        // An object that left the caller's sight was there before the version of its last event.
        let versions = [lastSeen.version, lastSeen.version.previous].compactMap { $0 }
        guard try versions.contains(where: { try wasThere(object, at: $0, snapshot) }) else { return nil }
        return .events { stream in
            // With the id that the client sent, so that it gets the same answer the next time.
            stream.send(Ending.deleted(snapshot.version, lastSeen).event.bytes)
            stream.close()
        }
    }

    /// Whether the caller saw the object at an earlier version; false if that is not known any more.
    private func wasThere(_ object: AddressedObject, at version: Version, _ snapshot: any Snapshot) throws -> Bool {
        guard let past = try context.store.asOf(version, before: try context.store.snapshot()),
            let known = try object.address.find(object.objectClass, in: past.reads)
        else { return false }
        return try BoundAccess.of(snapshot)?.wasThere(
            ObjectReference(object.objectClass.id, known), in: past.reads) ?? true
    }

    private func rows(
        _ parameters: QueryParameters, of subject: TopicKey.Subject, _ collection: CollectionTarget
    ) throws(Problem) -> TopicKey {
        var key = try rows(parameters, of: subject, collection.objectClass, collection.snapshot.schema)
        key.isOwned = collection.isOwned
        return key
    }

    /// Parses the parameters of every stream of objects: `fields`, `expand`, `types`, `include` and `keyPaths`.
    private func rows(
        _ parameters: QueryParameters, of subject: TopicKey.Subject, _ objectClass: ClassSchema, _ schema: Schema
    ) throws(Problem) -> TopicKey {
        TopicKey(
            subject: subject, fields: parameters["fields"], expand: parameters["expand"],
            style: try parameters.choice("types", default: TypeStyle.plain),
            includesObjects: try parameters.choice("include", default: Include.objects) == .objects,
            keyPaths: try keyPaths(parameters, objectClass, schema))
    }

    /// Opens a stream of what an object in the path holds. It ends when the path leads to another target; a client that
    /// comes back after that is told so again.
    func propertyEvents(
        _ request: Request, _ path: PathParameters,
        key: @escaping @Sendable (Request, PathParameters, any Snapshot) throws -> TopicKey
    ) throws -> Reply {
        if let closingEvent = try closingEvent(request, path, try context.snapshot(for: request)) {
            return closingEvent
        }
        return try events(request) { try key($0, path, $1) }
    }

    /// Opens a stream for a request, which is parsed again whenever the schema is replaced.
    func events(
        _ request: Request, key: @escaping @Sendable (Request, any Snapshot) throws -> TopicKey
    ) throws -> Reply {
        let caller = try context.caller(of: request)
        @Sendable func bind(_ request: Request, _ shown: (any Snapshot)? = nil) throws -> TopicKey {
            let snapshot = try shown ?? context.show(try context.store.snapshot(), to: caller)
            var elsewhere = request
            elsewhere.isOnLoop = false
            var bound = try key(request, snapshot).seen(by: caller.view, snapshot)
            bound.reading = KeyReading(schema: BoundAccess.wholeSchema(of: snapshot)) { [elsewhere] in
                try bind(elsewhere, $0)
            }
            return bound
        }
        // Errors in the request are reported before the stream begins.
        let first = try bind(request)
        let lastSeen = try context.resumable(lastSeen(request)?.version, first.hopQueries, caller.view, request)
        let account = request.limitKey
        return .events { [self] stream in
            let subscription = StreamSubscription.begin(first, topics, stream, for: account, since: lastSeen) {
                [self] in
                do {
                    return .success(try first.reading?.read(nil) ?? first)
                } catch {
                    return .failure(ending(of: error, for: caller))
                }
            }
            context.opened(stream, for: request, costing: subscription)
        }
    }

    /// Returns how a stream ends whose request is not valid under a new schema.
    private func ending(of error: any Error, for caller: Caller) -> Ending {
        let problem = context.problem(of: error)
        if problem.code == StoreError.Code.notFound.rawValue, let snapshot = try? context.store.snapshot() {
            return .deleted(snapshot.version, snapshot.mark.seen(by: caller.view.fingerprint))
        }
        return .error(problem)
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
                let problem = Problem(
                    error.code, error.message, parameter: "keyPaths", property: error.property, hint: error.hint)
                throw error.code == .unknownProperty ? problem.with(QueryError.Code.unknownProperty) : problem
            }
        }
        return paths
    }

    /// Returns the id of the last event that the client received; nil if it has none of this history, or none since its
    /// permissions changed.
    private func lastSeen(_ request: Request) throws -> Mark? {
        guard let mark = request.lastEventID.flatMap({ Mark($0) }),
            try context.caller(of: request).view.knows(mark, in: context.store)
        else { return nil }
        return mark
    }
}

extension StreamEndpoints {
    /// Observes the aggregates of a class's objects.
    package func observeAggregates(_ request: Request, _ path: PathParameters) throws -> Reply {
        try events(request) { [self] in try aggregatesKey($0, path, $1) }
    }

    func aggregatesKey(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> TopicKey {
        try aggregatesKey(request, try CollectionTarget(class: path, snapshot))
    }

    /// Observes the aggregates of the objects that a property holds. The stream ends when the path leads to another
    /// target.
    package func observePropertyAggregates(_ request: Request, _ path: PathParameters) throws -> Reply {
        try propertyEvents(request, path, key: propertyAggregatesKey)
    }

    func propertyAggregatesKey(
        _ request: Request, _ path: PathParameters, _ snapshot: any Snapshot
    ) throws -> TopicKey {
        let (collection, hopQueries) = try propertyObjects(
            path, snapshot, showing: "aggregates", else: .aggregateValues)
        var key = try aggregatesKey(request, collection)
        key.hopQueries = hopQueries
        return key
    }

    /// The objects that a property holds, and the path to them, for a stream of their sections or aggregates.
    ///
    /// - Parameters:
    ///   - kind: what the stream shows, as the path of the read says it.
    ///   - code: the error's code for plain values, of which there are no such streams.
    private func propertyObjects(
        _ path: PathParameters, _ snapshot: any Snapshot, showing kind: String, else code: Problem.Code
    ) throws -> (collection: CollectionTarget, hopQueries: [BoundQuery]) {
        let named = try PropertyPath(path, snapshot.schema).resolve(in: snapshot)
        let property = try PropertyCollection(collection: named, snapshot)
        guard let collection = try CollectionTarget(property) else {
            throw Problem(
                code,
                "'\(property.holderClass.name).\(property.schema.name)' contains plain values, whose \(kind) cannot be observed. Read them at /v1/\(kind)/objects/…, and observe the collection to learn when.",
                property: property.schema.name)
        }
        return (collection, named.hops.map(\.query))
    }

    private func aggregatesKey(_ request: Request, _ collection: CollectionTarget) throws -> TopicKey {
        let parameters = try QueryParameters(
            request, single: AggregateQuery.parameters + GroupSelection.parameters + [ParameterName.lastEventID],
            repeatable: AggregateQuery.functions)
        let asked = try AggregateQuery(parameters, collection, collection.reader(context.settings.now))
        if let bins = asked.bins { return try key(observing: BinsRead.name, bins, bins.dependence(in: collection)) }
        return TopicKey(
            subject: .aggregate(
                AggregateSubject(asked.aggregate, asked.form, limit: context.settings.now.maximumGrouping)),
            style: asked.form.style, isOwned: collection.isOwned)
    }
}
