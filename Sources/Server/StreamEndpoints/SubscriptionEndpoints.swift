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
            { [settings = context.settings] in settings.now.subscriptions }, context.logger,
            context.store.sharedRecords)
        let configuration = context.settings.now
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
                context.reply(to: request, path, handler)
            }
        }
    }

    /// Returns the caller's set. Throws 404 if there is none.
    func existingSet(_ path: PathParameters, _ caller: Caller, _ request: Request) throws -> SubscriptionSet {
        let set = try sets.existing(path[Endpoint.Parameter.set] ?? "", of: caller.subscriber)
        bindLoaded(set, caller, request.limitKey)
        return set
    }

    /// Parses the queries that another gateway has put into a set, and waits elsewhere for their first results.
    func bindLoaded(_ set: SubscriptionSet, _ caller: Caller, _ account: LimitKey) {
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

}

extension GatewayConfiguration {
    var subscriptions: SubscriptionSettings {
        SubscriptionSettings(
            file: subscriptionFile, lifetime: subscriptionSetLifetime, maximumSets: maximumSubscriptionSets,
            setsPerCaller: subscriptionSetsPerCaller, maximumSubscriptions: maximumSubscriptionSet, clock: clock)
    }
}
