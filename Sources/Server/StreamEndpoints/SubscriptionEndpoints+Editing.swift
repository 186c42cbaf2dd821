import AccessRules
import Basics
import Dispatch
import HTTPMessages
import HTTPProblems
package import HTTPServer
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

// The subscriptions of a set: reads, additions, deletions.
extension SubscriptionEndpoints {
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
                responder.send(document(of: found ?? subscription, in: set, status, isSuperseded: isSuperseded))
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
                    responder.send(Self.timeout(subscription).httpResponse)
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
        return .later { [sets] responder in sets.save { responder.send(.empty()) } }
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
        return .later { [sets] responder in sets.save { responder.send(response) } }
    }
}
