import Synchronization

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
