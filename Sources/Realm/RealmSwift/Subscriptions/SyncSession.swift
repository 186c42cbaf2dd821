public import Foundation
import Synchronization

/// The connection between an open file and its gateway. All realms of one file share it; it ends with the last of them.
public final class SyncSession: Sendable {
    public enum ConnectionState: Sendable, Equatable {
        case disconnected
        case connecting
        /// The stream of the subscriptions is open.
        case connected
    }

    public enum State: Sendable, Equatable {
        case active
        /// Suspended, or the file was closed.
        case inactive
    }

    /// What is waited for.
    public enum Transfer: Sendable, Equatable {
        /// Everything that was committed here.
        case upload
        /// Everything that the subscriptions match and that was committed at the gateway.
        case download
    }

    let client: SyncClient

    init(_ client: SyncClient) { self.client = client }

    public var connectionState: ConnectionState { client.status.withLock { $0.connection } }

    public var state: State {
        client.status.withLock { $0.isSuspended || $0.isStopped } ? .inactive : .active
    }

    /// Disconnects until `resume`. What is written meanwhile goes up then.
    public func suspend() { client.suspend() }

    /// Connects again, at once.
    public func resume() { client.resume() }

    /// Waits until what was committed before this call was sent up and answered, or has come down. Throws
    /// `Realm.Error` when the time is over, and `CancellationError`; without a timeout it waits for as long as it takes
    /// to reach the gateway. After a download, what was created here and is not shown by the gateway is not here any more.
    public func wait(for transfer: Transfer, timeout: TimeInterval? = nil) async throws {
        switch transfer {
        case .upload:
            try await client.stateStore.change { _, _ in }
            client.uploadBell.ring()
            let last = client.stateStore.syncState.uploads.last?.order ?? 0
            try await client.stateStore.wait(timeout: timeout) { syncState in
                syncState.uploads.contains { $0.order <= last } ? nil : ()
            }
        case .download: try await client.download(timeout: timeout)
        }
    }
}

extension RLMRealm {
    /// Makes the configuration's first subscriptions, if the file has never had any, or is to make them anew.
    func subscribeInitially() {
        guard let sync = file?.sync, let make = sync.configuration.initialSubscriptions, sync.wantsFirstSubscriptions
        else { return }
        raising {
            let set = SyncSubscriptionSet(accessor: try SubscriptionSetAccessor(self))
            try set.accessor.update {
                // Another thread may have been quicker.
                guard sync.wantsFirstSubscriptions else { return }
                sync.status.withLock { $0.hasSubscribed = true }
                make(set)
            }
        }
    }
}

extension SyncClient {
    /// Whether `initialSubscriptions` is to run.
    nonisolated fileprivate var wantsFirstSubscriptions: Bool {
        guard !status.withLock({ $0.hasSubscribed }) else { return false }
        return configuration.rerunOnOpen || stateStore.syncState.revision == 0
    }

    /// Waits for what opening a realm is to wait for. Throws what keeps it from coming: `SyncError` when the gateway cannot
    /// be reached or does not take the token, and `Realm.Error` for a subscription that fails and when the time is over.
    func download(before behavior: Realm.OpenBehavior) async throws {
        let syncState = stateStore.syncState
        switch behavior {
        case .never: return
        case .once: if syncState.wasComplete { return }
        case .always: break
        }
        guard !syncState.queries.isEmpty else { return }
        try await failingWithOutages {
            try await self.download(timeout: self.configuration.openTimeout)
        }
        _ = try stateStore.syncState.isComplete
    }

    /// Does what waits for the gateway, until that turns out to be out of reach.
    private func failingWithOutages(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let (outages, continuation) = AsyncStream.makeStream(of: SyncError.self)
        let id = UUID()
        status.withLock { $0.outages[id] = continuation }
        defer { status.withLock { $0.outages[id] = nil } }
        // An earlier one has made a pause.
        followBell.ring()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: work)
            group.addTask {
                for await error in outages { throw error }
                // Waits no longer than the work.
                try Task.checkCancellation()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Waits until everything is here that the gateway had before, trying again when the connection breaks.
    func download(timeout: TimeInterval?) async throws {
        let end = timeout.map { ContinuousClock.now + .seconds($0) }
        while true {
            let rest = end.map { max(0, ($0 - .now) / .seconds(1)) }
            try await stateStore.wait(timeout: rest) { syncState in
                syncState.queries.contains { $0.state == .pending } || !syncState.retired.isEmpty ? nil : ()
            }
            // Those that failed bring nothing.
            if stateStore.syncState.queries.allSatisfy({ $0.failure != nil }) { return }
            if status.withLock({ $0.connection }) == .connected {
                do {
                    let rest = end.map { max(0, ($0 - .now) / .seconds(1)) }
                    let unconfirmed = stateStore.syncState.unconfirmed
                    try await passBarrier(timeout: rest)
                    return try await giveUp(unconfirmed)
                } catch {
                    try Task.checkCancellation()
                }
            }
            if let end, ContinuousClock.now >= end { throw SyncStateStore.timeout }
            guard !status.withLock({ $0.isStopped }) else { throw CancellationError() }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension Realm {
    /// The connection to the gateway; nil for a realm without `Configuration.syncConfiguration`.
    public var syncSession: SyncSession? { rlm.file?.sync.map { SyncSession($0) } }
}
