import Foundation
import JSONCoding
import ObjectModel
import StoreContract
import Synchronization
import WireProtocol

extension SyncClient {
    /// Connects, again after each failure, and applies the events of the stream.
    func follow() async {
        while !Task.isCancelled {
            guard !isSuspended, await isReset(), await isAsking() else {
                await followWakeUp.wait()
                continue
            }
            status.withLock { $0.connection = .connecting }
            let stream = Task(executorPreference: executor) { try await self.run() }
            status.withLock { $0.stream = stream }
            if isSuspended { stream.cancel() }
            var wanted = 0.0
            do {
                try await withTaskCancellationHandler {
                    try await stream.value
                } onCancel: {
                    stream.cancel()
                }
            } catch is SyncMismatch {
                _ = try? await stateStore.change { syncState, _ in syncState.position = nil }
            } catch {
                reportOutage(error)
                wanted = (error as? GatewayFailure)?.answer.pause ?? 0
            }
            status.withLock { status in
                status.connection = .disconnected
                status.stream = nil
            }
            agreed = []
            for (_, waiting) in barriers { waiting.resume(throwing: CancellationError()) }
            barriers = [:]
            guard !Task.isCancelled else { return }
            attempts += 1
            if !isSuspended { await followWakeUp.wait(seconds: max(wanted, Self.pause(attempts))) }
        }
    }

    /// Whether there is a subscription. Without any, the data of earlier ones is removed at once.
    private func isAsking() async -> Bool {
        let syncState = stateStore.syncState
        if syncState.queries.isEmpty, !syncState.retired.isEmpty {
            _ = try? await stateStore.change { syncState, transaction in try syncState.settle(transaction) }
        }
        return !syncState.queries.isEmpty
    }

    /// Runs one connection. Throws the error that ends it.
    private func run() async throws {
        try await agree()
        let followed = stateStore.syncState.queries.filter { !$0.hasFailed }
        guard followed.contains(where: { agreed.contains($0.number) }) else {
            // The gateway has none of our subscriptions: its schema may change, or a subscription may just have been
            // created.
            if followed.isEmpty { await followWakeUp.wait(seconds: 30) }
            attempts = 0
            return
        }
        try await stateStore.change { syncState, _ in syncState.streamBegan() }
        let events = try await events()
        var isFirst = true
        for try await event in events {
            // An event that arrived before the suspension may still be in the sequence.
            guard !isSuspended else { return }
            if isFirst {
                isFirst = false
                attempts = 0
                isConnected()
                status.withLock { $0.connection = .connected }
                reports.connected()
                uploadWakeUp.signal()
                // Subscriptions may have changed since they were sent.
                try await agree()
            }
            progress.received(event.data.count)
            let (event, objects) = try EventObjects.split(event)
            switch event.content {
            case .other, .subscriptions, .removed: continue
            case .closing: return
            case .barrier(let token):
                try await stateStore.change { syncState, transaction in try syncState.apply(event, transaction) }
                barriers.removeValue(forKey: token)?.resume()
            case .failed(let name, let problem):
                guard SubscriptionName.queryNumber(in: name) != nil else { continue }
                report(FollowerFault(.subscriptionFailed, problem.sentence, gatewayCode: problem.code))
                try await stateStore.change { syncState, transaction in try syncState.apply(event, transaction) }
            case .initial(let name, _), .update(let name, _):
                guard let number = SubscriptionName.queryNumber(in: name) else { continue }
                do {
                    try await stateStore.change { syncState, transaction in
                        try syncState.apply(event, with: objects, transaction)
                    }
                } catch let fault as ValueError {
                    try await fail(number, fault)
                }
            }
            try await finishReset()
        }
        try Task.checkCancellation()
    }

    /// Stops requesting a subscription whose data does not fit the classes here, until the file is opened again or the
    /// next connection.
    private func fail(_ number: Int, _ fault: ValueError) async throws {
        let message = "The gateway's data does not fit the class here: \(fault.sentence("a property"))"
        report(FollowerFault(.subscriptionFailed, message))
        let name = try await stateStore.change { syncState, _ in
            syncState.setState(.failed(code: "", message: message), of: number)
            return syncState.queries.first { $0.number == number }?.remoteName
        }
        if let name { _ = try await send("DELETE", path(name)) }
    }

    /// The gateway's path of a subscription of this file.
    private func path(_ name: String) -> String {
        Endpoint.subscription.path(stateStore.syncState.client, name)
    }

    // MARK: Subscriptions

    /// Makes the gateway's set equal to this one. Throws if the gateway cannot be reached.
    func agree() async throws {
        mustAgreeAgain = true
        guard !isAgreeing else { return }
        isAgreeing = true
        defer { isAgreeing = false }
        while mustAgreeAgain {
            mustAgreeAgain = false
            let syncState = stateStore.syncState
            let wanted = Set(syncState.queries.map(\.number))
            for query in syncState.queries where !agreed.contains(query.number) { try await put(query) }
            for name in try await remoteNames(syncState) where !wanted.contains(name.number) {
                let answer = try await send("DELETE", path(name.text))
                guard answer.status < 300 || answer.status == 404 else { throw GatewayFailure(answer: answer) }
                agreed.remove(name.number)
            }
            guard !syncState.retired.isEmpty else { continue }
            try await stateStore.change { syncState, transaction in try syncState.settle(transaction) }
        }
    }

    /// Returns our subscriptions in the gateway's set.
    private func remoteNames(_ syncState: SyncView) async throws -> [(text: String, number: Int)] {
        let answer = try await send("GET", Endpoint.subscriptionSet.path(syncState.client))
        if answer.status == 404 { return [] }
        guard answer.status < 300 else { throw GatewayFailure(answer: answer) }
        return SubscriptionForm.names(ofSet: answer.json).compactMap { name in
            SubscriptionName.queryNumber(in: name).map { (name, $0) }
        }
    }

    private func put(_ query: SyncQuery) async throws {
        guard let objectClass = try stateStore.store.snapshot().schema[query.className] else { return }
        let form = SubscriptionForm(query, objectClass, try stateStore.store.snapshot().schema)
        let answer = try await send("PUT", path(query.remoteName), body: form.json.bytes)
        switch answer.status {
        case 200..<300:
            agreed.insert(query.number)
            guard case .failed = query.state else { return }
            try await stateStore.change { syncState, _ in syncState.setState(.pending, of: query.number) }
        case 401, 408, 421, 429, 500...: throw GatewayFailure(answer: answer)
        case 404 where answer.code == nil: throw GatewayFailure(answer: answer)
        default:
            agreed.insert(query.number)
            let state = SyncQuery.State.failed(code: answer.code ?? "", message: answer.detail)
            guard query.state != state else { return }
            report(
                FollowerFault(
                    .subscriptionFailed, answer.detail, status: answer.status, gatewayCode: answer.code))
            try await stateStore.change { syncState, _ in syncState.setState(state, of: query.number) }
        }
    }

    // MARK: Barriers

    /// Waits until everything has arrived that was committed at the gateway before this call. Throws if the connection
    /// breaks or is silent for too long.
    ///
    /// - Parameter timeout: seconds to wait for the stream.
    func passBarrier(timeout: TimeInterval? = nil) async throws {
        let token = UUID().uuidString
        let isSilence = timeout ?? .infinity > settings.idleTimeout
        let timer = SyncTimer.call(after: min(timeout ?? .infinity, settings.idleTimeout)) { [executor] in
            Task(executorPreference: executor) { await self.giveUpBarrier(token, isSilence: isSilence) }
        }
        defer { timer.cancel() }
        try await withCheckedThrowingContinuation { continuation in
            barriers[token] = continuation
            Task(executorPreference: executor) { await self.beginBarrier(token) }
        }
    }

    /// Ends the waiting for a barrier that did not come. A stream that was silent for too long is opened again.
    private func giveUpBarrier(_ token: String, isSilence: Bool) {
        guard let waiting = barriers.removeValue(forKey: token) else { return }
        waiting.resume(throwing: SyncStateStore.timeout)
        if isSilence { reconnect() }
    }

    private func beginBarrier(_ token: String) async {
        do {
            try await requestBarrier(token)
        } catch {
            barriers.removeValue(forKey: token)?.resume(throwing: error)
        }
    }

    private func requestBarrier(_ token: String) async throws {
        let answer = try await send("PUT", Endpoint.barrier.path(stateStore.syncState.client, token))
        let isUnknown = answer.status == 404 && answer.code != nil
        guard answer.status < 300 || isUnknown else { throw GatewayFailure(answer: answer) }
        // The set existed when the stream began. The gateway now has another one, because it forgot the set, or
        // because the credentials belong to another caller now.
        guard isUnknown || BarrierAnswer(answer.json)?.streams == 0 else { return }
        reconnect()
        throw CancellationError()
    }

    /// Closes the present connection and opens another one at once.
    private func reconnect() {
        status.withLock { $0.stream }?.cancel()
        attempts = 0
        followWakeUp.signal()
    }
}

extension SubscriptionForm {
    /// The depth to which embedded objects are expanded.
    private static let depth = 4

    /// The request for a subscription.
    ///
    /// The result is sorted by the primary key, so that both sides have the objects in the same order. Each change
    /// contains whole objects with the properties of the class here. Changes of linked objects are not reported.
    init(_ query: SyncQuery, _ objectClass: ClassSchema, _ schema: Schema) {
        self.init(
            className: query.className, filter: query.filter, sort: objectClass.primaryKey ?? "",
            fields: objectClass.storedProperties.map(\.name),
            keyPaths: objectClass.storedProperties.flatMap { Self.keyPaths($0, schema, Self.depth) }, wait: .never)
    }

    private static func keyPaths(_ property: PropertySchema, _ schema: Schema, _ depth: Int) -> [String] {
        guard property.ownsTarget, depth > 0, let target = property.targetClass.flatMap({ schema[$0] }) else {
            return [property.name]
        }
        return [property.name]
            + target.storedProperties.flatMap { keyPaths($0, schema, depth - 1) }.map { property.name + "." + $0 }
    }
}

extension ProblemForm {
    /// The reason why a query cannot be followed.
    var sentence: String { detail ?? "The gateway cannot follow the query." }
}
