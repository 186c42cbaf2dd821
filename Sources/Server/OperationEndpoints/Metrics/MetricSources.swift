package import FairScheduling
package import HTTPServer
package import LiveStreams
package import RequestParameters
package import SyncSubscriptions

/// What the metrics are read from, beside the context.
package struct MetricSources: Sendable {
    package let requests: RequestMetrics
    /// The counters of the server that uses the router.
    package let server: ServerCounters
    package let topics: Topics
    package let subscriptions: SubscriptionSets
    package let transfers: WorkerPool
    package let queries: QueryCache
    /// The number of long polls that wait.
    package let longPolls: @Sendable () -> Int
    /// The routes, in the order of their numbers in `requests`.
    package let routes: @Sendable () -> [Router.Route]

    package init(
        requests: RequestMetrics, server: ServerCounters, topics: Topics, subscriptions: SubscriptionSets,
        transfers: WorkerPool, queries: QueryCache, longPolls: @escaping @Sendable () -> Int,
        routes: @escaping @Sendable () -> [Router.Route]
    ) {
        self.requests = requests
        self.server = server
        self.topics = topics
        self.subscriptions = subscriptions
        self.transfers = transfers
        self.queries = queries
        self.longPolls = longPolls
        self.routes = routes
    }
}
