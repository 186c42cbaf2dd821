/// Why a program cannot use a PostgreSQL server for its log before somebody changes something. The message says what.
package struct LogConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case wrongAddress, rejected, noTables, noRights, newerFormat, olderGateways, unknownRealm, invalidName,
            realmExists, pooler
    }

    package let reason: Reason
    package let description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// The fault that a refusal is evidence of; nil for one that has nothing to do with the configuration.
    init?(_ state: SQLState, _ text: String, at address: PostgresAddress) {
        switch state {
        case .unknownTable, .unknownSchema, .unknownColumn:
            self.init(
                .noTables,
                "PostgreSQL at \(address) does not have the tables of a log. Make them with 'realmgate setup --store URL', as a user that may create schemas in the database. (\(text))"
            )
        case .noRights:
            self.init(
                .noRights,
                "PostgreSQL at \(address) does not give this user the rights that a log needs (\(text)). As the owner of the tables: grant usage on schema realmgate to USER; grant select, insert, update, delete on all tables in schema realmgate to USER;"
            )
        default: return nil
        }
    }
}
