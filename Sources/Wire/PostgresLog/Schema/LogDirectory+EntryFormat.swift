import StoreContract

extension LogDirectory {
    /// Allows the stores of a realm, or of all realms, to write entries of a newer format. It never allows less than
    /// before, because the log has such entries already. Returns the names of the realms.
    ///
    /// Realms come one after the other: those before the one that fails have the new format, and a repetition goes on.
    ///
    /// Throws `LogConfigurationError`: `newerFormat` when this program does not know the format or a realm has a newer
    /// one, `olderGateways` while a store that has reported within the hour does not know it, `unknownRealm`.
    ///
    /// - Parameter known: the newest format of the program.
    package func raiseEntryFormat(
        to format: Int32, of realm: RealmName? = nil, known: Int32 = newestEntryFormat
    ) throws -> [String] {
        guard format >= 1, format <= known else {
            throw LogConfigurationError(
                .newerFormat,
                "This program knows formats of entries from 1 to \(known), and not \(format). Use a program that knows it."
            )
        }
        try checkFormat()
        let realms = try realms(realm)
        for found in realms where found.format != format {
            guard found.format < format else {
                throw LogConfigurationError(
                    .newerFormat,
                    "The log of realm '\(found.name)' has entries of format \(found.format) already, so \(format) is not enough. Give \(found.format) or more."
                )
            }
            guard try raise(found.id, to: format) else { throw try olderGateways(found, format) }
        }
        return realms.map(\.name)
    }

    private typealias FoundRealm = (id: Int64, name: String, format: Int32)

    /// One realm, or all.
    private func realms(_ realm: RealmName?) throws -> [FoundRealm] {
        let found = try startErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                let rows = try connection.run([StatementCall(.listRealms)], by: deadline).rows[0]
                var found: [FoundRealm] = []
                for row in 0..<rows.count {
                    let name = try rows.text(row, 1)
                    if let realm, realm.text != name { continue }
                    found.append((try rows.int64(row, 0), name, try rows.int32(row, 5)))
                }
                return found
            }
        }
        if let realm, found.isEmpty { throw unknown(realm) }
        return found
    }

    private func raise(_ id: Int64, to format: Int32) throws -> Bool {
        try startErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                let reply = try connection.run(
                    [StatementCall(.raiseEntryFormat, .int64(id), .int32(format))], by: deadline)
                return reply.rows[0].affected == 1
            }
        }
    }

    private func olderGateways(_ realm: FoundRealm, _ format: Int32) throws -> LogConfigurationError {
        let gateways = try startErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                try Self.gateways(of: realm.id, connection, by: deadline)
            }
        }
        let names = gateways.filter { $0.newestFormat < format }.map { "\($0.address) (\($0.program))" }
        return LogConfigurationError(
            .olderGateways,
            "Programs that use realm '\(realm.name)' do not know format \(format) of entries: \(names.joined(separator: ", ")). Replace them by newer ones, or stop them. One that was killed counts for an hour."
        )
    }
}
