import AccessRules
import Basics
import HTTPMessages
import HTTPProblems
import HTTPServer
import JSONCoding
import LiveStreams
import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import RequestParameters
import StoreContract
import SyncSubscriptions
import WireProtocol

// What the queries of subscriptions observe.
extension SubscriptionEndpoints {
    /// Returns what the query observes for a caller. Throws 400 for parameters that do not fit the schema.
    ///
    /// - Parameter shown: a version as the caller sees it; nil for the latest.
    func topicKey(
        of query: SubscriptionQuery, for caller: Caller, at shown: (any Snapshot)? = nil
    ) throws -> TopicKey {
        let snapshot = try shown ?? caller.view.restrict(try context.store.snapshot())
        var key = try topicKey(of: query, snapshot).seen(by: caller.view, snapshot)
        key.reading = KeyReading(schema: BoundAccess.wholeSchema(of: snapshot)) { [self] in
            try topicKey(of: query, for: caller, at: $0)
        }
        return key
    }

    private func topicKey(of query: SubscriptionQuery, _ snapshot: any Snapshot) throws -> TopicKey {
        if let path = query.path { return try key(at: try ObservedPath(path), snapshot) }
        let collection = try CollectionTarget(className: query.className, snapshot)
        return try streams.topicKey(QueryParameters(query.parameters), collection) { .objects($0) }
    }

    /// Returns what the stream at a path observes.
    private func key(at path: ObservedPath, _ snapshot: any Snapshot) throws -> TopicKey {
        let parameters = PathParameters(
            names: Array(["class", "key", "property", "steps"].prefix(path.segments.count)), values: path.segments)
        let request = path.request
        return switch (path.kind, path.segments.count > 1) {
        case (.objects, _) where path.segments.count == 2: try streams.objectKey(request, parameters, snapshot)
        case (.objects, false): try streams.collectionKey(request, parameters, snapshot)
        case (.objects, true): try streams.propertyKey(request, parameters, snapshot)
        case (.sections, false): try streams.sectionsKey(request, parameters, snapshot)
        case (.sections, true): try streams.propertySectionsKey(request, parameters, snapshot)
        case (.aggregates, false): try streams.aggregatesKey(request, parameters, snapshot)
        case (.aggregates, true): try streams.propertyAggregatesKey(request, parameters, snapshot)
        case (.values, false): try streams.valuesKey(request, parameters, snapshot)
        case (.values, true): try streams.propertyValuesKey(request, parameters, snapshot)
        case (.index, false): try streams.indexKey(request, parameters, snapshot)
        case (.index, true): try streams.propertyIndexKey(request, parameters, snapshot)
        }
    }
}
