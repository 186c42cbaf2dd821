package import HTTPServer
package import ObjectCoding
import ObjectModel
import QuerySyntax
import QueryLanguage
import RequestHandling
package import RequestParameters
package import StoreContract
import WireProtocol
import WriteRequests

extension ReadEndpoints {
    /// Returns the position in a class of an object, or of the first one that satisfies a predicate.
    package func getIndex(_ request: Request, _ path: PathParameters) throws -> Reply {
        try getIndex(request, try CollectionTarget(class: path, try readSnapshot(for: request)))
    }

    /// Returns the position in one object's property.
    package func getPropertyIndex(_ request: Request, _ path: PathParameters) throws -> Reply {
        let property = try PropertyCollection(path, try readSnapshot(for: request))
        guard let collection = try CollectionTarget(property) else { return try getElementIndex(request, property) }
        return try getIndex(request, collection)
    }

    /// The parameters of a position among objects, and among plain values.
    package static let indexParameters = QueryReader.parameters + ["of", "matching"]

    private func getIndex(_ request: Request, _ collection: CollectionTarget) throws -> Reply {
        let parameters = try QueryParameters(request, single: Self.indexParameters + [ParameterName.snapshot])
        let (snapshot, read) = (collection.snapshot, try indexRead(parameters, collection))
        let unchanged = try notModified(request, snapshot) { read.dependence(in: collection) }
        if let unchanged { return .now(unchanged) }
        return try context.reply(
            reading: collection.size, from: collection.counted, for: request,
            asking: AskedQuery(read.query, of: snapshot)
        ) {
            .index(try read.index(in: snapshot), of: snapshot)
        }
    }

    /// Parses a request for a position among objects.
    package func indexRead(_ parameters: QueryParameters, _ collection: CollectionTarget) throws(Problem) -> IndexRead {
        let reader = collection.reader(context.settings.now)
        let wanted: IndexRead.Wanted
        switch (parameters["of"], parameters["matching"]) {
        case (let text?, nil): wanted = .object(try ObjectAddress(text, collection.objectClass))
        case (nil, _?): wanted = .match(try condition(parameters, collection.objectClass, reader))
        default:
            throw Problem(
                .parameterMissing,
                "Give either 'of', the key of an object, or 'matching', a condition.",
                parameter: "matching")
        }
        return IndexRead(
            query: try reader.query(parameters, collection.objectClass, in: collection.scope), wanted: wanted)
    }

    /// Returns the position in a list, set or map of a value, or of the first one that satisfies a predicate.
    private func getElementIndex(_ request: Request, _ property: PropertyCollection) throws -> Reply {
        let parameters = try QueryParameters(request, single: Self.indexParameters + [ParameterName.snapshot])
        let budget = context.queryBudget(for: request)
        let (snapshot, read) = (property.snapshot, try elementIndexRead(parameters, property, budget))
        let unchanged = try notModified(request, snapshot) { ReadDependence(elementsOf: property) }
        if let unchanged { return .now(unchanged) }
        return try context.reply(reading: try property.elementCount, for: request) {
            .index(try read.index(in: snapshot, budget), of: snapshot)
        }
    }

    /// Parses a request for a position among plain values.
    package func elementIndexRead(
        _ parameters: QueryParameters, _ property: PropertyCollection, _ budget: QueryBudget
    ) throws(Problem) -> ElementIndexRead {
        let read = try ElementRead(property, parameters, context.settings.now, budget)
        let wanted: ElementIndexRead.Wanted
        switch (parameters["of"], parameters["matching"]) {
        case (let text?, nil): wanted = .value(try ElementRead.value(text, of: property, parameter: "of"))
        case (nil, _?): wanted = .match(try condition(parameters, read.element.objectClass, read.reader))
        default:
            throw Problem(
                .parameterMissing,
                "Give either 'of', a value, or 'matching', a condition on SELF.",
                parameter: "of", property: property.schema.name)
        }
        return ElementIndexRead(selection: read.selection, wanted: wanted)
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
