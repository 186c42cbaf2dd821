import Foundation
import JSONCoding
import ObjectModel
import StoreContract

extension SyncClient {
    /// Sends uploads up, one after the other.
    func upload() async {
        var attempt = 0
        while !Task.isCancelled {
            guard !isSuspended, let upload = ledger.book.uploads.first else {
                await uploadBell.wait()
                continue
            }
            do {
                try await send(upload)
                attempt = 0
            } catch {
                guard !Task.isCancelled else { return }
                reportOutage(error)
                attempt += 1
                let wanted = (error as? GatewayFailure)?.answer.retryAfter
                await uploadBell.wait(seconds: wanted ?? Self.pause(attempt))
            }
        }
    }

    /// Throws when it has to be tried again.
    private func send(_ upload: Upload) async throws {
        let answer = try await transport.send(
            "POST", "/v1/transactions", body: upload.body, headers: ["Idempotency-Key": upload.idempotencyKey])
        switch answer.status {
        case 200..<300:
            isConnected()
            try await ledger.change { book, transaction in
                try book.acknowledge(upload.number, at: answer.version ?? .max, transaction)
            }
        case 404 where answer.json["operation"] != nil:
            try await drop(answer.json.int("operation"), of: upload)
        case 401, 404, 405, 408, 421, 425, 429, 500...: throw GatewayFailure(answer: answer)
        default: try await refuse(upload, answer)
        }
    }

    /// What an operation is about is gone at the gateway: deletions win. The rest is sent as another transaction.
    private func drop(_ operation: Int, of upload: Upload) async throws {
        guard upload.operations.indices.contains(operation) else {
            throw SyncError(.connection, "The gateway names an operation that was not sent.")
        }
        let object = upload.operations[operation].object
        let row = try await row(of: object)
        let key = UUID().uuidString
        try await ledger.change { book, transaction in
            if upload.operations.count > 1 {
                book.change(upload.number) { upload in
                    upload.operations.remove(at: operation)
                    upload.idempotencyKey = key
                    if !upload.operations.contains(where: { $0.object == object }) { upload.touched[object] = nil }
                }
            } else {
                book.finish(upload.number)
            }
            if !book.isQueued(object) { try book.take(row, of: object, at: .max, transaction) }
        }
    }

    /// Makes the objects what they are at the gateway.
    private func refuse(_ upload: Upload, _ answer: GatewayAnswer) async throws {
        var rows: [SyncObject: JSONValue] = [:]
        for object in upload.touched.keys { rows[object] = try await row(of: object) }
        let found = rows
        try await ledger.change { book, transaction in
            book.finish(upload.number)
            for (object, row) in found where !book.isQueued(object) {
                try book.take(row, of: object, at: .max, transaction)
            }
        }
        report(
            SyncError(
                .writeRejected, answer.detail, status: answer.status, gatewayCode: answer.code,
                objects: upload.touched.keys.map {
                    SyncError.Object(className: $0.className, primaryKey: $0.keyText)
                }.sorted { ($0.className, $0.primaryKey) < ($1.className, $1.primaryKey) }))
    }

    /// An object as it is at the gateway; null for none.
    private func row(of object: SyncObject) async throws -> JSONValue {
        guard let objectClass = try ledger.store.snapshot().schema[object.className],
            let primaryKey = objectClass.primaryKey
        else { return .null }
        let arguments: JSONValue = [object.keyJSON]
        let form = [
            ("filter", "\(QueryText.name(primaryKey)) == $0"),
            ("args", String(decoding: arguments.bytes, as: UTF8.self)),
            ("fields", objectClass.storedProperties.map(\.name).joined(separator: ",")), ("limit", "1"),
        ]
        let query = form.map { "\($0)=\(QueryText.escaped($1))" }.joined(separator: "&")
        let answer = try await transport.send("GET", "/v1/objects/\(QueryText.escaped(object.className))?\(query)")
        switch answer.status {
        case 200..<300: return answer.json.array("items").first ?? .null
        case 401, 408, 421, 429, 500...: throw GatewayFailure(answer: answer)
        default: return .null
        }
    }
}
