import AccessRules
import Basics
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

// The stream of a set, and the barriers in it.
extension SubscriptionEndpoints {
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
            (try? context.resumable(version, key.hopQueries, caller.view)) != nil
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
