import OpenCombine
import SyncEngine
import Synchronization

extension SyncSession {
    /// The transfers that a progress notification reports.
    public enum ProgressDirection: Sendable, Equatable {
        /// Local commits, to the gateway.
        case upload
        /// Objects and their changes, from the gateway.
        case download
    }

    /// How long a progress notification reports.
    public enum ProgressMode: Sendable, Equatable {
        /// Until its token is invalidated.
        case reportIndefinitely
        /// Until what is outstanding at its registration has been transferred, or the token is invalidated.
        case forCurrentlyOutstandingWork
    }

    /// The bytes that were and will be transferred, as the JSON of the requests and events. Headers, and compression on
    /// the way, are not counted.
    public struct Progress: Sendable, Equatable {
        /// Those since the first notification was registered or, for outstanding work, since this one was.
        public let transferredBytes: Int
        /// `transferredBytes`, and what is still to come. For downloads it is an estimate: a subscription whose first
        /// result has not arrived counts as much as the average of the others.
        public let transferrableBytes: Int

        /// From 0 to 1; 1 if there is nothing to transfer.
        public var fractionTransferred: Double {
            transferrableBytes == 0 ? 1 : min(1, Double(transferredBytes) / Double(transferrableBytes))
        }

        /// Whether everything has been transferred.
        public var isTransferComplete: Bool { transferredBytes >= transferrableBytes }

        init(_ amount: SyncProgress.Amount) {
            transferredBytes = amount.transferred
            transferrableBytes = amount.transferable
        }
    }

    /// Keeps a progress notification alive, which ends when the token is invalidated or released.
    public final class ProgressNotificationToken: Sendable {
        private let client: SyncClient
        private let id: Int

        init(_ client: SyncClient, _ id: Int) {
            self.client = client
            self.id = id
        }

        deinit { invalidate() }

        /// Ends the notification. A call of its block that has begun may still be running.
        public func invalidate() { client.progress.remove(id) }
    }

    /// Calls the block with the progress of a direction: soon, and whenever it changes, on a queue of the file. Returns
    /// nil after the file was closed.
    public func addProgressNotification(
        for direction: ProgressDirection, mode: ProgressMode, block: @escaping @Sendable (Progress) -> Void
    ) -> ProgressNotificationToken? { observe(direction, mode, block) {} }

    func observe(
        _ direction: ProgressDirection, _ mode: ProgressMode, _ block: @escaping @Sendable (Progress) -> Void,
        ended: @escaping @Sendable () -> Void
    ) -> ProgressNotificationToken? {
        client.observeProgress(
            direction == .upload ? .upload : .download, isOutstanding: mode == .forCurrentlyOutstandingWork,
            report: { block(Progress($0)) }, ended: ended
        ).map { ProgressNotificationToken(client, $0) }
    }
}
