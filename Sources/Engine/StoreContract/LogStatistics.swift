package import ObjectModel

/// The measurements of a store's use of a log that it shares with others.
package struct LogStatistics: Sendable, Hashable {
    /// How an append ended: its label in metrics.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case appended, superseded, unknown, refused, unavailable
    }

    package var appends: [Outcome: Int] = [:]
    /// How long appends took that the log has taken.
    package var appendDurations = StoreStatistics.Durations()
    package var turns = 0
    package var hints = 0
    /// Entries of others that were read.
    package var entries = 0
    /// The newest version that the log is known to have.
    package var newest: Version?
    /// The seconds since the log last responded.
    package var contactSeconds = 0.0

    package init() {}
}
