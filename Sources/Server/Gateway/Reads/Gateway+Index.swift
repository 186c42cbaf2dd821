import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import StoreContract
import WriteRequests

/// A parsed `GET /v1/index/{collection}`.
private struct IndexRead: Sendable {
    /// The element whose position is requested.
    enum Wanted: Sendable {
        /// Nil for an object that does not exist.
        case object(ObjectKey?)
        case match(BoundQuery)
    }

    let snapshot: any Snapshot
    let query: BoundQuery
    let wanted: Wanted

    /// The number of objects that are tested one by one, which is cheap if an early one matches.
    private static let triedSingly = 64

    /// Throws the errors of the store.
    func response() throws -> Response {
        let index: Int?
        switch wanted {
        case .object(nil): index = nil
        case .object(let key?): index = try snapshot.select(query, .all).firstIndex(of: key)
        case .match(let matching): index = try firstMatch(of: matching)
        }
        return .index(index, of: snapshot)
    }

    private func firstMatch(of matching: BoundQuery) throws -> Int? {
        let keys = try snapshot.select(query, .all)
        for (index, key) in keys.prefix(Self.triedSingly).enumerated() where try snapshot.matches(matching, key) {
            return index
        }
        guard keys.count > Self.triedSingly else { return nil }
        let matches = Set(try snapshot.select(matching, .all))
        return keys.firstIndex { matches.contains($0) }
    }
}

extension Response {
    fileprivate static func index(_ index: Int?, of snapshot: any Snapshot) -> Response {
        let json = JSONWriter(capacity: 64)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        json.name("index")
        if let index { json.int(index) } else { json.null() }
        json.endObject()
        return .json(json, of: snapshot)
    }
}

extension Gateway {
    /// Returns the position in a class of an object, or of the first one that satisfies a predicate.
    func getIndex(_ request: Request, _ path: PathParameters) throws -> Reply {
        try getIndex(request, try CollectionPlace(class: path, try readSnapshot(for: request)))
    }

    /// Returns the position in one object's property.
    func getHeldIndex(_ request: Request, _ path: PathParameters) throws -> Reply {
        let property = try PropertyCollection(path, try readSnapshot(for: request))
        guard let place = try CollectionPlace(property) else { return try getElementIndex(request, property) }
        return try getIndex(request, place)
    }

    private func getIndex(_ request: Request, _ place: CollectionPlace) throws -> Reply {
        let parameters = try QueryParameters(
            request, single: QueryReader.parameters + ["of", "matching", Self.snapshotParameter])
        let reader = place.reader(configuration)
        let wanted: IndexRead.Wanted
        switch (parameters["of"], parameters["matching"]) {
        case (let text?, nil):
            wanted = .object(
                try ObjectAddress(text, place.objectClass).find(place.objectClass, in: place.snapshot))
        case (nil, _?):
            wanted = .match(try condition(parameters, place.objectClass, reader))
        default:
            throw Problem(
                .parameterMissing,
                "Give either 'of', the key of an object, or 'matching', a condition.",
                parameter: "matching")
        }
        let read = IndexRead(
            snapshot: place.snapshot, query: try reader.query(parameters, place.objectClass, in: place.scope),
            wanted: wanted)
        let unchanged = try notModified(request, place.snapshot) {
            var matching: BoundQuery?
            if case .match(let condition) = wanted { matching = condition }
            return ReadDependence(orderOf: read.query, matching: matching, at: place)
        }
        if let unchanged { return .now(unchanged) }
        return try reply(reading: place.size, from: place.counted, for: request) { try read.response() }
    }

    /// Returns the position in a list, set or map of a value, or of the first one that satisfies a predicate.
    private func getElementIndex(_ request: Request, _ property: PropertyCollection) throws -> Reply {
        let parameters = try QueryParameters(
            request, single: ElementRead.parameters + ["of", "matching", Self.snapshotParameter])
        let read = try ElementRead(property, parameters, configuration, queryBudget(for: request))
        let wanted: Value?
        var matching: BoundQuery?
        switch (parameters["of"], parameters["matching"]) {
        case (let text?, nil): wanted = try ElementRead.value(text, of: property, parameter: "of")
        case (nil, _?):
            wanted = nil
            matching = try condition(parameters, read.element.objectClass, read.reader)
        default:
            throw Problem(
                .parameterMissing,
                "Give either 'of', a value, or 'matching', a condition on SELF.",
                parameter: "of", property: property.schema.name)
        }
        let asked = matching
        let snapshot = property.snapshot
        let unchanged = try notModified(request, snapshot) { ReadDependence(elementsOf: property) }
        if let unchanged { return .now(unchanged) }
        return try reply(reading: try property.elementCount, for: request) {
            let content = try read.content()
            let chosen = try content.select(read.query)
            if let asked {
                let matches = Set(try content.select(asked))
                return .index(chosen.firstIndex { matches.contains($0) }, of: snapshot)
            }
            return .index(
                wanted.flatMap { wanted in chosen.firstIndex { Value.order(content[$0], wanted) == 0 } }, of: snapshot)
        }
    }

    /// Parses the query of `matching`.
    private func condition(
        _ parameters: QueryParameters, _ objectClass: ClassSchema, _ reader: QueryReader
    ) throws(Problem) -> BoundQuery {
        let matching = try reader.filter(parameters, objectClass, named: "matching")
        guard matching.steps.isEmpty else {
            throw Problem(
                QueryError.Code.invalid,
                "'matching' must be a condition only. Order the collection with 'sort' and 'distinct'.",
                parameter: "matching")
        }
        return matching
    }
}
