import Synchronization

/// The configuration that counts now. Whoever reads it at each request sees what was changed last.
final class LiveConfiguration: Sendable {
    /// What counts at one time. An object, because a copy of so many settings takes long for a request that looks at two.
    final class Settings: Sendable {
        let all: GatewayConfiguration
        fileprivate init(_ all: GatewayConfiguration) { self.all = all }
    }

    private let state: Mutex<Settings>

    init(_ configuration: GatewayConfiguration) { state = Mutex(Settings(configuration)) }

    /// What counts now.
    var now: Settings { state.withLock { $0 } }

    var value: GatewayConfiguration { now.all }

    /// Takes over what may change while the gateway runs.
    func update(_ new: GatewayConfiguration) {
        state.withLock { present in
            var all = present.all
            all.takeLiveSettings(of: new)
            present = Settings(all)
        }
    }
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
        answerBytes = new.answerBytes
        eventBytes = new.eventBytes
        largestPage = new.largestPage
        largestGrouping = new.largestGrouping
        largestObserved = new.largestObserved
        subscriptionSetLifetime = new.subscriptionSetLifetime
        mostSubscriptionSets = new.mostSubscriptionSets
        largestSubscriptionSet = new.largestSubscriptionSet
        snapshotsPerCaller = new.snapshotsPerCaller
        subscriptionSetsPerCaller = new.subscriptionSetsPerCaller
        queriesPerCaller = new.queriesPerCaller
        transfersPerCaller = new.transfersPerCaller
        importFaults = new.importFaults
        importExpansion = new.importExpansion
        importStall = new.importStall
        idempotencyBytesPerCaller = new.idempotencyBytesPerCaller
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
