public import Foundation
import Synchronization

/// The connection between an open file and its gateway. All realms of the file share it; it ends with the last of them.
public final class SyncSession: Sendable {
    public enum ConnectionState: Sendable, Equatable {
        case disconnected
        case connecting
        /// The event stream is open.
        case connected
    }

    public enum State: Sendable, Equatable {
        case active
        /// The session is suspended, or the file was closed.
        case inactive
    }

    /// The transfer to wait for.
    public enum Transfer: Sendable, Equatable {
        /// All local commits.
        case upload
        /// All objects that the subscriptions match, as committed at the gateway.
        case download
    }

    let client: SyncClient

    init(_ client: SyncClient) { self.client = client }

    public var connectionState: ConnectionState { client.status.withLock { $0.connection } }

    public var state: State {
        client.status.withLock { $0.isSuspended || $0.isStopped } ? .inactive : .active
    }

    /// Disconnects until `resume`. Local commits are uploaded after that.
    public func suspend() { client.suspend() }

    /// Connects again at once.
    public func resume() { client.resume() }

    /// Waits until everything committed before this call has been uploaded and answered, or has been downloaded. Throws
    /// `Realm.Error` if the timeout elapses, and `CancellationError`; without a timeout it waits until the gateway can
    /// be reached. After a download, objects created here that the gateway does not report have been removed here.
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
    /// Runs `initialSubscriptions` if the file never had a subscription, or if `rerunOnOpen` is set.
    func subscribeInitially() {
        guard let sync = file?.sync, let make = sync.configuration.initialSubscriptions, sync.wantsFirstSubscriptions
        else { return }
        raising {
            let set = SyncSubscriptionSet(accessor: try SubscriptionSetAccessor(self))
            try set.accessor.update {
                // Another thread may have done it meanwhile.
                guard sync.wantsFirstSubscriptions else { return }
                sync.status.withLock { $0.hasSubscribed = true }
                make(set)
            }
        }
    }
}

extension SyncClient {
    /// Whether `initialSubscriptions` has to run.
    nonisolated fileprivate var wantsFirstSubscriptions: Bool {
        guard !status.withLock({ $0.hasSubscribed }) else { return false }
        return configuration.rerunOnOpen || stateStore.syncState.revision == 0
    }

    /// Waits for the download that opening a realm requires. Throws `SyncError` if the gateway cannot be reached or
    /// rejects the token, and `Realm.Error` if a subscription fails or the timeout elapses.
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

    /// Runs the body, and fails with the next outage.
    private func failingWithOutages(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let (outages, continuation) = AsyncStream.makeStream(of: SyncError.self)
        let id = UUID()
        status.withLock { $0.outages[id] = continuation }
        defer { status.withLock { $0.outages[id] = nil } }
        // A pause after an earlier outage ends now.
        followBell.ring()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: work)
            group.addTask {
                for await error in outages { throw error }
                // Ends with the work.
                try Task.checkCancellation()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Waits until all earlier data of the gateway has arrived. Retries if the connection breaks.
    func download(timeout: TimeInterval?) async throws {
        let end = timeout.map { ContinuousClock.now + .seconds($0) }
        while true {
            let rest = end.map { max(0, ($0 - .now) / .seconds(1)) }
            try await stateStore.wait(timeout: rest) { syncState in
                syncState.queries.contains { $0.state == .pending } || !syncState.retired.isEmpty ? nil : ()
            }
            // Failed subscriptions deliver nothing.
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
