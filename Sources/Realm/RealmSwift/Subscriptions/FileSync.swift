import Foundation
import StoreContract
import SyncEngine
import Synchronization

/// Synchronises an open file with its gateway, on behalf of the file's realms.
final class FileSync: Sendable {
    let configuration: SyncConfiguration
    let client: SyncClient
    let updates = SubscriptionUpdates()
    /// Whether `initialSubscriptions` has run since the file was opened.
    private let hasSubscribed = Atomic(false)
    let resets: FileResets

    /// Throws the errors of reading the file.
    init(
        _ store: any Store, path: String, _ whole: Realm.Configuration, _ configuration: SyncConfiguration,
        writeOnly: Set<String>
    ) throws {
        self.configuration = configuration
        let resets = FileResets(store, path: path, whole, configuration)
        self.resets = resets
        let gateway = configuration.gateway
        client = try SyncClient(
            store, path: path,
            FollowerSettings(
                gateway: gateway, token: configuration.token, tokenProvider: configuration.tokenProvider,
                headers: configuration.headers, idleTimeout: configuration.idleTimeout,
                resetMode: configuration.clientResetMode.followed),
            FollowerReports(
                fault: { fault in
                    Logger.log(.error, Category.Sync.Client.session, "\(gateway): \(fault.message)")
                    resets.report(fault)
                },
                connected: { Logger.log(.detail, Category.Sync.Client.session, "Connected with \(gateway).") },
                willReset: { await resets.willReset() }, didReset: { await resets.didReset() }), writeOnly: writeOnly)
        resets.attach(client)
    }

    /// Whether `initialSubscriptions` must run.
    private var wantsFirstSubscriptions: Bool {
        guard !hasSubscribed.load(ordering: .sequentiallyConsistent) else { return false }
        return configuration.rerunOnOpen || client.view.revision == 0
    }

    /// Creates the configuration's initial subscriptions if the file has never had any, or if it must create them
    /// again.
    func subscribeInitially(_ realm: RLMRealm) throws {
        guard let make = configuration.initialSubscriptions, wantsFirstSubscriptions else { return }
        let set = SyncSubscriptionSet(accessor: try SubscriptionSetAccessor(realm))
        try set.accessor.update {
            // Another thread may have run it meanwhile.
            guard wantsFirstSubscriptions else { return }
            hasSubscribed.store(true, ordering: .sequentiallyConsistent)
            make(set)
        }
    }

    /// Waits for the data that a realm needs before it opens. Throws `SyncError` if the gateway cannot be reached or
    /// rejects the token, and `Realm.Error` if a subscription fails or the time has elapsed.
    func download(before behavior: Realm.OpenBehavior) async throws {
        let view = client.view
        switch behavior {
        case .never: return
        case .once: if view.wasComplete { return }
        case .always: break
        }
        guard !view.queries.isEmpty else { return }
        let end = configuration.openTimeout.map { ContinuousClock.now + .seconds($0) }
        do {
            try await client.failingWithOutages { [client, configuration] in
                try await client.download(timeout: configuration.openTimeout)
            }
        } catch let fault as FollowerFault {
            // A request that has waited longer than that gives up for its own reasons.
            if fault.code == .connection, let end, ContinuousClock.now >= end {
                throw Realm.Error(.subscriptionFailed, "The subscriptions were not synchronized in time.")
            }
            throw fault.published
        }
        _ = try client.view.isComplete
    }

    /// Waits until the data of all subscriptions is complete. Throws if the gateway cannot follow one of the queries.
    func waitUntilComplete() async throws {
        try await client.wait { view in try view.isComplete ? () : nil }
    }
}

extension RLMRealm {
    /// See `FileSync.subscribeInitially`.
    func subscribeInitially() { trapOnError { _ = try file?.sync?.subscribeInitially(self) } }
}

extension FollowerFault {
    /// The error in its public form.
    var published: any Error { code == .timeout ? Realm.Error(.subscriptionFailed, message) : SyncError(self) }
}

extension SyncError {
    init(code: Code, message: String) {
        self.code = code
        self.message = message
        objects = []
    }

    init(_ fault: FollowerFault) {
        code =
            switch fault.code {
            case .connection, .timeout: .connection
            case .unauthorized: .unauthorized
            case .writeRejected: .writeRejected
            case .outsideSubscriptions: .outsideSubscriptions
            case .subscriptionFailed: .subscriptionFailed
            case .historyLost: .historyLost
            case .clientReset: .clientResetError
            case .file: .file
            }
        message = fault.message
        status = fault.status
        gatewayCode = fault.gatewayCode
        objects = fault.objects.map { Object(className: $0.className, primaryKey: $0.primaryKey) }
    }
}

/// Serialises updates of the subscriptions.
final class SubscriptionUpdates: Sendable {
    private let lock = NSLock()
    /// The thread that is updating; 0 for none.
    private let owner = Atomic<UInt>(0)

    private static var thread: UInt { UInt(bitPattern: Int(pthread_self())) }

    /// Waits for the updates of other threads. Returns false within an update of this thread.
    func begin() -> Bool {
        guard owner.load(ordering: .acquiring) != Self.thread else { return false }
        lock.lock()
        owner.store(Self.thread, ordering: .releasing)
        return true
    }

    func end() {
        owner.store(0, ordering: .releasing)
        lock.unlock()
    }
}
