import ObjectModel
package import StoreContract

extension PostgresLog {
    package func record(_ name: String) throws -> LogRecord? {
        try readRecord(StatementCall(.readRecord, .int64(id), .text(name)), name)
    }

    private func readRecord(_ statement: StatementCall, _ name: String) throws -> LogRecord? {
        try call { connection, deadline throws(PostgresError) in
            let rows = try connection.run([statement], by: deadline).rows[0]
            guard rows.count > 0 else { return nil }
            guard let body = LogBody.decode(try rows.bytes(0, 1)) else {
                throw .unreadable("the record '\(name)' cannot be decompressed.")
            }
            return LogRecord(revision: try rows.int64(0, 0), body: body)
        }
    }

    /// A record if it has a later revision than that. Cost: one round trip, and its bytes when it has.
    package func record(_ name: String, after revision: Int64) throws -> LogRecord? {
        try readRecord(StatementCall(.readRecordAfter, .int64(id), .text(name), .int64(revision)), name)
    }

    package func recordRevisions(prefix: String) throws -> [String: Int64] {
        // The names are compared by their bytes.
        let list = StatementCall(.listRecords, .int64(id), .text(prefix), .text(prefix + "\u{10FFFF}"))
        return try revisions(list)
    }

    package func recordRevisions(of names: [String]) throws -> [String: Int64] {
        try revisions(StatementCall(.findRecords, .int64(id), .textArray(names)))
    }

    private func revisions(_ statement: StatementCall) throws -> [String: Int64] {
        try call { connection, deadline throws(PostgresError) in
            let rows = try connection.run([statement], by: deadline).rows[0]
            var revisions: [String: Int64] = [:]
            for row in 0..<rows.count { revisions[try rows.text(row, 0)] = try rows.int64(row, 1) }
            return revisions
        }
    }

    package func store(_ body: [UInt8], as name: String, over revision: Int64?) throws -> Bool {
        let isStored = try write(body, as: name, over: revision)
        if isStored { hints?.announceRecords() }
        return isStored
    }

    private func write(_ body: [UInt8], as name: String, over revision: Int64?) throws -> Bool {
        let encoded = LogBody.encode(body)
        let write = StatementCall(
            revision == nil ? .insertRecord : .updateRecord,
            [.int64(id), .text(name)] + (revision.map { [.int64($0)] } ?? []) + [.bytes(encoded)])
        var mayHaveArrived = false
        let isStored: Bool? = try call { connection, deadline throws(PostgresError) in
            do throws(PostgresError) {
                if try connection.run([write], by: deadline).rows[0].affected == 1 { return true }
            } catch {
                switch error {
                case .refused(.uniqueViolation, _): break
                case .lost:
                    mayHaveArrived = true
                    throw error
                default: throw error
                }
            }
            return mayHaveArrived ? nil : false
        }
        if let isStored { return isStored }
        let found = try record(name)
        let next = (revision ?? 0) + 1
        guard let found, found.revision <= next else {
            throw StoreError(
                .logOutcomeUnknown,
                "The connection was lost while '\(name)' was stored, and others have changed it since. Read it, and repeat the change if it is not in it."
            )
        }
        return found.revision == next && found.body == body
    }

    package func onRecordHint(_ listener: @escaping @Sendable () -> Void) { hints?.add(ofRecords: listener) }

    package func deleteRecord(_ name: String, at revision: Int64) throws -> Bool {
        defer { hints?.announceRecords() }
        return try call { connection, deadline throws(PostgresError) in
            let reply = try connection.run(
                [
                    StatementCall(.deleteRecord, .int64(id), .text(name), .int64(revision)),
                    StatementCall(.readRecord, .int64(id), .text(name)),
                ], by: deadline)
            return reply.rows[1].count == 0
        }
    }

    /// Runs statements that may be run twice, for as long as the log's patience lasts.
    func call<Result>(
        _ body: (PostgresConnection, Deadline) throws(PostgresError) -> Result
    ) throws(StoreError) -> Result {
        try storeErrors { () throws(PostgresError) in try pool.repeating(for: options.patience, body) }
    }
}
