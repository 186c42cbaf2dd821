package import Foundation
import StoreContract
import Synchronization

/// Requests of a followed file's realms.
extension SyncClient {
    /// The state of synchronisation as of the last commit.
    package nonisolated var view: SyncView { stateStore.syncState }

    /// Whether objects of a class may be created.
    package nonisolated func follows(_ className: String) -> Bool { stateStore.follows(className) }

    /// Replaces the subscriptions, which determine the gateway's objects in the file. A number of 0 marks a
    /// subscription that is new or has another query; a new one has a negative id. Returns the stored set. Blocks, so
    /// a thread that is writing must not call it.
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

    /// Waits until `test` returns a value. Throws its errors, `CancellationError`, and `timeout`.
    package nonisolated func wait<R: Sendable>(
        timeout: TimeInterval? = nil, until test: @escaping @Sendable (SyncView) throws -> R?
    ) async throws -> R {
        try await withTaskExecutorPreference(executor) { try await stateStore.wait(timeout: timeout, until: test) }
    }

    /// Waits until the gateway has answered all uploads that were committed before this call. Throws as `wait`.
    package nonisolated func waitForUploads(timeout: TimeInterval?) async throws {
        try await withTaskExecutorPreference(executor) {
            try await stateStore.change { _, _ in }
            uploadWakeUp.signal()
            let last = view.uploads.last?.order ?? 0
            try await stateStore.wait(timeout: timeout) { view in
                view.uploads.contains { $0.order <= last } ? nil : ()
            }
        }
    }

    /// Performs work that waits for the gateway. Throws once the gateway proves to be unreachable.
    package nonisolated func failingWithOutages(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withTaskExecutorPreference(executor) { try await failWithOutages(work) }
    }

    private func failWithOutages(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let (outages, continuation) = AsyncStream.makeStream(of: FollowerFault.self)
        let id = UUID()
        status.withLock { $0.outages[id] = continuation }
        defer { status.withLock { $0.outages[id] = nil } }
        // After an earlier outage the client may be in a pause; this ends it.
        followWakeUp.signal()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: work)
            group.addTask {
                for await error in outages { throw error }
                // The loop ends with the work, after which the group is cancelled.
                try Task.checkCancellation()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Waits until all data is here that the gateway had before the call. Repeats that if the connection is lost.
    package nonisolated func download(timeout: TimeInterval?) async throws {
        try await withTaskExecutorPreference(executor) { try await downloadAll(timeout: timeout) }
    }

    private func downloadAll(timeout: TimeInterval?) async throws {
        let end = timeout.map { ContinuousClock.now + .seconds($0) }
        while true {
            let rest = end.map { max(0, ($0 - .now) / .seconds(1)) }
            try await stateStore.wait(timeout: rest) { syncState in
                syncState.queries.contains { $0.state == .pending } || !syncState.retired.isEmpty ? nil : ()
            }
            // Failed subscriptions receive no data.
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
            await SyncTimer.pause(0.02)
        }
    }
}

extension SyncClient {
    /// Reports the transfers of a direction until the id is removed or, with `isOutstanding`, until the work that is
    /// outstanding now is done. Returns nil once the synchronisation has stopped. The blocks are called on a queue of
    /// the file.
    package nonisolated func observeProgress(
        _ direction: SyncProgress.Direction, isOutstanding: Bool,
        report: @escaping @Sendable (SyncProgress.Amount) -> Void, ended: @escaping @Sendable () -> Void = {}
    ) -> Int? {
        guard !status.withLock({ $0.isStopped }) else { return nil }
        let id = progress.add()
        Task(executorPreference: executor) { [weak self, progress] in
            guard let self else { return }
            // Commits that were not collected yet are outstanding, too.
            _ = try? await stateStore.change { _, _ in }
            progress.observe(
                id, direction, isOutstanding: isOutstanding, stateStore.syncState, report: report, ended: ended)
            guard direction == .download, isOutstanding, (try? await download(timeout: nil)) != nil else { return }
            progress.finish(id)
        }
        return id
    }
}
