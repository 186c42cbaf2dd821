import Synchronization

/// The present configuration. Requests always read the latest settings.
final class LiveConfiguration: Sendable {
    /// The settings at one time. A class, because copying so many settings would be slow for a request that reads two.
    final class Settings: Sendable {
        let all: GatewayConfiguration
        fileprivate init(_ all: GatewayConfiguration) { self.all = all }
    }

    private let state: Mutex<Settings>

    init(_ configuration: GatewayConfiguration) { state = Mutex(Settings(configuration)) }

    /// The present settings.
    var now: Settings { state.withLock { $0 } }

    var value: GatewayConfiguration { now.all }

    /// Applies the changes that can be made while the gateway runs.
    func update(_ new: GatewayConfiguration) {
        state.withLock { present in
            var all = present.all
            all.takeLiveSettings(of: new)
            present = Settings(all)
        }
    }
}

extension GatewayConfiguration {
    /// Copies the settings that can change while a gateway runs: the origins of pages, rates, and limits per request.
    /// Files, threads and sizes of bodies are fixed at the start.
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
