package import ObjectModel
package import StoreContract

/// A realm of a database, for people.
package struct RealmStatus: Hashable, Sendable {
    package let name: String
    package let newest: LogPosition
    package let floor: Version
    package let entryFormat: Int32
    /// Rows of the log, and their bytes.
    package let parts: Int64
    package let bytes: Int64
    package let images: Int64
    /// Nil when there is no image.
    package let newestImage: Version?
    /// The bytes of all images.
    package let imageBytes: Int64
    package let gateways: [GatewayStatus]
}

package struct GatewayStatus: Hashable, Sendable {
    package let address: String
    package let program: String
    /// The newest format of entries that it reads.
    package let newestFormat: Int32
    package let applied: Version
    /// By the server's clock.
    package let secondsSinceSeen: Int64
    /// How long ago the first version was made that it has not applied, as far as is known; 0 when it has all.
    package let lagSeconds: Int64
    /// A hash of its roles; empty for a program without roles.
    package let roles: [UInt8]
}

extension LogDirectory {
    /// All realms by name, with the stores that use them. Cost: reads the sizes of all entries of all logs.
    package func status() throws -> [RealmStatus] {
        try checkFormat()
        return try startErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                let rows = try connection.run([StatementCall(.listRealms)], by: deadline).rows[0]
                var realms: [RealmStatus] = []
                for row in 0..<rows.count {
                    let image = try rows.int64(row, 9)
                    realms.append(
                        RealmStatus(
                            name: try rows.text(row, 1),
                            newest: LogPosition(
                                Version(column: try rows.int64(row, 2)), HistoryTag(column: try rows.int64(row, 3))),
                            floor: Version(column: try rows.int64(row, 4)), entryFormat: try rows.int32(row, 5),
                            parts: try rows.int64(row, 6), bytes: try rows.int64(row, 7),
                            images: try rows.int64(row, 8), newestImage: image == 0 ? nil : Version(column: image),
                            imageBytes: try rows.int64(row, 10),
                            gateways: try Self.gateways(of: try rows.int64(row, 0), connection, by: deadline)))
                }
                return realms
            }
        }
    }

    static func gateways(
        of realm: Int64, _ connection: PostgresConnection, by deadline: Deadline
    ) throws(PostgresError) -> [GatewayStatus] {
        let rows = try connection.run([StatementCall(.listGateways, .int64(realm))], by: deadline).rows[0]
        var gateways: [GatewayStatus] = []
        for row in 0..<rows.count {
            gateways.append(
                GatewayStatus(
                    address: try rows.text(row, 1), program: try rows.text(row, 2),
                    newestFormat: rows.isNull(row, 3) ? 0 : try rows.int32(row, 3),
                    applied: Version(column: try rows.int64(row, 4)), secondsSinceSeen: try rows.int64(row, 5),
                    lagSeconds: try rows.int64(row, 6), roles: rows.isNull(row, 7) ? [] : try rows.bytes(row, 7)))
        }
        return gateways
    }
}
