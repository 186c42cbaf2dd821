import ObjectModel
import StoreContract

extension PostgresError {
    /// The error that a store gets: for failures after which it is known that nothing was done.
    func storeError(_ address: PostgresAddress) -> StoreError {
        switch self {
        case .closed: StoreError.closedLog
        case .unreachable(let reason), .lost(let reason): StoreError.unavailable(address, reason)
        case .rejected(_, let text): StoreError.refused(address, text)
        case .refused(let state, let text):
            if let fault = LogConfigurationError(state, text, at: address) {
                StoreError(.logRefused, fault.description)
            } else if state == .lockTimeout {
                StoreError.busyLog
            } else {
                StoreError.refused(address, "\(text) (\(state))")
            }
        case .unreadable(let text):
            StoreError(.logDamaged, "PostgreSQL at \(address) sent an answer that is not one of a log: \(text)")
        }
    }

    /// The error at the start of a program: what somebody has to change, if it is that.
    func startError(_ address: PostgresAddress) -> any Error {
        switch self {
        case .rejected(let state, let text):
            return LogConfigurationError(
                .rejected,
                "PostgreSQL at \(address) refuses the connection: \(text) Check the user, the password and the database in the address (\(state))."
            )
        case .refused(let state, let text):
            return LogConfigurationError(state, text, at: address) ?? storeError(address)
        default: return storeError(address)
        }
    }
}

extension StoreError {
    static let closedLog = StoreError(.closed, "The log is closed.")

    static let busyLog = StoreError(
        .busy, "Another store has the turn to write, and kept it for longer than this one waits. Try again.")

    static func unavailable(_ address: PostgresAddress, _ reason: String) -> StoreError {
        StoreError(
            .logUnavailable,
            "PostgreSQL at \(address) cannot be reached, so nothing was written. Try again when it is back. (\(reason))"
        )
    }

    static func outcomeUnknown(_ address: PostgresAddress, _ reason: String) -> StoreError {
        StoreError(
            .logOutcomeUnknown,
            "The connection to PostgreSQL at \(address) was lost while it wrote. The write may have been done: send it again with the same Idempotency-Key, or look whether it was. (\(reason))"
        )
    }

    static func refused(_ address: PostgresAddress, _ text: String) -> StoreError {
        StoreError(.logRefused, "PostgreSQL at \(address) refused the write, so nothing was written: \(text)")
    }

    static func damaged(_ realm: String, _ text: String) -> StoreError {
        StoreError(
            .logDamaged, "The log of realm '\(realm)' in PostgreSQL is damaged: \(text) Restore it from a backup.")
    }

    static func missingRealm(_ realm: String) -> StoreError {
        StoreError(.logRefused, "PostgreSQL has no realm '\(realm)' any more.")
    }
}

extension Version {
    /// As the tables have it.
    var column: Int64 { Int64(clamping: rawValue) }

    init(column: Int64) { self.init(UInt64(clamping: column)) }
}

extension HistoryTag {
    /// As the tables have it: the same 64 bits.
    var column: Int64 { Int64(bitPattern: rawValue) }

    init(column: Int64) { self.init(rawValue: UInt64(bitPattern: column)) }
}
