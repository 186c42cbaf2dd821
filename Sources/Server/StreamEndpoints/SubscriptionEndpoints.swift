import AccessRules
import Basics
import Dispatch
import FairScheduling
import HTTPMessages
import HTTPProblems
package import HTTPServer
import JSONCoding
import LiveStreams
import ObjectCoding
import ObjectModel
import QueryLanguage
import ReadEndpoints
package import RequestHandling
import RequestParameters
import StoreContract
package import SyncSubscriptions
import WireProtocol

/// Sets of named queries with one stream each.
package final class SubscriptionEndpoints: Sendable {
    let context: GatewayContext
    let streams: StreamEndpoints
    /// Runs requests that wait for the records that gateways share.
    private let workers: WorkerPool
    package let sets: SubscriptionSets

    /// Reads the sets of an earlier run.
    package init(_ context: GatewayContext, _ streams: StreamEndpoints) {
        self.context = context
        self.streams = streams
        sets = SubscriptionSets(
            { [settings = context.settings] in settings.now.all.subscriptions }, context.logger,
            context.store.sharedRecords)
        let configuration = context.settings.value
        workers = WorkerPool(
            count: 16, begun: 16, limit: configuration.workerQueue, perCaller: configuration.queriesPerCaller ?? .max,
            WorkerPool.Names(
                limited: .queriesLimited, busy: .gatewayBusy, work: "requests for subscription sets",
                remedy: "Wait for some of them to be answered before you send more.",
                setting: "limits.queriesPerCaller"))
        sets.expireRegularly()
        sets.watch()
    }

    /// Applies the settings that can change while requests are handled.
    package func update(_ configuration: GatewayConfiguration) {
        workers.quota.limit = configuration.queriesPerCaller ?? .max
    }

    /// Returns a handler for subscription sets. Sets that gateways share are read from the log, for which no loop
    /// waits, nor a worker that queries need.
    package func ofRecords(_ handler: @escaping Handler) -> Handler {
        guard sets.areShared else { return handler }
        return { [self] request, path in
            var request = request
            request.isOnLoop = false
            return workers.reply(for: request.limitKey) { [self, request] in
                context.answer(request, path, handler)
            }
        }
    }

    /// Returns the caller's set. Throws 404 if there is none.
    private func existingSet(_ path: PathParameters, _ caller: Caller, _ request: Request) throws -> SubscriptionSet {
        let set = try sets.existing(path[Endpoint.Parameter.set] ?? "", of: caller.subscriber)
        bindLoaded(set, caller, request.limitKey)
        return set
    }

    /// Parses the queries that another gateway has put into a set, and waits elsewhere for their first results.
    private func bindLoaded(_ set: SubscriptionSet, _ caller: Caller, _ account: LimitKey) {
        guard set.isShared else { return }
        for subscription in set.subscriptions where subscription.key == nil && subscription.state == .pending {
            let bound = set.rebind(subscription.id) { query in
                do {
                    return .success(try topicKey(of: query, for: caller))
                } catch {
                    return .failure(context.problem(of: error))
                }
            }
            switch bound {
            case (let known, .success(let key))?:
                FirstResult.await(key, streams.topics, at: set.topics, for: account) {
                    set.settle(known.id, known.revision, $0)
                }
            case (let known, .failure(let problem))?: set.fail(known.id, known.revision, problem)
            case nil: continue
            }
        }
    }

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
        case (.objects, true): try streams.heldKey(request, parameters, snapshot)
        case (.sections, false): try streams.sectionsKey(request, parameters, snapshot)
        case (.sections, true): try streams.heldSectionsKey(request, parameters, snapshot)
        case (.aggregates, false): try streams.aggregatesKey(request, parameters, snapshot)
        case (.aggregates, true): try streams.heldAggregatesKey(request, parameters, snapshot)
        case (.values, false): try streams.valuesKey(request, parameters, snapshot)
        case (.values, true): try streams.heldValuesKey(request, parameters, snapshot)
        case (.index, false): try streams.indexKey(request, parameters, snapshot)
        case (.index, true): try streams.heldIndexKey(request, parameters, snapshot)
        }
    }

    package func putSubscription(_ request: Request, _ path: PathParameters) throws -> Reply {
        let name = path[Endpoint.Parameter.name] ?? ""
        try SubscriptionSets.check(name, "subscription")
        return try put(name, request, path)
    }

    package func postSubscription(_ request: Request, _ path: PathParameters) throws -> Reply {
        try put(nil, request, path)
    }

    private func put(_ name: String?, _ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let wanted = try SubscriptionRequest(try request.json())
        let caller = try context.caller(of: request)
        let key = try topicKey(of: wanted.query, for: caller)
        let account = request.limitKey
        let set = try sets.made(path[Endpoint.Parameter.set] ?? "", of: caller.subscriber, for: account)
        bindLoaded(set, caller, account)
        let (subscription, outcome) = try set.put(name, wanted.query, key, sets.now)
        let status = outcome == .created ? 201 : 200
        let version = try context.snapshot(for: request).version
        return .later { [self] responder in
            // Only the first call counts; later ones are ignored.
            let answer: @Sendable (Subscription?) -> Void = { [self] found in
                let isSuperseded = found?.revision != subscription.revision
                responder.answer(document(of: found ?? subscription, in: set, status, isSuperseded: isSuperseded))
            }
            let isNew = outcome != .unchanged
            let waits =
                wanted.wait == .always || wanted.wait == .onCreation && (isNew || subscription.state == .pending)
            let settle: @Sendable (FirstResult.Outcome) -> Void = { outcome in
                let found = set.settle(subscription.id, subscription.revision, outcome)
                if waits { answer(found) }
            }
            let observed: @Sendable () -> Void = { [self] in
                if isNew || waits || subscription.state == .pending {
                    FirstResult.await(
                        key, streams.topics, at: set.topics, for: account, since: isNew ? nil : version, settle)
                }
                guard waits else { return answer(subscription) }
                guard let timeout = wanted.timeout else { return }
                DispatchQueue.global().asyncAfter(deadline: .now() + timeout) {
                    responder.answer(Self.timeout(subscription).httpResponse)
                }
            }
            if isNew { sets.save(then: observed) } else { observed() }
        }
    }

    private static func timeout(_ subscription: Subscription) -> Problem {
        Problem(
            .subscriptionTimeout,
            "The first result of '\(subscription.label)' did not arrive in time. The subscription stays; its result comes on the set's stream."
        )
    }

    private func document(
        of subscription: Subscription, in set: SubscriptionSet, _ status: Int, isSuperseded: Bool = false
    ) -> Response {
        let json = JSONWriter(capacity: 512)
        subscription.write(into: json, isSuperseded: isSuperseded)
        return .json(json.bytes, status: status)
    }

    package func getSubscriptions(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let caller = try context.caller(of: request)
        let set = try existingSet(path, caller, request)
        let found = set.subscriptions
        let json = JSONWriter(capacity: 256 + found.count * 256)
        json.beginObject()
        json.name(SubscriptionForm.Field.set)
        json.string(set.name)
        json.name(SubscriptionForm.Field.count)
        json.int(found.count)
        json.name(SubscriptionForm.Field.state)
        json.plainString(Self.state(of: found).word.rawValue)
        json.name(SubscriptionForm.Field.subscriptions)
        json.beginArray()
        for subscription in found { subscription.write(into: json) }
        json.endArray()
        json.endObject()
        return .now(.json(json.bytes))
    }

    /// Returns the state of a set: the worst state of its subscriptions.
    private static func state(of subscriptions: [Subscription]) -> Subscription.State {
        let failed = subscriptions.first {
            if case .failed = $0.state { true } else { false }
        }
        return failed?.state ?? (subscriptions.contains { $0.state == .pending } ? .pending : .complete)
    }

    package func getSubscription(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let caller = try context.caller(of: request)
        let set = try existingSet(path, caller, request)
        let name = path[Endpoint.Parameter.name] ?? ""
        guard let found = set.subscriptions.first(where: { $0.isCalled(name) }) else {
            throw Self.unknown(name, set)
        }
        return .now(document(of: found, in: set, 200))
    }

    private static func unknown(_ name: String, _ set: SubscriptionSet) -> Problem {
        Problem(
            StoreError.Code.notFound, "The set '\(set.name)' has no subscription '\(name)'.",
            hint: set.subscriptions.map(\.label).nearest(to: name))
    }

    package func deleteSubscription(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let caller = try context.caller(of: request)
        let set = try existingSet(path, caller, request)
        let name = path[Endpoint.Parameter.name] ?? ""
        guard try set.remove(sets.now, where: { $0.isCalled(name) }) > 0 else { throw Self.unknown(name, set) }
        return .later { [sets] responder in sets.save { responder.answer(.empty()) } }
    }

    /// Deletes all subscriptions, those of a class or, with a query, the unnamed one with that query.
    package func deleteSubscriptions(_ request: Request, _ path: PathParameters) throws -> Reply {
        let query = QueryReader.parameters + ["limit"]
        let parameters = try QueryParameters(request, single: query + ["class", "unnamedOnly"])
        let caller = try context.caller(of: request)
        let set = try existingSet(path, caller, request)
        let unnamedOnly = try parameters.flag("unnamedOnly")
        let removed: Int
        if query.contains(where: { parameters[$0] != nil }) {
            guard let className = parameters["class"] else {
                throw Problem(
                    .parameterMissing, "Give 'class', the class of the query.", parameter: "class")
            }
            let collection = try CollectionTarget(className: className, try context.snapshot(for: request))
            let asked = try streams.topicKey(parameters.keeping(query), collection) { .objects($0) }
                .seen(by: caller.view, collection.snapshot).subject
            removed = try set.remove(sets.now) { [self] known in
                known.name == nil && known.query.className == className
                    && (known.key ?? (try? topicKey(of: known.query, for: caller)))?.subject == asked
            }
        } else {
            let className = parameters["class"]
            if let className { _ = try CollectionTarget(className: className, try context.snapshot(for: request)) }
            removed = try set.remove(sets.now) { known in
                !(unnamedOnly && known.name != nil) && className.map { $0 == known.query.className } ?? true
            }
        }
        let json = JSONWriter(capacity: 32)
        json.beginObject()
        json.name("removed")
        json.int(removed)
        json.endObject()
        let response = Response.json(json.bytes)
        guard removed > 0 else { return .now(response) }
        return .later { [sets] responder in sets.save { responder.answer(response) } }
    }

    /// Requests an event on the open streams of the set, after everything that was committed before.
    package func putBarrier(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let caller = try context.caller(of: request)
        let set = try existingSet(path, caller, request)
        guard let token = BarrierToken(path[Endpoint.Parameter.token] ?? "") else {
            throw Problem(
                .subscriptionInvalidName,
                "The token of a barrier has 1 to \(BarrierToken.maximumLength) bytes, no control characters, and is neither '.' nor '..'."
            )
        }
        let mark = try context.snapshot(for: request).mark
        let response = BarrierAnswer(version: mark.version, streams: try set.requestSharedBarrier(token, at: mark))
        let json = JSONWriter(capacity: 64)
        response.write(into: json)
        return .now(.json(json.bytes, status: 202))
    }

    package func streamSubscriptions(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [ParameterName.lastEventID])
        let caller = try context.caller(of: request)
        let set = try existingSet(path, caller, request)
        let position = request.lastEventID.flatMap { StreamPosition($0) }?.received { [context] mark in
            (try? caller.view.knows(mark, in: context.store)) ?? false
        }
        let account = request.limitKey
        // Whether paths led to the same targets is read at earlier versions.
        if position != nil, set.subscriptions.contains(where: { $0.query.path != nil }) { try request.requireWorker() }
        try set.hold()
        return .events { [self] stream in
            context.opened(
                stream, for: request, costing: open(stream, of: set, for: caller, account, position))
        }
    }

    private func open(
        _ events: EventStream, of set: SubscriptionSet, for caller: Caller, _ account: LimitKey,
        _ position: StreamPosition?
    ) -> SetStream {
        let bind: @Sendable (SubscriptionQuery) -> Result<TopicKey, Problem> = { [self] query in
            do {
                return .success(try topicKey(of: query, for: caller))
            } catch {
                return .failure(context.problem(of: error))
            }
        }
        let stream = SetStream(
            events, streams.topics, for: account, caller.view.fingerprint, bind: { set.rebind($0, by: bind) },
            bindQuery: bind,
            didFail: { id, revision, ending in set.fail(id, revision, ending.reason) })
        let unsettled = set.open(stream, position, sets.now, bind: bind) { [self] version, key in
            (try? context.known(version, key.hopQueries, caller.view)) != nil
        }
        for subscription in unsettled {
            guard let key = subscription.key else { continue }
            FirstResult.await(key, streams.topics, at: set.topics, for: account) {
                set.settle(subscription.id, subscription.revision, $0)
            }
        }
        // The set retains the stream until then.
        events.onClose { [sets] _ in
            if set.close(stream, sets.now) { sets.release(set) }
            stream.end()
        }
        return stream
    }
}

extension GatewayConfiguration {
    var subscriptions: SubscriptionSettings {
        SubscriptionSettings(
            file: subscriptionFile, lifetime: subscriptionSetLifetime, maximumSets: maximumSubscriptionSets,
            setsPerCaller: subscriptionSetsPerCaller, maximumSubscriptions: maximumSubscriptionSet, clock: clock)
    }
}
