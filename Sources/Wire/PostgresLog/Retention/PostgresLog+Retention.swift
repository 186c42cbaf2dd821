package import ObjectModel
import StoreContract

/// A store that uses a realm, as the table of gateways has it.
package struct LogGateway: Hashable, Sendable {
    /// 16 bytes.
    package var id: [UInt8]
    package var address: String
    /// The program and its version.
    package var program: String
    /// The newest format of entries that it knows.
    package var newestFormat: Int32
    /// A hash of its roles.
    package var roles: [UInt8]
    package var applied: Version

    package init(
        id: [UInt8], address: String, program: String, newestFormat: Int32, roles: [UInt8], applied: Version
    ) {
        self.id = id
        self.address = address
        self.program = program
        self.newestFormat = newestFormat
        self.roles = roles
        self.applied = applied
    }
}

extension PostgresLog {
    /// The versions of the log that are deleted in one transaction.
    static let trimmedAtOnce: Int64 = 5000

    /// Records that a store uses the realm now, and how far it is. Cost: one round trip.
    package func report(_ gateway: LogGateway) throws {
        try call { connection, deadline throws(PostgresError) in
            _ = try connection.run(
                [
                    StatementCall(
                        .seeGateway, .int64(id), .uuid(gateway.id), .text(gateway.address),
                        .text(gateway.program), .int32(gateway.newestFormat), .bytes(gateway.roles),
                        .int64(gateway.applied.column))
                ], by: deadline)
        }
    }

    /// The stores that have reported within the hour, or have not said that they were closed. Cost: one round trip.
    package func gateways() throws -> [GatewayStatus] {
        try call { connection, deadline throws(PostgresError) in
            try LogDirectory.gateways(of: id, connection, by: deadline)
        }
    }

    /// Deletes what `report` recorded, because the store is closed. Does not wait long for a server that is away: a
    /// store that was not seen for an hour counts as closed.
    package func forget(_ gateway: [UInt8]) throws {
        try storeErrors { () throws(PostgresError) in
            try pool.repeating(for: .seconds(2)) { connection, deadline throws(PostgresError) in
                _ = try connection.run([StatementCall(.forgetGateway, .int64(id), .uuid(gateway))], by: deadline)
            }
        }
    }

    /// Deletes entries that nobody needs: those up to the second newest image, older than `seconds`, and applied by
    /// every store that was seen within an hour. Returns the number of versions that were removed.
    ///
    /// The floor rises first, so a reader finds either an entry or a floor above it.
    @discardableResult
    package func trim(keepingSeconds seconds: Int64) throws -> Int64 {
        let bounds = try call { connection, deadline throws(PostgresError) in
            let rows = try connection.run(
                [StatementCall(.retentionBounds, .int64(id), .int64(seconds))], by: deadline
            ).rows[0]
            return rows.count == 0 ? nil : try RetentionBounds(rows)
        }
        guard let bounds else { throw StoreError.missingRealm(realm.text) }
        try call { connection, deadline throws(PostgresError) in
            _ = try connection.run([StatementCall(.forgetGateways, .int64(id))], by: deadline)
        }
        let floor = bounds.newFloor
        if floor > bounds.floor {
            try call { connection, deadline throws(PostgresError) in
                _ = try connection.run([StatementCall(.raiseFloor, .int64(id), .int64(floor))], by: deadline)
            }
        }
        // Also what an earlier attempt left below the floor.
        guard let oldest = bounds.oldestEntry, oldest <= floor else { return 0 }
        var next = oldest - 1
        while next < floor {
            next = min(floor, next + Self.trimmedAtOnce)
            let last = next
            try call { connection, deadline throws(PostgresError) in
                _ = try connection.run([StatementCall(.trimLog, .int64(id), .int64(last))], by: deadline)
            }
        }
        return floor - oldest + 1
    }
}

/// The limits of the deletion of entries.
struct RetentionBounds: Hashable {
    var floor: Int64
    var newest: Int64
    /// The version of the second newest image; nil when there are not two.
    var secondImage: Int64?
    /// The oldest entry that is younger than the limit.
    var oldestYoung: Int64?
    /// The least version that a store of the last hour has applied.
    var leastApplied: Int64?
    var oldestEntry: Int64?

    /// The version up to which entries may go.
    var newFloor: Int64 {
        // Without two images a damaged one would be the end.
        guard let secondImage else { return floor }
        let young = oldestYoung.map { $0 - 1 } ?? newest
        return max(floor, min(secondImage, young, leastApplied ?? newest))
    }
}

extension RetentionBounds {
    /// From the row of `retentionBounds`.
    init(_ rows: PostgresRows) throws(PostgresError) {
        func optional(_ column: Int) throws(PostgresError) -> Int64? {
            rows.isNull(0, column) ? nil : try rows.int64(0, column)
        }
        self.init(
            floor: try rows.int64(0, 0), newest: try rows.int64(0, 1), secondImage: try optional(2),
            oldestYoung: try optional(3), leastApplied: try optional(4), oldestEntry: try optional(5))
    }
}
