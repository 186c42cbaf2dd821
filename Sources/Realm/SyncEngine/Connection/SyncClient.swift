import Foundation
import JSONCoding
import ObjectModel
package import StoreContract
import Synchronization

/// Synchronises an open file with its gateway: follows the event stream, and uploads local commits. Runs until it is
/// stopped.
package actor SyncClient {
    package enum Connection: Sendable {
        case disconnected
        case connecting
        /// The stream of the subscriptions is open.
        case connected
    }

    struct Status: Sendable {
        var connection = Connection.disconnected
        var isSuspended = false
        var isStopped = false
        /// Whether an outage has been reported.
        var hasReported = false
        var tasks: [Task<Void, Never>] = []
        /// The task of the present stream.
        var stream: Task<Void, any Error>?
        /// Called with each failed attempt.
        var outages: [UUID: AsyncStream<FollowerFault>.Continuation] = [:]
        /// Whether the program has begun the client reset that waits for it.
        var hasBegunReset = false
    }

    nonisolated let settings: FollowerSettings
    nonisolated let reports: FollowerReports
    nonisolated let stateStore: SyncStateStore
    nonisolated let transport: GatewayTransport
    nonisolated let status = Mutex(Status())
    package nonisolated let progress = SyncProgress()
    nonisolated let executor = SyncExecutor()
    nonisolated let followWakeUp = AutoResetEvent()
    nonisolated let collectWakeUp = AutoResetEvent()
    nonisolated let uploadWakeUp = AutoResetEvent()
    nonisolated let confirmWakeUp = AutoResetEvent()
    /// The subscriptions that were sent to the gateway on this connection.
    var agreed: Set<Int> = []
    /// The number of failed connections in a row.
    var attempts = 0
    /// Whether the program was told since the start that a client reset waits for it.
    var hasReportedReset = false
    var isAgreeing = false
    var mustAgreeAgain = false
    /// The tasks that wait for a barrier, by its name.
    var barriers: [String: CheckedContinuation<Void, any Error>] = [:]

    /// Throws the errors of reading the file.
    ///
    /// - Parameter writeOnly: the stored names of the classes whose objects are only sent.
    package init(
        _ store: any Store, path: String, _ settings: FollowerSettings, _ reports: FollowerReports,
        writeOnly: Set<String> = []
    ) throws {
        self.settings = settings
        self.reports = reports
        transport = GatewayTransport(settings)
        stateStore = SyncStateStore(
            store,
            didLose: {
                reports.fault(
                    FollowerFault(
                        .historyLost,
                        "Some commits of this realm are not sent to the gateway, because its change log no longer contains them."
                    ))
            }, didCommit: { [progress] in progress.take($0) })
        stateStore.add(writeOnly: writeOnly)
        try stateStore.open(path: path)
    }

    /// Adds classes whose objects are only sent, by their stored names.
    package nonisolated func add(writeOnly: Set<String>) { stateStore.add(writeOnly: writeOnly) }

    /// Starts the tasks. Called once.
    package nonisolated func start() {
        stateStore.store.onCommit { [weak self] changes in
            guard let self, let last = changes.last, !stateStore.isOwn(last.version) else { return }
            collectWakeUp.signal()
        }
        let tasks = [
            Task(executorPreference: executor) { await self.follow() },
            Task(executorPreference: executor) { await self.collect() },
            Task(executorPreference: executor) { await self.upload() },
            Task(executorPreference: executor) { await self.confirm() },
        ]
        status.withLock { $0.tasks = tasks }
        collectWakeUp.signal()
    }

    /// Stops everything. Pending uploads are sent when the file is opened again.
    package nonisolated func stop() {
        let (tasks, stream) = status.withLock { status in
            status.isStopped = true
            status.connection = .disconnected
            return (status.tasks, status.stream)
        }
        stream?.cancel()
        for task in tasks { task.cancel() }
        transport.close()
    }

    package nonisolated func suspend() {
        let stream = status.withLock { status in
            status.isSuspended = true
            return status.stream
        }
        stream?.cancel()
    }

    package nonisolated func resume() {
        status.withLock { $0.isSuspended = false }
        followWakeUp.signal()
        uploadWakeUp.signal()
        confirmWakeUp.signal()
    }

    nonisolated var isSuspended: Bool { status.withLock { $0.isSuspended } }
    package nonisolated var connection: Connection { status.withLock { $0.connection } }
    /// Whether it is neither suspended nor stopped.
    package nonisolated var isActive: Bool { status.withLock { !$0.isSuspended && !$0.isStopped } }

    /// Sends changed subscriptions to the gateway.
    nonisolated func subscriptionsChanged() {
        guard status.withLock({ $0.connection }) == .connected else { return followWakeUp.signal() }
        Task(executorPreference: executor) {
            do {
                try await self.agree()
            } catch {
                // The next connection sends all subscriptions again.
                self.status.withLock { $0.stream }?.cancel()
            }
        }
    }

    // MARK: Errors

    nonisolated func report(_ fault: FollowerFault) {
        guard !status.withLock({ $0.isStopped }) else { return }
        reports.fault(fault)
    }

    /// Reports an error that will be retried, once per outage.
    nonisolated func reportOutage(_ error: any Error) {
        // Stopping and suspending end the stream too, even if it was resumed meanwhile; that is not an outage.
        guard !status.withLock({ $0.isStopped || $0.isSuspended }), !(error is CancellationError),
            !(error is HistoryIsLost), (error as? GatewayFailure)?.answer.saysThatHistoryIsLost != true
        else { return }
        let fault =
            switch error {
            case let failure as GatewayFailure: FollowerFault(failure.answer)
            case let error as StoreError: FollowerFault(.file, error.message)
            case let fault as FollowerFault: fault
            default: FollowerFault(.connection, "The gateway cannot be reached: \(error.localizedDescription)")
            }
        let (isFirst, waiting) = status.withLock { status in
            defer { status.hasReported = true }
            return (!status.hasReported, Array(status.outages.values))
        }
        for continuation in waiting { continuation.yield(fault) }
        if isFirst { report(fault) }
    }

    nonisolated func isConnected() { status.withLock { $0.hasReported = false } }

    /// Returns the seconds before the next attempt.
    static func pause(_ attempt: Int) -> Double {
        min(30, 0.2 * Double(1 << min(attempt, 8))) * Double.random(in: 0.75...1.25)
    }

    // MARK: Local commits

    /// Turns local commits into uploads, soon after each commit.
    private func collect() async {
        while !Task.isCancelled {
            await collectWakeUp.wait()
            guard !Task.isCancelled else { return }
            do {
                try await stateStore.change { _, _ in }
                uploadWakeUp.signal()
            } catch {
                reportOutage(error)
                await collectWakeUp.wait(seconds: 1)
                collectWakeUp.signal()
            }
        }
    }
}

extension FollowerFault {
    /// Creates an error from a failed response.
    init(_ answer: GatewayResponse) {
        let code: Code = answer.status == 401 ? .unauthorized : .connection
        self.init(code, answer.detail, status: answer.status, gatewayCode: answer.code)
    }
}
