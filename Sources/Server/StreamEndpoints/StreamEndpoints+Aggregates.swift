package import HTTPServer
import LiveQueries
import LiveStreams
import ObjectCoding
import ObjectModel
import QueryLanguage
import ReadEndpoints
import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol
import WriteRequests

extension StreamEndpoints {
    /// Observes the aggregates of a class's objects.
    package func observeAggregates(_ request: Request, _ path: PathParameters) throws -> Reply {
        try events(request) { [self] in try aggregatesKey($0, path, $1) }
    }

    func aggregatesKey(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> TopicKey {
        try aggregatesKey(request, try CollectionPlace(class: path, snapshot))
    }

    /// Observes the aggregates of the objects that a property holds. The stream ends when the path leads to another
    /// place.
    package func observeHeldAggregates(_ request: Request, _ path: PathParameters) throws -> Reply {
        try heldEvents(request, path, key: heldAggregatesKey)
    }

    func heldAggregatesKey(
        _ request: Request, _ path: PathParameters, _ snapshot: any Snapshot
    ) throws -> TopicKey {
        let named = try PropertyPath(path, snapshot.schema).resolve(in: snapshot)
        let property = try PropertyCollection(collection: named, snapshot)
        guard let place = try CollectionPlace(property) else {
            throw Problem(
                .aggregateValues,
                "'\(property.holderClass.name).\(property.schema.name)' contains plain values, whose aggregates cannot be observed. Read them at /v1/aggregates/objects/…, and observe the collection to learn when.",
                property: property.schema.name)
        }
        var key = try aggregatesKey(request, place)
        key.way = named.hops.map(\.query)
        return key
    }

    private func aggregatesKey(_ request: Request, _ place: CollectionPlace) throws -> TopicKey {
        let parameters = try QueryParameters(
            request, single: AggregateQuery.parameters + GroupSelection.parameters + [ParameterName.lastEventID],
            repeatable: AggregateQuery.functions)
        let asked = try AggregateQuery(parameters, place, place.reader(context.configuration))
        if let bins = asked.bins { return try key(observing: BinsRead.name, bins, bins.dependence(at: place)) }
        return TopicKey(
            subject: .aggregate(
                AggregateSubject(asked.aggregate, asked.form, limit: context.configuration.maximumGrouping)),
            style: asked.form.style, isOwned: place.isOwned)
    }
}
