import Synchronization

/// The configuration that counts now. Whoever reads it at each request sees what was changed last.
final class LiveConfiguration: Sendable {
    private let state: Mutex<GatewayConfiguration>

    init(_ configuration: GatewayConfiguration) { state = Mutex(configuration) }

    var value: GatewayConfiguration { state.withLock { $0 } }

    /// Takes over what may change while the gateway runs.
    func update(_ new: GatewayConfiguration) { state.withLock { $0.takeLiveSettings(of: new) } }
}

extension GatewayConfiguration {
    /// Takes over what may change while a gateway runs: who may call from which pages, rates, and how much is asked for
    /// at once. Files, threads, and the sizes of bodies belong to what was made at the start.
    fileprivate mutating func takeLiveSettings(of new: GatewayConfiguration) {
        allowedOrigins = new.allowedOrigins
        allowsCredentials = new.allowsCredentials
        largestTransaction = new.largestTransaction
        idempotencyLifetime = new.idempotencyLifetime
        filterLimit = new.filterLimit
        argumentLimit = new.argumentLimit
        largestOrder = new.largestOrder
        defaultPage = new.defaultPage
        largestPage = new.largestPage
        largestGrouping = new.largestGrouping
        largestObserved = new.largestObserved
        subscriptionSetLifetime = new.subscriptionSetLifetime
        mostSubscriptionSets = new.mostSubscriptionSets
        largestSubscriptionSet = new.largestSubscriptionSet
        snapshotLife = new.snapshotLife
        longestSnapshotLife = new.longestSnapshotLife
        mostSnapshots = new.mostSnapshots
        queryRows = new.queryRows
        queryMilliseconds = new.queryMilliseconds
        addressRate = new.addressRate
        trustedProxies = new.trustedProxies
        callerRate = new.callerRate
        streamsPerCaller = new.streamsPerCaller
        metricsAreOpen = new.metricsAreOpen
        leastFreeDisk = new.leastFreeDisk
    }
}
