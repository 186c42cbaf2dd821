package import Foundation
import StoreContract
import Synchronization

/// What the realms of a followed file ask for.
extension SyncClient {
    /// What is known of the gateway, as of the last commit.
    package nonisolated var view: SyncView { stateStore.syncState }

    /// Whether objects of a class may be made.
    package nonisolated func follows(_ className: String) -> Bool { stateStore.follows(className) }

    /// Changes which of the gateway's objects the file holds. A subscription with the number 0 is new or asks for something
    /// else; a new one has an id below 0. Gives the set as it is kept. Blocks; not for a thread that writes.
    package nonisolated func replaceSubscriptions(
        _ wanted: [SyncQuery]
    ) throws -> (revision: Int, queries: [SyncQuery]) {
        let before = view.revision
        let result = try stateStore.write { syncState, _ in
            let queries = syncState.take(wanted)
            return (revision: syncState.revision, queries: queries)
        }
        if result.revision != before { subscriptionsChanged() }
        return result
    }

    /// Waits until `test` gives something. Throws what it throws, `CancellationError`, and `timeout`.
    package nonisolated func wait<R: Sendable>(
        timeout: TimeInterval? = nil, until test: @escaping @Sendable (SyncView) throws -> R?
    ) async throws -> R {
        try await stateStore.wait(timeout: timeout, until: test)
    }

    /// Waits until what was committed before this call was sent up and answered. Throws as `wait`.
    package nonisolated func waitForUploads(timeout: TimeInterval?) async throws {
        try await stateStore.change { _, _ in }
        uploadBell.ring()
        let last = view.uploads.last?.order ?? 0
        try await wait(timeout: timeout) { view in view.uploads.contains { $0.order <= last } ? nil : () }
    }

    /// Does what waits for the gateway, until that turns out to be out of reach.
    package func failingWithOutages(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let (outages, continuation) = AsyncStream.makeStream(of: FollowerFault.self)
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
    package func download(timeout: TimeInterval?) async throws {
        let end = timeout.map { ContinuousClock.now + .seconds($0) }
        while true {
            let rest = end.map { max(0, ($0 - .now) / .seconds(1)) }
            try await stateStore.wait(timeout: rest) { syncState in
                syncState.queries.contains { $0.state == .pending } || !syncState.retired.isEmpty ? nil : ()
            }
            // Those that failed bring nothing.
            if stateStore.syncState.queries.allSatisfy({ $0.hasFailed }) { return }
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
