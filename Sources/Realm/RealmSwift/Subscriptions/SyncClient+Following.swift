import Foundation
import JSONCoding
import ObjectModel
import StoreContract
import Synchronization

extension SyncClient {
    /// Connects, again after each failure, and applies the events of the stream.
    func follow() async {
        while !Task.isCancelled {
            guard !isSuspended, await isAsking() else {
                await followBell.wait()
                continue
            }
            status.withLock { $0.connection = .connecting }
            let stream = Task { try await self.run() }
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
            if !isSuspended { await followBell.wait(seconds: max(wanted, Self.pause(attempts))) }
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
        let followed = stateStore.syncState.queries.filter { $0.failure == nil }
        guard followed.contains(where: { agreed.contains($0.number) }) else {
            // The gateway has none of our subscriptions: its schema may change, or a subscription may just have been
            // created.
            if followed.isEmpty { await followBell.wait(seconds: 30) }
            attempts = 0
            return
        }
        try await stateStore.change { syncState, _ in syncState.streamBegan() }
        let events = try await transport.events(path("stream"), after: stateStore.syncState.position)
        var isFirst = true
        for try await event in events {
            // An event that arrived before the suspension may still be in the sequence.
            guard !isSuspended else { return }
            if isFirst {
                isFirst = false
                attempts = 0
                isConnected()
                status.withLock { $0.connection = .connected }
                Logger.log(.detail, Category.Sync.Client.session, "Connected with \(configuration.gateway).")
                uploadBell.ring()
                // Subscriptions may have changed since they were sent.
                try await agree()
            }
            let event = try SyncEvent(event)
            switch event.content {
            case .other: continue
            case .closing: return
            case .barrier(let name): barriers.removeValue(forKey: name)?.resume()
            case .failed(_, let code, let message):
                report(SyncError(.subscriptionFailed, message, gatewayCode: code))
                try await stateStore.change { syncState, transaction in try syncState.apply(event, transaction) }
            case .initial(let number, _), .update(let number, _, _, _, _):
                do {
                    try await stateStore.change { syncState, transaction in try syncState.apply(event, transaction) }
                } catch let fault as ValueFault {
                    try await fail(number, fault)
                }
            }
        }
        try Task.checkCancellation()
    }

    /// Stops requesting a subscription whose data does not fit the classes here, until the file is opened again or the
    /// next connection.
    private func fail(_ number: Int, _ fault: ValueFault) async throws {
        let message = "The gateway's data does not fit the class here: \(fault.sentence("a property"))"
        report(SyncError(.subscriptionFailed, message))
        let name = try await stateStore.change { syncState, _ in
            syncState.setState(.failed(code: "", message: message), of: number)
            return syncState.queries.first { $0.number == number }?.remoteName
        }
        if let name { _ = try await transport.send("DELETE", path(name)) }
    }

    func path(_ rest: String) -> String { "/v1/subscriptions/\(stateStore.syncState.client)/\(rest)" }

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
                let answer = try await transport.send("DELETE", path(name.text))
                guard answer.status < 300 || answer.status == 404 else { throw GatewayFailure(answer: answer) }
                agreed.remove(name.number)
            }
            guard !syncState.retired.isEmpty else { continue }
            try await stateStore.change { syncState, transaction in try syncState.settle(transaction) }
        }
    }

    /// Returns our subscriptions in the gateway's set.
    private func remoteNames(_ syncState: SyncView) async throws -> [(text: String, number: Int)] {
        let answer = try await transport.send("GET", "/v1/subscriptions/\(syncState.client)")
        if answer.status == 404 { return [] }
        guard answer.status < 300 else { throw GatewayFailure(answer: answer) }
        return answer.json.array("subscriptions").compactMap { json in
            // An earlier run may have left a barrier behind.
            if let name = json.text("name"), name.hasPrefix("barrier-") {
                return barriers[name] == nil ? (name, 0) : nil
            }
            guard let name = json.text("name"), name.hasPrefix("n"), let number = Int(name.dropFirst()) else {
                return nil
            }
            return (name, number)
        }
    }

    private func put(_ query: SyncQuery) async throws {
        guard let objectClass = try stateStore.store.snapshot().schema[query.className] else { return }
        let body = SyncRequest(query, objectClass, try stateStore.store.snapshot().schema).body
        let answer = try await transport.send("PUT", path(query.remoteName), body: body)
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
                SyncError(
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
        let syncState = stateStore.syncState
        for query in syncState.queries where query.state == .complete {
            guard let body = request(query, waiting: true) else { continue }
            let answer = try await transport.send("PUT", path(query.remoteName), body: body)
            guard answer.status < 300 else { throw GatewayFailure(answer: answer) }
            // The subscription existed when the stream began. Now the gateway has created another set, because it had
            // deleted the first one or because the credentials belong to another caller.
            if answer.status == 201, agreed.contains(query.number) {
                followAnew()
                throw CancellationError()
            }
        }
        guard let query = syncState.queries.first(where: { $0.state == .complete }) else { return }
        // The stream delivers all earlier events before the first result of an additional query.
        let name = "barrier-\(UUID().uuidString)"
        let body: JSONValue = [
            "class": .string(query.className), "filter": "FALSEPREDICATE", "waitForSync": "never",
        ]
        try await withCheckedThrowingContinuation { continuation in
            barriers[name] = continuation
            Task {
                try await Task.sleep(for: .seconds(min(timeout ?? .infinity, configuration.idleTimeout)))
                guard let waiting = barriers.removeValue(forKey: name) else { return }
                waiting.resume(throwing: SyncStateStore.timeout)
                if timeout ?? .infinity > configuration.idleTimeout { followAnew() }
            }
            Task {
                do {
                    let answer = try await transport.send("PUT", path(name), body: body.bytes)
                    guard answer.status < 300 else { throw GatewayFailure(answer: answer) }
                } catch {
                    barriers.removeValue(forKey: name)?.resume(throwing: error)
                }
            }
        }
        _ = try await transport.send("DELETE", path(name))
    }

    /// Closes the present connection and opens another one at once.
    private func followAnew() {
        status.withLock { $0.stream }?.cancel()
        attempts = 0
        followBell.ring()
    }

    private func request(_ query: SyncQuery, waiting: Bool) -> [UInt8]? {
        guard let schema = try? stateStore.store.snapshot().schema, let objectClass = schema[query.className] else {
            return nil
        }
        return SyncRequest(query, objectClass, schema, waits: waiting).body
    }
}

/// The request for a subscription.
struct SyncRequest {
    /// The depth to which embedded objects are expanded.
    private static let depth = 4
    let body: [UInt8]

    /// Creates the request. The result is sorted by primary key, so that equal results have an equal order. Each change
    /// contains whole objects with the properties that exist here. Changes of linked objects are not reported.
    init(_ query: SyncQuery, _ objectClass: ClassSchema, _ schema: StoredSchema, waits: Bool = false) {
        let fields = objectClass.storedProperties.map { JSONValue.string($0.name) }
        let paths = objectClass.storedProperties.flatMap { Self.keyPaths($0, schema, Self.depth) }
        var json = JSONObject()
        func put(_ name: String, _ value: JSONValue) { json.members.append(.init(name: name, value: value)) }
        put("class", .string(query.className))
        put("filter", .string(query.filter))
        put("sort", .string(objectClass.primaryKey ?? ""))
        put("fields", .array(fields))
        put("keyPaths", .array(paths.map { .string($0) }))
        put("waitForSync", waits ? "always" : "never")
        body = JSONValue.object(json).bytes
    }

    private static func keyPaths(_ property: PropertySchema, _ schema: StoredSchema, _ depth: Int) -> [String] {
        guard property.ownsTarget, depth > 0, let target = property.targetClass.flatMap({ schema[$0] }) else {
            return [property.name]
        }
        return [property.name]
            + target.storedProperties.flatMap { keyPaths($0, schema, depth - 1) }.map { property.name + "." + $0 }
    }
}
