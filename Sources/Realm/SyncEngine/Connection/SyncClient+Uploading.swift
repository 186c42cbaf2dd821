import Foundation
import JSONCoding
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract
import Synchronization
import WireProtocol

extension SyncClient {
    /// Sends the uploads one after the other.
    func upload() async {
        var attempt = 0
        while !Task.isCancelled {
            let view = stateStore.syncState
            guard !isSuspended, view.reset != .awaited, let upload = view.uploads.first else {
                await uploadWakeUp.wait()
                continue
            }
            do {
                try await send(upload)
                attempt = 0
            } catch {
                guard !Task.isCancelled else { return }
                reportOutage(error)
                attempt += 1
                let wanted = (error as? GatewayFailure)?.answer.pause ?? 0
                await uploadWakeUp.wait(seconds: max(wanted, Self.pause(attempt)))
            }
        }
    }

    /// Throws if the upload must be retried.
    private func send(_ upload: Upload) async throws {
        let answer = try await send(
            "POST", Endpoint.transactions.path(), body: upload.body,
            headers: [HeaderName.idempotencyKey: upload.idempotencyKey])
        let operation = answer.problem.operation
        switch answer.status {
        case 200..<300:
            // A response without a version comes from an intermediary, so the gateway has not run the transaction.
            guard let done = TransactionAnswer(answer.json) else {
                throw FollowerFault(.connection, "The gateway's address responds, but it is not a gateway.")
            }
            isConnected()
            var rows: [SyncObject: JSONValue] = [:]
            for object in upload.unaffected(done.results, try stateStore.store.snapshot().schema) {
                rows[object] = try await row(of: object)
            }
            let found = rows
            let outside = try await stateStore.change { syncState, transaction in
                try syncState.acknowledge(
                    upload.number, at: done.version.rawValue, answer.mark, found, transaction)
            }
            reportOutside(outside)
            if !stateStore.syncState.unconfirmed.isEmpty { confirmWakeUp.signal() }
        case 404 where operation != nil && upload.isEdit(operation ?? 0):
            try await drop(operation ?? 0, of: upload)
        case 422 where answer.problem.saysThatLinkIsMissing && upload.isEdit(operation ?? 0):
            // The target of a link was deleted.
            try await drop(operation ?? 0, of: upload)
        case 413 where upload.operations.count > 1:
            try await stateStore.change { syncState, _ in syncState.split(upload.number) }
        // The gateway does not have the class of a new object.
        case 404 where operation != nil: try await refuse(upload, answer)
        case 300..<400, 401, 404, 405, 407, 408, 421, 425, 429, 500...: throw GatewayFailure(answer: answer)
        default: try await refuse(upload, answer)
        }
    }

    /// Removes an operation whose object was deleted at the gateway: deletions win. The rest is sent as another
    /// transaction.
    private func drop(_ operation: Int, of upload: Upload) async throws {
        guard upload.operations.indices.contains(operation) else {
            throw FollowerFault(.connection, "The gateway's response names an operation that was not sent.")
        }
        let object = upload.operations[operation].object
        let row = try await row(of: object)
        let key = UUID().uuidString
        try await stateStore.change { syncState, transaction in
            if upload.operations.count > 1 {
                syncState.change(upload.number) { upload in
                    upload.operations.remove(at: operation)
                    upload.idempotencyKey = key
                    if !upload.operations.contains(where: { $0.object == object }) { upload.touched[object] = nil }
                }
            } else {
                syncState.finish(upload.number)
            }
            if !syncState.isQueued(object) { try syncState.take(row, of: object, at: .max, transaction) }
        }
    }

    /// Reverts the objects to their state at the gateway.
    private func refuse(_ upload: Upload, _ answer: GatewayResponse) async throws {
        var rows: [SyncObject: JSONValue] = [:]
        for object in upload.touched.keys { rows[object] = try await row(of: object) }
        let found = rows
        try await stateStore.change { syncState, transaction in
            syncState.finish(upload.number)
            for (object, row) in found where !syncState.isQueued(object) {
                try syncState.take(row, of: object, at: .max, transaction)
            }
        }
        report(
            FollowerFault(
                .writeRejected, answer.detail, status: answer.status, gatewayCode: answer.code,
                objects: Array(upload.touched.keys)))
    }

    // MARK: Objects that the gateway does not report

    /// Removes objects created here that the gateway has not reported after it has reported everything before.
    func confirm() async {
        while !Task.isCancelled {
            let waiting = stateStore.syncState.unconfirmed
            guard !waiting.isEmpty, !isSuspended else {
                await confirmWakeUp.wait()
                continue
            }
            // Usually the event has arrived by then.
            await SyncTimer.pause(1)
            let still = stateStore.syncState.unconfirmed.intersection(waiting)
            guard !still.isEmpty, !Task.isCancelled else { continue }
            guard status.withLock({ $0.connection }) == .connected, (try? await passBarrier()) != nil,
                (try? await giveUp(still)) != nil
            else {
                await confirmWakeUp.wait(seconds: 2)
                continue
            }
        }
    }

    /// Removes those objects that the gateway has still not reported after all its data has arrived.
    func giveUp(_ objects: Set<SyncObject>) async throws {
        guard !objects.isEmpty else { return }
        reportOutside(
            try await stateStore.change { syncState, transaction in try syncState.giveUp(objects, transaction) })
    }

    private func reportOutside(_ objects: [SyncObject]) {
        guard !objects.isEmpty else { return }
        report(
            FollowerFault(
                .outsideSubscriptions,
                "Objects created here are at the gateway, but no subscription matches them there: they were removed here.",
                objects: objects))
    }

    /// Returns an object's state at the gateway; null if there is none.
    private func row(of object: SyncObject) async throws -> JSONValue {
        guard let objectClass = try stateStore.store.snapshot().schema[object.className],
            let primaryKey = objectClass.primaryKey
        else { return .null }
        let arguments: JSONValue = [object.keyJSON]
        let query = [
            (ParameterName.filter, "\(QueryPrinter.escaped(primaryKey)) == $0"),
            (ParameterName.arguments, String(decoding: arguments.bytes, as: UTF8.self)),
            (ParameterName.fields, objectClass.storedProperties.map(\.name).joined(separator: ",")),
            (ParameterName.limit, "1"),
        ]
        let answer = try await send("GET", Endpoint.objects.path(object.className, query: query))
        switch answer.status {
        case 200..<300: return answer.json.array(EventField.items).first ?? .null
        case 300..<400, 401, 407, 408, 421, 425, 429, 500...: throw GatewayFailure(answer: answer)
        default: return .null
        }
    }
}

extension ProblemForm {
    fileprivate var saysThatLinkIsMissing: Bool {
        code == StoreError.Code.invalidValue.rawValue && operation != nil
            && detail?.contains(Self.missingLink) == true
    }
}

extension Upload {
    /// Whether an operation changes an existing object.
    fileprivate func isEdit(_ operation: Int) -> Bool {
        operations.indices.contains(operation) && operations[operation].sent.name != .create
    }
}
