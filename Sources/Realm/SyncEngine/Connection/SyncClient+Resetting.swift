import ObjectModel
import StoreContract
import Synchronization
import WireProtocol

/// Thrown if the gateway does not have the history that is known here. The reset that follows ends it.
struct HistoryIsLost: Error {}

extension SyncClient {
    /// Sends a request that the gateway answers only if it has the history that is known here, so that nothing is
    /// mixed with another one. Throws `HistoryIsLost`, and the errors of `GatewayTransport.send`.
    func send(
        _ method: String, _ path: String, body: [UInt8]? = nil, headers: [String: String] = [:]
    ) async throws -> GatewayResponse {
        let known = stateStore.syncState.mark
        let answer = try await transport.send(
            method, path, body: body, headers: headers.merging(Self.atLeast(known)) { $1 })
        if let known, answer.saysThatHistoryIsLost { try await lose(known) }
        return answer
    }

    /// Opens the stream of the subscriptions. Throws as `send`.
    func events() async throws -> AsyncThrowingStream<ServerEvent, any Error> {
        let view = stateStore.syncState
        return try await transport.events(
            Endpoint.subscriptionStream.path(view.client), after: view.position, headers: Self.atLeast(view.mark))
    }

    private static func atLeast(_ mark: Mark?) -> [String: String] {
        mark.map { [HeaderName.atLeast: $0.description] } ?? [:]
    }

    private func lose(_ known: Mark) async throws {
        if try await stateStore.change({ syncState, _ in syncState.loseHistory(known) }) { followWakeUp.signal() }
        status.withLock { $0.stream }?.cancel()
        throw HistoryIsLost()
    }

    /// Begins the reset that waits for the program, which discards local changes.
    package nonisolated func beginReset() {
        status.withLock { $0.hasBegunReset = true }
        followWakeUp.signal()
    }

    /// Performs what a lost history requires before anything else is sent. Returns false while the program must begin
    /// it.
    func isReset() async -> Bool {
        do {
            if stateStore.syncState.reset == .awaited {
                let (isBegun, mode) = (status.withLock { $0.hasBegunReset }, settings.resetMode)
                if !isBegun, hasReportedReset { return false }
                let needsProgram = try await stateStore.change { syncState, _ in syncState.needsProgram(mode) }
                guard isBegun || !needsProgram else {
                    hasReportedReset = true
                    report(
                        FollowerFault(
                            .clientReset,
                            "The gateway no longer has the history that this realm is based on. Nothing is sent or received until the program begins the client reset."
                        ))
                    return false
                }
                await reports.willReset()
                try await stateStore.change { syncState, transaction in
                    try syncState.beginReset(mode, isBegun: isBegun, transaction)
                }
                hasReportedReset = false
                status.withLock { $0.hasBegunReset = false }
                attempts = 0
                uploadWakeUp.signal()
            }
            try await finishReset()
            return true
        } catch {
            reportOutage(error)
            await followWakeUp.wait(seconds: 1)
            followWakeUp.signal()
            return false
        }
    }

    /// Ends a reset whose first results have all arrived or failed.
    func finishReset() async throws {
        let view = stateStore.syncState
        guard view.reset == .running, !view.isPending else { return }
        await reports.didReset()
        try await stateStore.change { syncState, _ in syncState.endReset() }
    }
}

extension GatewayResponse {
    var saysThatHistoryIsLost: Bool { status == 409 && code == StoreError.Code.historyLost.rawValue }
}
