package import AccessRules
package import HTTPServer
import JSONCoding
import ViewMaintenance
import LiveQueries
package import LiveStreams
import ObjectCoding
package import ObjectModel
package import QueryLanguage
import RequestHandling
package import RequestParameters
package import StoreContract
import Synchronization
package import WriteRequests

/// What the answer of a read depends on, for live queries to watch.
package struct ReadDependence: Sendable {
    package var parts: [WatchedPart]
    /// Whether each difference of a part is one of the answer. If not, answers are compared as well.
    package var isExact = true
    /// Whether the answer is an object itself, and not a member of a JSON object with a version.
    package private(set) var isObject = false

    package init(_ parts: [WatchedPart], isExact: Bool = true) {
        self.parts = parts
        self.isExact = isExact
    }

    /// A page of a query's objects, and their number if it is shown.
    ///
    /// - Parameter isAfterCursor: whether the page begins after a cursor and not with an offset.
    package init(
        _ query: BoundQuery, _ window: Window, isAfterCursor: Bool, count: Bool, in collection: CollectionTarget,
        _ parameters: QueryParameters
    ) {
        var asked = query
        var extent = LiveExtent.all
        if !isAfterCursor, let limit = window.limit {
            // With the object that shows whether there is a next page.
            let (end, isBeyond) = window.offset.addingReportingOverflow(limit)
            if !isBeyond, end < .max {
                asked.steps.append(.limit(end + 1))
                extent = .rows(window.offset..<end)
            }
        }
        var parts = [
            WatchedPart(
                TopicKey(
                    subject: .objects(asked), fields: parameters["fields"], expand: parameters["expand"],
                    isOwned: collection.isOwned, hopQueries: collection.hopQueries), extent)
        ]
        if count { parts.append(.count(of: query, in: collection)) }
        // Objects also count as modified by what they link to, and by properties that are not shown.
        self.init(parts, isExact: false)
    }

    /// An answer that follows from a query's objects.
    ///
    /// - Parameter paths: what it shows of them; key paths that live queries cannot follow stand for whole objects.
    package init(from query: BoundQuery, showing paths: [String], in collection: CollectionTarget) {
        let keyPaths = paths.compactMap {
            try? LiveKeyPath($0, in: collection.objectClass.id, of: collection.snapshot.schema)
        }
        let key = TopicKey(
            subject: .objects(query), isOwned: collection.isOwned,
            keyPaths: keyPaths.count == paths.count ? keyPaths : [],
            hopQueries: collection.hopQueries)
        self.init([WatchedPart(key)], isExact: false)
    }

    /// The position of an object, or of the first that satisfies a condition.
    package init(orderOf query: BoundQuery, matching: BoundQuery?, in collection: CollectionTarget) {
        let queries = [query] + (matching.map { [$0] } ?? [])
        self.init(
            queries.map {
                WatchedPart(
                    TopicKey(subject: .objects($0), isOwned: collection.isOwned, hopQueries: collection.hopQueries),
                    .order)
            }, isExact: false)
    }

    /// Something of a list, set or map.
    package init(elementsOf property: PropertyCollection) {
        let key = TopicKey(subject: .elements(property.holder, property.schema.id), hopQueries: property.hopQueries)
        self.init([WatchedPart(key)], isExact: false)
    }

    /// A value, or a part of it.
    package init(_ resolved: ResolvedPropertyPath, _ schema: Schema) {
        let keyPath = try? LiveKeyPath(resolved.property.name, in: resolved.holderClass.id, of: schema)
        let key = TopicKey(
            subject: .object(resolved.holder), keyPaths: keyPath.map { [$0] } ?? [],
            hopQueries: resolved.hops.map(\.query))
        self.init([WatchedPart(key)], isExact: false)
    }

    /// An object, perhaps with others in place of its links.
    package init(
        _ object: ObjectReference, _ parameters: QueryParameters, isPart: Bool, hopQueries: [BoundQuery]
    ) {
        let key = TopicKey(
            subject: .object(object), fields: parameters["fields"], expand: parameters["expand"], isOwned: isPart,
            hopQueries: hopQueries)
        // Properties that are not shown count, too.
        self.init([WatchedPart(key)], isExact: parameters["fields"] == nil)
        isObject = true
    }
}

extension WatchedPart {
    /// The number of a query's objects.
    fileprivate static func count(of query: BoundQuery, in collection: CollectionTarget) -> WatchedPart {
        let subject = AggregateSubject(LiveAggregate(query), AggregateForm([], .plain), limit: .max)
        return WatchedPart(
            TopicKey(subject: .aggregate(subject), isOwned: collection.isOwned, hopQueries: collection.hopQueries))
    }
}

/// Learns from a read what its answer depends on, and has it read a certain version. It is the `inner` of a request.
package final class ReadProbe: RequestContext {
    private let view: AccessView
    /// The version to read; nil for the newest.
    package let pinned: (any Snapshot)?
    private let found = Mutex<ReadDependence?>(nil)

    package init(_ view: AccessView, pinned: (any Snapshot)? = nil) {
        self.view = view
        self.pinned = pinned
    }

    /// What the read reported. It does so when it finds that the client has its answer.
    package var dependence: ReadDependence? { found.withLock { $0 } }

    /// - Parameter snapshot: the version that the read is about, as the caller sees it.
    func record(_ dependence: ReadDependence, _ snapshot: any Snapshot) throws {
        var seen = dependence
        for index in seen.parts.indices {
            var key = try seen.parts[index].key.seen(by: view, snapshot)
            // Under another schema the read may mean something else.
            key.reading = KeyReading(schema: BoundAccess.wholeSchema(of: snapshot)) { _ in
                throw StoreError.schemaReplaced
            }
            seen.parts[index].key = key
        }
        let noted = seen
        found.withLock { $0 = noted }
    }
}

extension Request {
    package var probe: ReadProbe? { inner as? ReadProbe }

    package func with(_ probe: ReadProbe) -> Request {
        var request = self
        request.inner = probe
        return request
    }
}
